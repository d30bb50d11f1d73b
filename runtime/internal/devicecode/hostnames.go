package devicecode

import "offlink/spirv"

// hostNamePrefix begins the linkage names that device globals without one get,
// so that the host finds them.
const hostNamePrefix = "offlink.host."

// ExportHostNames exports the device globals that have a name for the host and no linkage
// name, as drivers look them up by linkage name.
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
