package opencl

import "testing"

// TestQuirkVersions: each row applies to the versions in which the difference was
// seen, and to no later one. TestQuirks looks at the installed drivers.
func TestQuirkVersions(t *testing.T) {
	const (
		intel    = "Intel(R) OpenCL"
		pocl     = "Portable Computing Language"
		oclgrind = "Oclgrind"
		rusticl  = "rusticl"
	)
	pocl3, pocl5 := "OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6", "OpenCL 3.0 PoCL 5.0  Linux, Release, SPIR-V, LLVM 17.0.6"
	ubuntu, pocl6 := "OpenCL 3.0 PoCL 5.0+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 16.0.6, SLEEF, DISTRO, POCL_DEBUG", "OpenCL 3.0 PoCL 6.0+debian  Linux, None+Asserts, RELOC, SPIR-V, LLVM 18.1.8"
	versions := map[string]struct {
		platform     string
		applies, not []string
	}{
		"intel-exit":         {intel, []string{"2021.12.9.0.24_005321", "2022.14.10.0.20_160000.xmain-hotfix", "2026.22.10.0.01_160000"}, []string{"2020.10.4.0.15", "2030.1.0"}},
		"intel-versions-1.3": {intel, []string{"2021.12.9.0.24_005321", "2021.13.11.0.23_160000", "2022.14.10.0.20_160000.xmain-hotfix", "2022.15.12.0.01_081451", "2024.16.1.0.27_160000.xmain-hotfix"}, []string{"2023.16.12.0.12_195853.xmain-hotfix", "2024.18.7.0.11_160000", "2026.22.10.0.01_160000"}},
		"intel-versions-1.4": {intel, []string{"2023.16.12.0.12_195853.xmain-hotfix", "2024.17.5.0.08_160000.xmain-hotfix"}, []string{"2022.15.12.0.01_081451", "2024.16.1.0.27_160000.xmain-hotfix", "2024.18.7.0.11_160000"}},
		"intel-failures":     {intel, []string{"2022.14.10.0.20_160000.xmain-hotfix", "2023.16.7.0.21_160000", "2026.22.10.0.01_160000"}, []string{"2021.13.11.0.23_160000", "2030.1.0"}},
		"pocl-bitcode":       {pocl, []string{pocl3, ubuntu, "OpenCL 1.2 pocl PoCL 1.8 Linux, LLVM 11.0.1"}, []string{pocl5}},
		"pocl-variables":     {pocl, []string{pocl3}, []string{ubuntu, pocl5}},
		"pocl-callbacks":     {pocl, []string{pocl3, ubuntu, pocl5, pocl6}, []string{"OpenCL 3.0 PoCL 7.0"}},
		"pocl-failures":      {pocl, []string{pocl3, ubuntu, pocl5, pocl6}, []string{"OpenCL 3.0 PoCL 7.0"}},
		"oclgrind-bitcode":   {oclgrind, []string{"OpenCL 3.0 (Oclgrind 21.10)", "OpenCL 1.2 (Oclgrind 19.10)"}, []string{"OpenCL 3.0 (Oclgrind 24.1)"}},
		"oclgrind-threads":   {oclgrind, []string{"OpenCL 3.0 (Oclgrind 21.10)"}, []string{"OpenCL 3.0 (Oclgrind 24.1)"}},
		"oclgrind-events":    {oclgrind, []string{"OpenCL 3.0 (Oclgrind 21.10)"}, []string{"OpenCL 3.0 (Oclgrind 24.1)"}},
		"oclgrind-pointers":  {oclgrind, []string{"OpenCL 3.0 (Oclgrind 21.10)"}, []string{"OpenCL 3.0 (Oclgrind 24.1)"}},
		"rusticl-binary":     {rusticl, []string{"22.3.6"}, []string{"23.0.0", "24.2.8", "122.0"}},
		"rusticl-events":     {rusticl, []string{"22.3.6"}, []string{"23.0.0", "24.2.8", "122.0"}},
		"rusticl-linker":     {rusticl, []string{"25.0.7-2+deb13u1", "24.2.8"}, []string{"22.3.6", "125.0"}},
		"rusticl-variables":  {rusticl, []string{"25.0.7-2+deb13u1", "24.2.8"}, []string{"22.3.6", "125.0"}},
		"rusticl-pointers":   {rusticl, []string{"25.0.7-2+deb13u1", "24.2.8"}, []string{"22.3.6", "125.0"}},
		"rusticl-failures":   {rusticl, []string{"24.0.5-1ubuntu1", "25.0.7-2+deb13u1"}, []string{"22.3.6", "26.0.0", "125.0"}},
	}
	if len(versions) != len(quirks) {
		t.Errorf("%d quirks, and versions for %d", len(quirks), len(versions))
	}
	for _, q := range quirks {
		v := versions[q.name]
		for _, platform := range []string{intel, pocl, oclgrind, rusticl} {
			if q.platform().MatchString(platform) != (platform == v.platform) {
				t.Errorf("%s applies to %s: %v", q.name, platform, platform != v.platform)
			}
		}
		for _, text := range v.applies {
			if !q.version().MatchString(text) {
				t.Errorf("%s does not apply to %s", q.name, text)
			}
		}
		for _, text := range v.not {
			if q.version().MatchString(text) {
				t.Errorf("%s applies to %s", q.name, text)
			}
		}
	}
}
