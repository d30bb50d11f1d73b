package derive

import (
	"offlink/props"
)

// specConstants describes the specialization constants: for each its pieces,
// triples of ID, offset and size, and the default values of all, one behind
// the other.
func (i *image) specConstants() error {
	var defaults []byte
	for n := range i.SpecConstants {
		c := &i.SpecConstants[n]
		var numbers []uint32
		for _, p := range c.Parts {
			numbers = append(numbers, p.ID, p.Offset, p.Size)
		}
		i.put(props.SetSpecConstants, c.Name, props.Uint32s(numbers...))
		defaults = append(defaults, c.Default...)
	}
	if len(i.SpecConstants) > 0 {
		i.put(props.SetSpecConstantsDefaults, "all", props.Bytes(defaults))
	}
	return nil
}
