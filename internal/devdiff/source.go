package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"offlink/ir/irfile"
	"offlink/spirv"
	"offlink/spirv/fromir"
)

// OpenCL C of others: the packages of Debian that ship kernels as source, which
// scripts/opencl-kernels unpacks into build/opencl-kernels/PACKAGE, and how
// their programs compile them.

// kernelPackage is a package with kernels.
type kernelPackage struct {
	name    string
	include []string // patterns of base names; nil takes all
	exclude []string // patterns of base names: parts of programs, not programs
	// flags of the compiler, where $DIR is the folder of the package, $FILE that of
	// the source, and $WORK a temporary one.
	flags  []string
	header string // a file that sources include but the package lacks; it is made empty
	sample int    // files that a test takes; 0: only with OFFLINK_ALL_KERNELS
	stated bool   // the sources state launches
}

var kernelPackages = []kernelPackage{
	{name: "piglit", sample: 24, stated: true, exclude: []string{"doc_program.cl", "template_program.cl"}},
	// Its kernels have tens of thousands of instructions, and take minutes each.
	{name: "hashcat-data", include: []string{"m*.cl", "amp_*.cl", "markov_*.cl", "shared.cl"}, flags: hashcatFlags},
	{name: "darktable", sample: 2, flags: []string{"-cl-std=CL2.0", "-I$FILE"}},
	{name: "python3-silx", sample: 5, flags: []string{"-cl-std=CL2.0", "-I$FILE", "-DWORKGROUP_SIZE=16", "-DIMAGE_W=32", "-DIMAGE_H=32", "-DNB_IMAGES=2", "-DBLOCKSIZE=16"}},
	{name: "python3-pyfai", sample: 4, flags: []string{"-cl-std=CL2.0", "-I$FILE", "-DWORKGROUP_SIZE=16", "-DBLOCK_SIZE=16", "-DNBINS=32", "-DNIMAGE=64", "-I$WORK"}, header: "for_eclipse.h"},
	{name: "starpu-examples", sample: 4, flags: []string{"-cl-std=CL2.0", "-I$FILE"}},
}

// hashcatFlags are the flags that hashcat (src/backend.c) gives the compiler for a CPU.
var hashcatFlags = strings.Fields(`-cl-std=CL2.0 -I$DIR/usr/share/hashcat/OpenCL -DKERNEL_STATIC -DINCLUDE_PATH=$DIR/usr/share/hashcat/OpenCL -DXM2S(x)=#x -DM2S(x)=XM2S(x)
	-DVENDOR_ID=8 -DDEVICE_TYPE=2 -DLOCAL_MEM_TYPE=2 -DMAX_THREADS_PER_BLOCK=64 -DCUDA_ARCH=0 -DHAS_ADD=0 -DVECT_SIZE=1
	-DDGST_R0=0 -DDGST_R1=1 -DDGST_R2=2 -DDGST_R3=3 -DDGST_ELEM=4 -DDGST_POS0=0 -DKERN_TYPE=0 -DATTACK_EXEC=11 -DATTACK_KERN=0
	-DATTACK_MODE=0 -D_unroll`)

// sources lists the sources of a package below its folder, in order.
func (p *kernelPackage) sources(dir string) (list []string, err error) {
	err = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && p.takes(entry.Name()) {
			list = append(list, path)
		}
		return err
	})
	slices.Sort(list)
	return list, err
}

func (p *kernelPackage) takes(name string) bool {
	matches := func(pattern string) bool {
		ok, err := filepath.Match(pattern, name)
		return ok && err == nil
	}
	if filepath.Ext(name) != ".cl" || slices.ContainsFunc(p.exclude, matches) {
		return false
	}
	return p.include == nil || slices.ContainsFunc(p.include, matches)
}

// errCompiler is the error for a source that the compiler refuses.
var errCompiler = errors.New("the compiler refuses it")

// compileSource makes SPIR-V of a source with a clang and with fromir; extra are
// flags of the file's own.
func (p *kernelPackage) compileSource(clang, dir, file string, extra ...string) ([]byte, error) {
	work, err := os.MkdirTemp("", "devdiff")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	if p.header != "" {
		if err := os.WriteFile(filepath.Join(work, p.header), nil, 0o666); err != nil {
			return nil, err
		}
	}
	output := filepath.Join(work, "a.bc")
	args := []string{"--target=spir64-unknown-unknown", "-x", "cl", "-w", "-O2", "-fno-slp-vectorize", "-fno-vectorize", "-emit-llvm", "-c", "-o", output}
	for _, flag := range slices.Concat(p.flags, extra) {
		args = append(args, strings.NewReplacer("$DIR", dir, "$FILE", filepath.Dir(file), "$WORK", work).Replace(flag))
	}
	if log, err := exec.Command(clang, append(args, file)...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", errCompiler, firstError(string(log)))
	}
	return translateBitcode(output)
}

// firstError is the first line of a compiler's output with an error.
func firstError(log string) string {
	for line := range strings.Lines(log) {
		if strings.Contains(line, "error:") {
			return strings.TrimSpace(line)
		}
	}
	return strings.TrimSpace(log)
}

func translateBitcode(file string) ([]byte, error) {
	f, err := irfile.Open(file, nil)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	options := fromir.Options{Version: spirv.Version1_4}
	if err := options.AllowExtensions("+SPV_INTEL_arbitrary_precision_integers,+SPV_KHR_integer_dot_product,+SPV_INTEL_subgroups"); err != nil {
		return nil, err
	}
	return fromir.Translate(f.Module, options)
}
