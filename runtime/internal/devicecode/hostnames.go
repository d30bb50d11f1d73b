package devicecode

import "offlink/spirv"

// hostNamePrefix begins the linkage names that device globals without one get,
// so that the host finds them.
const hostNamePrefix = "offlink.host."

// ExportHostNames exports the device globals that only have a name for the
// host: drivers look them up by linkage name.
func ExportHostNames(m *spirv.Module) (*spirv.Module, error) {
	names := map[spirv.ID]string{}
	for _, in := range m.Globals() {
		if in.Op != spirv.OpVariable {
			continue
		}
		name, ok := m.HostAccessName(in.Result())
		if _, linked := m.LinkageName(in.Result()); ok && !linked {
			names[in.Result()] = hostNamePrefix + name
		}
	}
	return m.WithExports(names)
}

// Prefixes of the kernels that Accessors names.
const (
	ReaderPrefix = "offlink.read."
	WriterPrefix = "offlink.write."
)

// Accessors lists the exported variables that kernels may change, with the
// names of kernels that reach them: for drivers without a call that does
// (spirv.Module.WithAccessors).
func Accessors(m *spirv.Module) (list []spirv.Accessor) {
	for _, in := range m.Globals() {
		if in.Op != spirv.OpVariable || spirv.StorageClass(in.Words[2]) != spirv.StorageCrossWorkgroup {
			continue
		}
		name, linked := m.LinkageName(in.Result())
		if _, builtin := m.IsBuiltIn(in.Result()); linked && !builtin {
			list = append(list, spirv.Accessor{Variable: in.Result(), Read: ReaderPrefix + name, Write: WriterPrefix + name})
		}
	}
	return list
}
