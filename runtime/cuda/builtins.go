package cuda

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/ianlancetaylor/demangle"

	"offlink/ptx"
	"offlink/runtime/builtins"
)

//go:generate testdata/builtins.sh

// builtinsBody is the work-item functions of OpenCL C by their mangled names,
// made from testdata/builtins.c, without its header.
//
//go:embed builtins.ptx
var builtinsBody string

// The builtins also define the variables from which a kernel reads the offset and the
// dimensions of its launch. The work-item functions of offlink/device.h read them too.
const (
	offsetVariable    = "offlink_global_offset" // three numbers of 64 bits
	dimensionVariable = "offlink_work_dim"      // one of 32
)

// builtinNames are the functions of builtins.ptx.
var builtinNames = func() map[string]bool {
	m, err := ptx.Parse("builtins.ptx", []byte(builtinsHeader(6, 0, 50)+builtinsBody))
	if err != nil {
		panic(err) // our own text
	}
	names := map[string]bool{}
	for _, name := range m.Exports() {
		names[name] = true
	}
	return names
}()

func builtinsHeader(major, minor, target int) string {
	return fmt.Sprintf(".version %d.%d\n.target sm_%d\n.address_size 64\n", major, minor, target)
}

// moduleHeader returns the header of our own PTX modules: for the oldest device for which
// this device's driver still compiles.
func (d *Device) moduleHeader() string {
	if d.limits.major*10+d.limits.minor >= 75 {
		return builtinsHeader(6, 3, 75)
	}
	return builtinsHeader(6, 0, 50)
}

// builtinModule is the module of the work-item functions, with the NUL that
// the driver wants after PTX.
func (d *Device) builtinModule() []byte { return []byte(d.moduleHeader() + builtinsBody + "\x00") }

// undefined are the imports of the objects that none of them defines.
type undefined struct {
	objects []*object // that import them
	names   []string
}

func findUndefined(objects []*object) (u undefined) {
	defined := map[string]bool{}
	for _, o := range objects {
		_, exports := o.symbols()
		for _, name := range exports {
			defined[name] = true
		}
	}
	for _, o := range objects {
		imports, _ := o.symbols()
		for _, name := range imports {
			if !defined[name] {
				u.objects, u.names = append(u.objects, o), append(u.names, name)
			}
		}
	}
	return u
}

// needBuiltins reports whether one of them is a work-item function.
func (u *undefined) needBuiltins() bool {
	return slices.ContainsFunc(u.names, func(name string) bool { return builtinNames[name] })
}

// checkOpenCL refuses calls of the functions of OpenCL C that are not there: the driver's linker
// would name the function alone.
func (u *undefined) checkOpenCL() error {
	for i, name := range u.names {
		if !builtinNames[name] && builtins.Contains(name) {
			return fmt.Errorf("%s calls %s, a function of OpenCL C that NVIDIA's driver does not have: "+
				"compile the device code with libclc (-Xclang -mlink-builtin-bitcode -Xclang nvptx64--nvidiacl.bc; OFFLINK_LIBCLC of Make and CMake)",
				u.objects[i].name, demangle.Filter(name))
		}
	}
	return nil
}

// symbols are the names that an object shares with others.
func (o *object) symbols() (imports, exports []string) {
	switch {
	case o.ptx != nil:
		return o.ptx.Imports(), o.ptx.Exports()
	case o.cubin != nil:
		return o.cubin.Imports, o.cubin.Exports
	}
	return nil, nil
}
