package imageformat

import (
	"errors"
	"fmt"

	"offlink/runtime/driver"
)

// The greatest sizes, in texels.
const (
	MaxWidth  = 16384 // and height
	MaxDepth  = 2048  // all sizes of an image of three dimensions
	MaxLayers = 2048
	MaxBuffer = 1 << 27
)

// Image is texels in memory. Sizes and coordinates are of the three dimensions of
// a box: the layers of an array are the last one.
type Image struct {
	*Format
	Desc driver.ImageDesc // with its pitches
	Data []byte

	size   [3]int
	stride [3]int64 // bytes
	dims   int      // those that filters blend
	layer  int      // the dimension of the layers, 0 without
}

// New lays an image out; the caller sets Data, of Bytes bytes.
func New(desc driver.ImageDesc) (*Image, error) {
	f, err := NewFormat(desc.Format)
	if err != nil {
		return nil, err
	}
	m := &Image{Format: f, Desc: desc}
	if err := m.setSize(); err != nil {
		return nil, err
	}
	return m, m.setPitches()
}

// setSize takes the sizes of the dimensions that the kind has.
func (m *Image) setSize() error {
	d := &m.Desc
	limits := [3]int{MaxWidth, 1, 1}
	switch d.Kind {
	case driver.Image1D:
		m.dims, m.size = 1, [3]int{d.Width, 1, 1}
	case driver.Image1DBuffer:
		m.dims, m.size, limits[0] = 1, [3]int{d.Width, 1, 1}, MaxBuffer
	case driver.Image1DArray:
		m.dims, m.layer, m.size, limits[1] = 1, 1, [3]int{d.Width, d.Layers, 1}, MaxLayers
	case driver.Image2D:
		m.dims, m.size, limits[1] = 2, [3]int{d.Width, d.Height, 1}, MaxWidth
	case driver.Image2DArray:
		m.dims, m.layer, m.size = 2, 2, [3]int{d.Width, d.Height, d.Layers}
		limits[1], limits[2] = MaxWidth, MaxLayers
	case driver.Image3D:
		m.dims, m.size, limits = 3, [3]int{d.Width, d.Height, d.Depth}, [3]int{MaxDepth, MaxDepth, MaxDepth}
	default:
		return fmt.Errorf("images of kind %d do not exist", d.Kind)
	}
	for i, n := range m.size {
		if n < 1 || n > limits[i] {
			return fmt.Errorf("an image of %d by %d by %d texels; the embedded device has at most %d by %d by %d of that kind",
				m.size[0], m.size[1], m.size[2], limits[0], limits[1], limits[2])
		}
	}
	if d.Format.Order == driver.OrderDepth && d.Kind != driver.Image2D && d.Kind != driver.Image2DArray {
		return errors.New("depth images have two dimensions")
	}
	return nil
}

// setPitches completes the pitches and checks those that are given.
func (m *Image) setPitches() error {
	d := &m.Desc
	row := int64(m.size[0] * m.Size)
	if d.RowPitch == 0 {
		d.RowPitch = row
	}
	if d.RowPitch < row || d.RowPitch%int64(m.Size) != 0 || d.RowPitch > maxPitch {
		return fmt.Errorf("a row pitch of %d bytes; a row has %d, and the pitch is a multiple of the %d of a texel", d.RowPitch, row, m.Size)
	}
	slice := d.RowPitch
	if m.dims > 1 {
		slice *= int64(m.size[1])
	}
	if d.SlicePitch == 0 {
		d.SlicePitch = slice
	}
	if (m.layer > 0 || m.dims == 3) && (d.SlicePitch < slice || d.SlicePitch%d.RowPitch != 0 || d.SlicePitch > maxPitch) {
		return fmt.Errorf("a slice pitch of %d bytes; a slice has %d, and the pitch is a multiple of the row's %d", d.SlicePitch, slice, d.RowPitch)
	}
	m.stride = [3]int64{int64(m.Size), d.RowPitch, d.SlicePitch}
	if m.dims == 1 { // the layers of an array are slices of one row
		m.stride[1] = d.SlicePitch
	}
	return nil
}

// maxPitch keeps products of pitches and sizes from overflowing.
const maxPitch = 1 << 36

// Bytes is how many bytes the image takes. The last row ends with its texels.
func (m *Image) Bytes() int64 {
	at := m.offset([3]int{m.size[0] - 1, m.size[1] - 1, m.size[2] - 1})
	return at + int64(m.Size)
}

func (m *Image) offset(at [3]int) int64 {
	return int64(at[0])*m.stride[0] + int64(at[1])*m.stride[1] + int64(at[2])*m.stride[2]
}

// Coordinates is how many coordinates a kernel gives: the dimensions, and the layer.
func (m *Image) Coordinates() int {
	if m.layer > 0 {
		return m.dims + 1
	}
	return m.dims
}

// Extent is the size of a dimension, 0 to 2; 1 beyond those of the kind.
func (m *Image) Extent(dimension int) int { return m.size[dimension] }

// HasLayers tells whether the image is an array.
func (m *Image) HasLayers() bool { return m.layer > 0 }

// Dimensions is 1, 2 or 3.
func (m *Image) Dimensions() int { return m.dims }

func (m *Image) contains(at [3]int) bool {
	for i, n := range m.size {
		if at[i] < 0 || at[i] >= n {
			return false
		}
	}
	return true
}

// Read returns the texel at coordinates, and whether the image has it; without, it
// is the border.
func (m *Image) Read(at [3]int) (t Texel, inside bool) {
	if !m.contains(at) {
		return m.Border(), false
	}
	return m.Decode(m.Data[m.offset(at):]), true
}

// Write sets the texel at coordinates, and tells whether the image has it.
func (m *Image) Write(at [3]int, t Texel) (inside bool) {
	if !m.contains(at) {
		return false
	}
	m.Encode(m.Data[m.offset(at):], t)
	return true
}

// CheckBox returns an error unless the box lies inside the image.
func (m *Image) CheckBox(box driver.ImageBox) error {
	for i, n := range m.size {
		if first, size := box.Origin[i], box.Size[i]; first < 0 || size < 1 || size > n || first > n-size {
			return fmt.Errorf("the box at %v of %v texels is not inside the image of %v", box.Origin, box.Size, m.size)
		}
	}
	return nil
}

// rows calls f with the offset of each row of a box, and its number in the box.
func (m *Image) rows(box driver.ImageBox, f func(offset int64, y, z int)) {
	for z := range box.Size[2] {
		for y := range box.Size[1] {
			f(m.offset([3]int{box.Origin[0], box.Origin[1] + y, box.Origin[2] + z}), y, z)
		}
	}
}

// Host is the layout of a box in other memory: bytes from row to row and from slice
// to slice.
type Host struct{ row, slice, length int64 }

// HostLayout checks the pitches of a box in memory of size bytes; 0 is the least
// pitch.
func (m *Image) HostLayout(box driver.ImageBox, rowPitch, slicePitch, size int64) (h Host, err error) {
	if err := m.CheckBox(box); err != nil {
		return h, err
	}
	h.length = int64(box.Size[0] * m.Size)
	if rowPitch == 0 {
		rowPitch = h.length
	}
	if m.dims == 1 && m.layer > 0 { // layers are the rows
		if slicePitch != 0 {
			rowPitch = slicePitch
		}
		slicePitch = 0
	}
	if slicePitch == 0 {
		slicePitch = rowPitch * int64(box.Size[1])
	}
	h.row, h.slice = rowPitch, slicePitch
	if h.row < h.length || h.row > maxPitch || h.slice < h.row*int64(box.Size[1]-1)+h.length || h.slice > maxPitch {
		return h, fmt.Errorf("pitches of %d and %d bytes are too small for rows of %d bytes, or too large", h.row, h.slice, h.length)
	}
	if end := h.slice*int64(box.Size[2]-1) + h.row*int64(box.Size[1]-1) + h.length; end > size {
		return h, fmt.Errorf("the texels take %d bytes, and the memory has %d", end, size)
	}
	return h, nil
}

// Load copies a box out of other memory, whose layout HostLayout has checked.
func (m *Image) Load(box driver.ImageBox, h Host, from []byte) {
	m.rows(box, func(offset int64, y, z int) {
		at := int64(y)*h.row + int64(z)*h.slice
		copy(m.Data[offset:offset+h.length], from[at:at+h.length])
	})
}

// Store copies a box to other memory, whose layout HostLayout has checked.
func (m *Image) Store(box driver.ImageBox, h Host, to []byte) {
	m.rows(box, func(offset int64, y, z int) {
		at := int64(y)*h.row + int64(z)*h.slice
		copy(to[at:at+h.length], m.Data[offset:offset+h.length])
	})
}

// Copy copies a box of another image of the same format.
func (m *Image) Copy(origin [3]int, from *Image, box driver.ImageBox) {
	length := int64(box.Size[0] * m.Size)
	from.rows(box, func(offset int64, y, z int) {
		at := m.offset([3]int{origin[0], origin[1] + y, origin[2] + z})
		copy(m.Data[at:at+length], from.Data[offset:offset+length])
	})
}

// Fill sets the texels of a box.
func (m *Image) Fill(box driver.ImageBox, color Texel) {
	texel := make([]byte, m.Size)
	m.Encode(texel, color)
	m.rows(box, func(offset int64, _, _ int) {
		for x := range int64(box.Size[0]) {
			copy(m.Data[offset+x*int64(m.Size):], texel)
		}
	})
}
