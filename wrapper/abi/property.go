package abi

import "offlink/props"

// ValueAt returns the address of a property's value, of the image with the
// record at address: the bytes after the length of a BYTE_ARRAY. An edit of a
// finished file needs it, and a decoded image does not have it.
func (d *Decoder) ValueAt(address uint64, layout *Layout, set, name string) (at, size uint64, ok bool, err error) {
	f, err := d.readFields(address, layout.Image.Len)
	if err != nil {
		return 0, 0, false, err
	}
	sets := f.pairAt(layout.Image.PropertySetsBegin, layout.Image.PropertySetsEnd)
	if sets.isNull() {
		return 0, 0, false, nil
	}
	err = d.readArray(sets, layout.Set.Len, func(int) {}, func(_ int, f fields) error {
		if found, err := d.readString(f.wordAt(layout.Set.Name)); err != nil || found != set {
			return err
		}
		return d.readArray(f.pairAt(layout.Set.Begin, layout.Set.End), layout.Property.Len, func(int) {}, func(_ int, f fields) error {
			found, err := d.readString(f.wordAt(layout.Property.Name))
			if err == nil && found == name && props.Type(f.u32(layout.Property.Type)) == props.TypeByteArray {
				at, size, ok = f.wordAt(layout.Property.Value)+8, f.u64(layout.Property.Size)-8, true
			}
			return err
		})
	})
	return at, size, ok, err
}
