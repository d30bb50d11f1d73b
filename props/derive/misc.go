package derive

import (
	"fmt"
	"strconv"

	"offlink/ir/sycl"
	"offlink/props"
	"offlink/split"
)

// deriveMisc writes the options that the runtime passes to the device compiler. The
// numbers come from the first entry point that has the attribute: splitting
// puts only entry points that agree into an image.
func (i *image) deriveMisc() error {
	if i.Group.Part == split.PartESIMD {
		i.putProperty(props.SetMiscProperties, "isEsimdImage", present)
	}
	for _, p := range []struct{ attribute, key string }{
		{sycl.AttributeRegisterAllocMode, "sycl-register-alloc-mode"},
		{sycl.AttributeGRFSize, "sycl-grf-size"},
		{sycl.AttributeOptLevel, "optLevel"},
	} {
		// Level Zero's compilers fail on a level in modules with invoke_simd.
		if p.attribute == sycl.AttributeOptLevel && i.usesInvokeSIMD() {
			continue
		}
		if err := i.miscNumber(p.attribute, p.key); err != nil {
			return err
		}
	}
	if i.options.IDQueriesRange != 0 {
		i.putProperty(props.SetMiscProperties, "idQueriesRange", props.Uint32(i.options.IDQueriesRange))
	}
	return nil
}

// miscNumber writes the number in an attribute, which the front end writes as text.
func (i *image) miscNumber(attribute, key string) error {
	for _, id := range i.Group.Entries {
		text, ok := i.Module.Attribute(id, attribute)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return fmt.Errorf("@%s: the attribute %q is %q, want a number", i.valueOf(id).Name, attribute, text)
		}
		i.putProperty(props.SetMiscProperties, key, props.Uint32(uint32(n)))
		return nil
	}
	return nil
}

// usesInvokeSIMD searches the declarations, as __builtin_invoke_simd is never defined: the device
// compiler knows it by its name.
func (i *image) usesInvokeSIMD() bool {
	for _, id := range i.Declarations {
		if sycl.IsInvokeSIMD(i.valueOf(id).Name) {
			return true
		}
	}
	return false
}

// sanitizers are known by the variable that their passes add.
var sanitizers = []struct{ variable, name string }{
	{"__AsanKernelMetadata", "asan"},
	{"__AsanDeviceGlobalMetadata", "asan"},
	{"__MsanKernelMetadata", "msan"},
	{"__TsanKernelMetadata", "tsan"},
}

// deriveSanitizer names the sanitizer that the image was instrumented for.
func (i *image) deriveSanitizer() error {
	for _, s := range sanitizers {
		if id, ok := i.Module.Lookup(s.variable); ok && i.Has(id) {
			i.putProperty(props.SetMiscProperties, "sanUsed", props.String(s.name))
			return nil
		}
	}
	return nil
}

// defaultValues marks an image as the copy in which default values replace the specialization
// constants.
func (i *image) defaultValues() error {
	if i.Defaults {
		i.putProperty(props.SetMiscProperties, "specConstsReplacedWithDefault", present)
	}
	return nil
}
