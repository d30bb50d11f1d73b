package split

import (
	"slices"
	"strings"

	"offlink/ir"
	"offlink/ir/sycl"
	"offlink/lazyregexp"
)

// Undefined functions with reserved names. Splitters leave such functions to the
// compiler and never list them as imported; but some come from libraries that a
// compiler's driver links in before the split, and without that step nothing
// defines them: compilers call __mulsc3 for a product of complex numbers, for
// example. A device may then refuse the image, or bind the name to something
// else.

// MissingFunction is a function that an image of SPIR-V needs and that neither
// another image nor a device defines.
type MissingFunction struct {
	Function string
	// User is the first entry point of the image that refers to it, directly
	// or not, or an empty string.
	User string
	// Library is the device library of DPC++ that has it, or an empty string.
	Library string
}

// devicePrefixes begin the reserved names of functions that devices, their
// compilers or runtimes define.
var devicePrefixes = []string{
	"__spirv_", "__sycl_", "__esimd_", "__devicelib_", "__builtin_", "__regcall",
	"__opencl_", "__ocl_", "__translate_sampler_initializer", "__enqueue_", "__get_kernel_", "__to_", "__read_pipe",
	"__write_pipe", "__reserve_", "__commit_", "__work_group_", "__sub_group_", "__clc_",
	"__asan_", "__msan_", "__tsan_", "__itt_",
}

// libraryFunctions are the functions with reserved names that the device
// libraries of DPC++ define.
var libraryFunctions = map[string]string{
	"__mulsc3": "libsycl-complex.bc", "__divsc3": "libsycl-complex.bc",
	"__muldc3": "libsycl-complex-fp64.bc", "__divdc3": "libsycl-complex-fp64.bc",
	"__assert_fail": "libsycl-crt.bc", "__assert": "libsycl-crt.bc",
}

// libraryOf returns the device library that has the function, or an empty
// string.
func libraryOf(name string) string {
	imf, ok := strings.CutPrefix(name, "__imf_")
	switch {
	case !ok:
		return libraryFunctions[name]
	case strings.Contains(imf, "bf16") || strings.Contains(imf, "bfloat16"):
		return "libsycl-imf-bf16.bc"
	}
	return "libsycl-imf.bc or libsycl-imf-fp64.bc"
}

// runtimeFunction matches functions to which compilers emit calls: arithmetic of
// the compiler's runtime library (__udivti3, __fixunssfdi), exceptions, atomics.
var runtimeFunction = lazyregexp.New(`^__([a-z]+([hsdxt][fci]|bf|ti)[a-z]*[0-9]?|(cxa|atomic|sync)_\w+)$`)

// isLibraryName reports whether libraries, and not user code, define functions
// of that name.
func isLibraryName(name string) bool {
	return libraryOf(name) != "" || runtimeFunction().MatchString(name)
}

// isMissing reports whether neither a device nor its compiler defines a function
// of that name.
func isMissing(name string) bool {
	return strings.HasPrefix(name, "__") &&
		!slices.ContainsFunc(devicePrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// Missing returns the undefined functions with reserved names that no device defines, in module
// order. A module that is to be linked with others, and code that is not for SPIR-V, has none. If
// images may depend on others, only names of library functions count: another image may define the
// rest.
func (s *Partition) Missing() []MissingFunction {
	if s.Graph.options.Single || !sycl.IsSPIR(s.Module.Triple) {
		return nil
	}
	var missing []MissingFunction
	var users map[ir.ValueID][]ir.ValueID
	for _, id := range s.Declarations {
		v := &s.Module.Values[id]
		if v.Kind != ir.Function || !v.Declaration || !isMissing(v.Name) {
			continue
		}
		if s.Graph.options.Dependencies != DependenciesNone && !isLibraryName(v.Name) {
			continue
		}
		if users == nil {
			users = s.usersByValue()
		}
		missing = append(missing, MissingFunction{v.Name, s.entryReaching(id, users), libraryOf(v.Name)})
	}
	return missing
}

// usersByValue returns the values of the image that refer to each value, in
// module order.
func (s *Partition) usersByValue() map[ir.ValueID][]ir.ValueID {
	users := make(map[ir.ValueID][]ir.ValueID)
	for _, id := range s.Definitions {
		for _, ref := range s.Graph.referencesOf(id) {
			if k := ref.Kind(); k == ir.RefCallee || k == ir.RefAddress {
				to := ir.ValueID(ref.Index())
				users[to] = append(users[to], id)
			}
		}
	}
	return users
}

// entryReaching returns the first entry point of the image that refers to the
// value, directly or not.
func (s *Partition) entryReaching(id ir.ValueID, users map[ir.ValueID][]ir.ValueID) string {
	seen := map[ir.ValueID]bool{id: true}
	for queue := []ir.ValueID{id}; len(queue) > 0; queue = queue[1:] {
		for _, user := range users[queue[0]] {
			if !seen[user] {
				seen[user] = true
				queue = append(queue, user)
			}
		}
	}
	for _, entry := range s.Group.Entries {
		if seen[entry] {
			return s.Module.Values[entry].Name
		}
	}
	return ""
}
