package split

import (
	"offlink/ir"
	"offlink/ir/sycl"
)

// attributeKey numbers the attributes that the graph asks about for every
// function, so that a group of attributes is looked through once.
type attributeKey uint8

const (
	keyModuleID attributeKey = iota
	keyIndirectlyCallable
	keyReferencedIndirectly
	keyEntryPoint
	keyRegisterAllocMode
	keyGRFSize
	keyOptLevel
	keyDeviceGlobalSize
	keyDeviceImageScope
	keyCount
)

func keyOf(name string) (attributeKey, bool) {
	switch name {
	case sycl.AttributeModuleID:
		return keyModuleID, true
	case sycl.AttributeIndirectlyCallable:
		return keyIndirectlyCallable, true
	case sycl.AttributeReferencedIndirectly:
		return keyReferencedIndirectly, true
	case sycl.AttributeEntryPoint:
		return keyEntryPoint, true
	case sycl.AttributeRegisterAllocMode:
		return keyRegisterAllocMode, true
	case sycl.AttributeGRFSize:
		return keyGRFSize, true
	case sycl.AttributeOptLevel:
		return keyOptLevel, true
	case sycl.AttributeDeviceGlobalSize:
		return keyDeviceGlobalSize, true
	case sycl.AttributeDeviceImageScope, sycl.AttributeOldImageScope:
		return keyDeviceImageScope, true
	}
	return 0, false
}

// attributeSet holds the values of the attributes with a key.
type attributeSet struct {
	present [keyCount]bool
	value   [keyCount]string
}

// addKnown takes in the attributes of the list that have a key. If a key occurs twice, the first
// attribute counts.
func (s *attributeSet) addKnown(list []ir.Attribute) {
	for _, a := range list {
		if k, ok := keyOf(a.Key); ok && !s.present[k] {
			s.present[k], s.value[k] = true, a.Value
		}
	}
}

// attributeTable holds the sets of a module's groups.
type attributeTable []attributeSet

func newAttributeTable(groups []ir.AttributeGroup) attributeTable {
	t := make(attributeTable, len(groups))
	for i := range groups {
		t[i].addKnown(groups[i].Strings)
	}
	return t
}

// lookupAttribute returns the value of one attribute of v, and whether v has it. As in
// [ir.Module.Attribute], the value's own attributes win.
func (t attributeTable) lookupAttribute(v *ir.GlobalValue, k attributeKey) (string, bool) {
	if len(v.Details().Attributes) > 0 {
		var own attributeSet
		own.addKnown(v.Details().Attributes)
		if own.present[k] {
			return own.value[k], true
		}
	}
	for _, g := range v.Details().Groups {
		if t[g].present[k] {
			return t[g].value[k], true
		}
	}
	return "", false
}

func (t attributeTable) hasAttribute(v *ir.GlobalValue, k attributeKey) bool {
	_, ok := t.lookupAttribute(v, k)
	return ok
}
