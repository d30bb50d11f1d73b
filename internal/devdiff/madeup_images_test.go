package main

import (
	"os"
	"path/filepath"
	"testing"

	"offlink/internal/testtool"
)

// TestMadeUpImages: kernels with images and samplers get some, of integers where they read
// integers, and both devices leave the same in them.
func TestMadeUpImages(t *testing.T) {
	icd, clang := testtool.Python(t, "lib/libintelocl.so"), testtool.Path(t, "clang-19")
	dir := t.TempDir()
	file := filepath.Join(dir, "a.cl")
	source := `
kernel void flip(read_only image2d_t from, write_only image2d_t to, sampler_t s, int step) {
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	write_imagef(to, (int2)(63 - at.x, at.y), read_imagef(from, s, at + step) * 0.5f);
}
float4 sum(read_only image3d_t im, int4 at) { return read_imagef(im, at) + read_imagef(im, at + (int4)(1, 0, 0, 0)); }
kernel void add(read_only image3d_t from, global float4 *to) {
	int x = get_global_id(0) & 31;
	to[get_global_id(1) * 64 + x] = sum(from, (int4)(x, get_global_id(1), 2, 0));
}
kernel void count(read_only image2d_array_t from, global uint4 *to) {
	to[get_global_id(0)] = read_imageui(from, (int4)(get_global_id(0), 1, 3, 0));
}
`
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	code, err := new(kernelPackage).compileSource(clang, dir, file, "-cl-std=CL1.2")
	if err != nil {
		t.Fatal(err)
	}
	var jobs []*job
	for _, c := range kernelsOf(file, func() ([]byte, error) { return code, nil }) {
		j, err := planJob(c)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if !j.wroteAnything() {
			t.Errorf("%s writes nothing", c.name)
		}
		jobs = append(jobs, j)
	}
	if err := runElsewhere(options{icd: icd, python: "python3"}, dir, jobs); err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		if v, detail := j.compareResults(); v != verdictEqual {
			t.Errorf("%s: %s: %s", j.name, verdictNames[v], detail)
		}
	}
}
