// Package headers tests the C headers with the compilers that they are for.
package headers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
)

func compile(t *testing.T, compiler string, args ...string) string {
	t.Helper()
	args = append([]string{"-I../../include"}, args...)
	out, err := exec.Command(compiler, args...).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Fatalf("%s %s: %v\n%s", compiler, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// warnings are those that strict projects build with, headers of others included.
var warnings = []string{"-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Wcast-qual"}

// TestHost: offlink.h is C89, with stdint.h, and C++98 without extensions, twice included.
func TestHost(t *testing.T) {
	const source = `#include <offlink/offlink.h>
#include <offlink/offlink.h>
int run(offlink_kernel *k, offlink_buffer *b, float f) {
  offlink_arg args[3];
  args[0] = offlink_arg_buffer(b);
  args[1] = OFFLINK_VALUE(f);
  args[2] = offlink_arg_pointer(OFFLINK_HERE);
  return offlink_launch(k, offlink_range_2d(8, 8), args, 3) != OFFLINK_OK;
}
`
	for _, compiler := range []string{"gcc", "clang-14", "clang-19"} {
		for _, language := range []string{"c:c89", "c:c99", "c:c11", "c++:c++98", "c++:c++11", "c++:c++20"} {
			t.Run(compiler+"/"+language, func(t *testing.T) {
				testtool.Need(t, compiler)
				x, std, _ := strings.Cut(language, ":")
				file := write(t, "host", source)
				args := append([]string{"-x", x, "-std=" + std, "-fsyntax-only", file}, warnings...)
				if x == "c++" {
					args = append(args, "-Wold-style-cast")
				}
				compile(t, compiler, args...)
			})
		}
	}
}

// TestHostClasses: offlink.hpp is C++17 without extensions, twice included.
func TestHostClasses(t *testing.T) {
	const source = `#include <offlink/offlink.hpp>
#include <offlink/offlink.hpp>
#include <array>
void run(offlink::device &d, offlink::event &before) {
  offlink::queue q(d, OFFLINK_QUEUE_PROFILING);
  offlink::buffer<float> b(d, {1, 2, 3});
  offlink::shared<int> s(d, 4);
  offlink::kernel k(d, "k", offlink::spec_constants().set("n", 3));
  offlink::event e = q.launch_after({before}, k, offlink::range(8, 8).local(4, 4).offset(1), b, s, 2.0f,
                                    offlink::local<int>(64), offlink::address{s.data() + 1});
  q.run("k", 8, b);
  q.fill(s, 7, {e});
  q.copy(s.data(), s.data(), 4, {e});
  q.barrier({e}).on_done([](offlink_status, const std::string &) {});
  q.host([] {}).wait_for(std::chrono::seconds(1));
  offlink::device_global<std::array<int, 4>> g(d, "g");
  g.write(g.read());
  int one[1];
  g.read(one, 1, 2);
  offlink::device_code code("lib.spv");
  offlink::kernel(d, "k", {}, code.module()).info();
  q.finish();
}
`
	for _, compiler := range []string{"g++", "clang++-14", "clang++-19"} {
		for _, std := range []string{"c++17", "c++20"} {
			t.Run(compiler+"/"+std, func(t *testing.T) {
				testtool.Need(t, compiler)
				args := []string{"-x", "c++", "-std=" + std, "-fsyntax-only"}
				// The C++ library may be too new for the compiler: Ubuntu 24.04's is, for clang 14 and C++20.
				if exec.Command(compiler, append(args, write(t, "clock", "#include <chrono>\n"))...).Run() != nil {
					t.Skip("it does not compile <chrono> of the C++ library")
				}
				compile(t, compiler, append(append(args, "-Wold-style-cast", write(t, "host", source)), warnings...)...)
			})
		}
	}
}

const deviceSource = `#include <offlink/device.h>
#include <offlink/device.h>
OFFLINK_EXTERNAL int imported(int i);
OFFLINK_DEVICE_GLOBAL(int, counter) = 7;
OFFLINK_DEVICE_GLOBAL(long, other, "other's id");
OFFLINK_EXTERNAL INLINE int twice(int i) { return i * 2; }
OFFLINK_KERNEL void app(OFFLINK_GLOBAL int *out, OFFLINK_LOCAL int *tmp) {
  __SIZE_TYPE__ i = get_global_id(0) + get_global_offset(0) + get_group_id(0) * get_local_size(0);
  tmp[get_local_id(0)] = (int)get_global_size(0) + (int)get_num_groups(0);
  barrier(1u);
  out[i] = imported((int)i) + counter + (int)other + tmp[0] + (int)get_work_dim();
}
`

// TestDevice: device.h leaves its marks in every language, with every clang,
// and the work-item functions have the names that translators know.
func TestDevice(t *testing.T) {
	languages := []struct {
		name, inline string
		args         []string
	}{
		{"OpenCL C 2.0", "", []string{"-x", "cl", "-cl-std=CL2.0"}},
		{"OpenCL C 3.0", "", []string{"-x", "cl", "-cl-std=CL3.0"}},
		{"C++ for OpenCL", "inline", []string{"-x", "cl", "-cl-std=clc++"}},
		{"C++ for OpenCL 2021", "inline", []string{"-x", "cl", "-cl-std=clc++2021"}},
		{"C", "", []string{"-x", "c"}},
		{"C++", "inline", []string{"-x", "c++"}},
	}
	for _, compiler := range []string{"clang-14", "clang-15", "clang-16", "clang-19"} {
		for _, l := range languages {
			t.Run(compiler+"/"+l.name, func(t *testing.T) {
				testtool.Need(t, compiler)
				file := write(t, "dev", strings.ReplaceAll(deviceSource, "INLINE", l.inline))
				out := filepath.Join(t.TempDir(), "dev.ll")
				compile(t, compiler, append(l.args, "--target=spir64-unknown-unknown", "-O2", "-Wall", "-Werror", "-S", "-emit-llvm", "-o", out, file)...)
				text, err := os.ReadFile(out)
				if err != nil {
					t.Fatal(err)
				}
				checkMarks(t, string(text), l.name == "C" || l.name == "C++", file)
			})
		}
	}
}

func checkMarks(t *testing.T, ir string, markedKernel bool, file string) {
	t.Helper()
	want := []string{
		`c"sycl-module-id=` + file + `\00"`,
		`c"sycl-unique-id=counter\00"`,
		`c"sycl-unique-id=other's id\00"`,
		`c"sycl-device-global-size\00"`,
		`c"sycl-device-image-scope=true\00"`,
		"{ i32 4 }", "{ i32 8 }",
		"@_Z13get_global_idj(", "@_Z17get_global_offsetj(", "@_Z12get_group_idj(", "@_Z14get_local_sizej(", "@_Z12get_local_idj(",
		"@_Z15get_global_sizej(", "@_Z14get_num_groupsj(", "@_Z12get_work_dimv(", "@_Z7barrierj(",
		"twice", "@counter = ",
	}
	if markedKernel {
		want = append(want, `c"sycl-kernel\00"`)
	} else {
		want = append(want, "spir_kernel void @app(")
	}
	for _, text := range want {
		if !strings.Contains(ir, text) {
			t.Errorf("the module lacks %s", text)
		}
	}
	if strings.Contains(ir, `@"\01_Z`) {
		t.Error("the names of work-item functions carry a \\01")
	}
}
