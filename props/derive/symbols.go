package derive

import (
	"slices"
	"strings"

	"offlink/ir"
	"offlink/props"
	"offlink/split"
)

// present is the value of sets that are lists of names.
var present = props.Uint32(1)

// exportedSymbols lists the values that other images can import: functions, and
// in 2026 device globals of external linkage that several images may have.
func (i *image) exportedSymbols() error {
	for _, id := range i.Exports() {
		i.putProperty(props.SetExportedSymbols, i.valueOf(id).Name, present)
	}
	if i.options.Dialect < Dialect2026 {
		return nil
	}
	for _, id := range i.Definitions {
		if i.Graph.IsDeviceGlobal(id) && !i.Graph.HasImageScope(id) && i.valueOf(id).Linkage == ir.External {
			i.putProperty(props.SetExportedSymbols, i.valueOf(id).Name, present)
		}
	}
	return nil
}

// importedSymbols lists the values that the image takes from others.
func (i *image) importedSymbols() error {
	for _, id := range i.importedFunctions() {
		i.putProperty(props.SetImportedSymbols, i.valueOf(id).Name, present)
	}
	if !i.options.Requested[props.SetImportedSymbols] {
		return nil
	}
	if i.options.Dialect < Dialect2026 || i.Graph.Options().Dependencies == split.DependenciesNone {
		return nil
	}
	for _, id := range i.Declarations {
		if i.isDeviceGlobalDeclaration(id) {
			i.putProperty(props.SetImportedSymbols, i.valueOf(id).Name, present)
		}
	}
	return nil
}

// importedFunctions returns the functions from other images, in module order.
func (i *image) importedFunctions() []ir.ValueID {
	var imports []ir.ValueID
	if i.options.Requested[props.SetImportedSymbols] {
		imports = i.Imports()
	}
	if len(i.options.Libraries) == 0 {
		return imports
	}
	return slices.DeleteFunc(slices.Clone(i.Declarations), func(id ir.ValueID) bool {
		v := i.valueOf(id)
		return v.Kind != ir.Function || !i.options.Libraries[v.Name] && !slices.Contains(imports, id)
	})
}

// isDeviceGlobalDeclaration recognises an extern device_global by the name of
// its type, as declarations have no attributes.
func (i *image) isDeviceGlobalDeclaration(id ir.ValueID) bool {
	v := i.valueOf(id)
	if v.Kind != ir.Variable {
		return false
	}
	t := i.Module.Types[v.Type]
	return t.Kind == ir.TypeStruct && strings.Contains(t.Name, "device_global")
}

// kernelNames lists the kernels among the entry points.
func (i *image) kernelNames() error {
	for v := range i.eachKernel {
		i.putProperty(props.SetKernelNames, v.Name, present)
	}
	return nil
}

// registeredKernels maps the names that users gave to kernels to the kernels'
// symbols.
func (i *image) registeredKernels() error {
	for _, pair := range i.RegisteredKernels() {
		i.putProperty(props.SetRegisteredKernels, pair.Name, props.String(pair.Kernel))
	}
	return nil
}
