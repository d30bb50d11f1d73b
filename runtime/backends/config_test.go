package backends

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConfigEncodings: byte order marks and line ends of Windows do not belong to a name, and
// bytes that no terminal should see are an error with the line.
func TestConfigEncodings(t *testing.T) {
	for text, want := range map[string]string{
		"\ufeff/a/b.so\r\n\r\n# \ufeff\r\n": "/a/b.so",
		"/a/ü.so\n":                         "/a/ü.so",
		"\xff\xfe/\x00a\x00":                "plugins.conf:1: the file is UTF-16",
		"\xfe\xff\x00/\x00a":                "plugins.conf:1: the file is UTF-16",
		"\n/a/\xff.so":                      `plugins.conf:2: the name "/a/\xff.so" is not UTF-8`,
		"\n\n/a/\x1b[31m.so":                `plugins.conf:3: the name "/a/\x1b[31m.so" has a control character`,
		"/a\n/b\x00.so":                     "plugins.conf:2: a name with a NUL byte",
	} {
		entries, err := parseConfig("plugins.conf", strings.NewReader(text))
		got := ""
		if err != nil {
			got = err.Error()
		} else if len(entries) == 1 {
			got = entries[0].name
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s; want %s", text, got, want)
		}
	}
}

// TestConfigPlace: the error of a library names the line that names it.
func TestConfigPlace(t *testing.T) {
	config := filepath.Join(t.TempDir(), "plugins.conf")
	if err := os.WriteFile(config, []byte("# plugins\n\n/nowhere/libpi_x.so\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	d, err := Discover(Options{Only: Plugins + ":/nowhere/libpi_x.so", Getenv: environment("SYCL_PI_CONFIG=" + config)})
	if err != nil || len(d.Backends) != 1 || d.Backends[0].Err == nil || !strings.Contains(d.Backends[0].Err.Error(), config+":3: ") || len(d.Backends[0].Attempts) != 1 {
		t.Errorf("%+v, %v; want line 3 named", d, err)
	}
}

// TestConfigFile: the user's file is left for the system's only where there is none, and a
// relative folder of configurations does not count.
func TestConfigFile(t *testing.T) {
	folder := t.TempDir()
	own, loop := filepath.Join(folder, "offlink", "plugins.conf"), filepath.Join(folder, "loop")
	if err := errors.Join(os.Mkdir(filepath.Dir(own), 0o755), os.WriteFile(own, nil, 0o644), os.MkdirAll(filepath.Join(loop, "offlink"), 0o755),
		os.Symlink("plugins.conf", filepath.Join(loop, "offlink", "plugins.conf"))); err != nil {
		t.Fatal(err)
	}
	const system = "/etc/offlink/plugins.conf"
	for home, want := range map[string]string{
		folder: own, folder + "/none": system, os.DevNull: system, loop: filepath.Join(loop, "offlink", "plugins.conf"), "relative": system,
	} {
		if got, _ := configFile(&Options{Getenv: environment("XDG_CONFIG_HOME=" + home)}); got != want {
			t.Errorf("%s: %s; want %s", home, got, want)
		}
	}
	if _, err := readConfig("/dev/zero"); err == nil || !strings.Contains(err.Error(), "device") {
		t.Errorf("/dev/zero: %v", err)
	}
	if names, err := readConfig(os.DevNull); err != nil || len(names) != 0 {
		t.Errorf("%s: %v, %v", os.DevNull, names, err)
	}
}

// TestPrivileged: a program with more rights than its user follows no variable that names
// code.
func TestPrivileged(t *testing.T) {
	defer func(before func() bool) { isPrivileged = before }(isPrivileged)
	o := &Options{Getenv: func(string) string { return "/of/the/user" }}
	if path, explicit := configFile(o); path != "/of/the/user" || !explicit {
		t.Errorf("%s", path)
	}
	isPrivileged = func() bool { return true }
	if path, explicit := configFile(o); path != "/etc/offlink/plugins.conf" || explicit {
		t.Errorf("with more rights: %s", path)
	}
	if list := candidates(o, "libpi_x.so"); strings.Contains(strings.Join(list, " "), "/of/the/user") {
		t.Errorf("with more rights: %v", list)
	}
	if o.readVariable("ONEAPI_DEVICE_SELECTOR") == "" {
		t.Error("the choice of a device names no code")
	}
	for _, b := range builtin {
		if err := o.refuseChoice(b.choosing); (err != nil) != (b.library != "") {
			t.Errorf("%s: %v", b.name, err)
		}
	}
	if err := (&Options{Getenv: environment("OCL_ICD_VENDORS=")}).refuseChoice(choosingVariables()); err != nil {
		t.Errorf("no variable is set: %v", err)
	}
	d, err := Discover(Options{Getenv: environment("ONEAPI_DEVICE_SELECTOR=opencl:*;host:*", "OCL_ICD_VENDORS=/of/the/user")})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range d.Backends {
		if f.Name == "opencl" && (f.Err == nil || !strings.Contains(f.Err.Error(), "OCL_ICD_VENDORS may choose code")) {
			t.Errorf("opencl: %v", f.Err)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
