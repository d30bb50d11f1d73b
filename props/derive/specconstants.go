package derive

import "offlink/props"

// specConstants lists for each specialization constant its pieces, as triples
// of ID, offset and size.
func (i *image) specConstants() error {
	for n := range i.SpecConstants {
		c := &i.SpecConstants[n]
		var numbers []uint32
		for _, p := range c.Parts {
			numbers = append(numbers, p.ID, p.Offset, p.Size)
		}
		i.putProperty(props.SetSpecConstants, c.Name, props.Uint32s(numbers...))
	}
	return nil
}

// specConstantDefaults concatenates the default values: the runtime fills the
// buffer of an image with them before the program sets any.
func (i *image) specConstantDefaults() error {
	var defaults []byte
	for n := range i.SpecConstants {
		defaults = append(defaults, i.SpecConstants[n].Default...)
	}
	if len(i.SpecConstants) > 0 {
		i.putProperty(props.SetSpecConstantsDefaults, "all", props.Bytes(defaults))
	}
	return nil
}
