package builtins_test

import (
	"testing"

	"offlink/runtime/builtins"
)

func TestContains(t *testing.T) {
	for name, want := range map[string]bool{
		"_Z13get_global_idj":                     true,
		"_Z3sinf":                                true,
		"_Z3sinDv16_d":                           true,
		"printf":                                 true,
		"_Z7barrierj":                            true,
		"_Z18work_group_barrierj12memory_scope":  true,
		"_Z17convert_uchar_satf":                 true,
		"_Z6vload4mPU3AS1Kf":                     true,
		"_Z8atom_addPU3AS1Vii":                   true,
		"_Z33__spirv_BuiltInGlobalInvocationIdi": true,
		"__spirv_BuiltInWorkgroupId":             true,
		"llvm.usub.sat.i32":                      true,
		"llvmlike":                               false,
		"_Z3sin3Foo":                             false, // an overload of one's own
		"_Z13LibDeviceFunci":                     false,
		"LibDeviceFunc":                          false,
		"sin":                                    false,
		"":                                       false,
		"_Z":                                     false,
	} {
		if got := builtins.Contains(name); got != want {
			t.Errorf("Contains(%q) = %v; want %v", name, got, want)
		}
	}
}
