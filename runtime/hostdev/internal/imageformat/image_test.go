package imageformat

import (
	"math"
	"testing"

	"offlink/runtime/driver"
)

// TestFormats writes colors in each format and reads them back: the result is
// nearest to the color that the format has.
func TestFormats(t *testing.T) {
	for _, format := range Formats(driver.Image2D) {
		f, err := NewFormat(format)
		if err != nil {
			t.Fatal(err)
		}
		if f.Class != ClassFloat {
			continue
		}
		for i := range 101 {
			color := float32(i)/50 - 1
			bits := math.Float32bits(color)
			data := make([]byte, f.Size)
			f.Encode(data, Texel{bits, bits, bits, bits})
			got := f.Decode(data)
			for _, c := range f.stored {
				if c.component == unused {
					continue
				}
				want, step := f.expected(color, c)
				if r := math.Float32frombits(got[c.component]); math.Abs(float64(r)-want) > step/2+1e-7 {
					t.Errorf("%#x %#x: %v becomes %v", format.Order, format.Type, color, r)
				}
			}
		}
	}
}

// expected is the color within the range of a channel, and the distance of two of its
// numbers.
func (f *Format) expected(color float32, c channel) (want, step float64) {
	want = float64(color)
	switch f.Type {
	case driver.Float:
		return want, 0
	case driver.HalfFloat:
		return want, math.Abs(want) / 1024
	case driver.SnormInt8, driver.SnormInt16:
		return want, 1 / (math.Ldexp(1, c.bits-1) - 1)
	}
	want, step = max(0, want), 1/(math.Ldexp(1, c.bits)-1)
	if f.srgb {
		step *= 2.3 // the steepest part of the curve
	}
	return want, step
}

func TestBoxes(t *testing.T) {
	m, err := New(driver.ImageDesc{Kind: driver.Image3D, Format: driver.ImageFormat{Order: driver.OrderR, Type: driver.UnsignedInt8}, Width: 4, Height: 3, Depth: 2, RowPitch: 5, SlicePitch: 20})
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(20 + 2*5 + 4); m.Bytes() != want {
		t.Errorf("%d bytes; want %d", m.Bytes(), want)
	}
	m.Data = make([]byte, m.Bytes())
	box := driver.ImageBox{Origin: [3]int{1, 1, 0}, Size: [3]int{2, 2, 2}}
	m.Fill(box, Texel{7})
	for z := range 2 {
		for y := range 3 {
			for x := range 4 {
				got, ok := m.Read([3]int{x, y, z})
				want := uint32(0)
				if x >= 1 && x < 3 && y >= 1 {
					want = 7
				}
				if !ok || got[0] != want {
					t.Errorf("texel %d,%d,%d is %d; want %d", x, y, z, got[0], want)
				}
			}
		}
	}
}

// TestBadImages: descriptions and boxes of hostile callers are errors, and never
// panic.
func TestBadImages(t *testing.T) {
	format := driver.ImageFormat{Order: driver.OrderR, Type: driver.UnsignedInt8}
	for _, d := range []driver.ImageDesc{
		{Kind: driver.Image2D, Format: format, Width: -1, Height: 1},
		{Kind: driver.Image2D, Format: format, Width: 1 << 40, Height: 1},
		{Kind: driver.Image2D, Format: format, Width: 4, Height: 4, RowPitch: 3},
		{Kind: driver.Image2D, Format: format, Width: 4, Height: 4, RowPitch: math.MaxInt64},
		{Kind: driver.Image3D, Format: format, Width: 4, Height: 4, Depth: 4, SlicePitch: 8},
		{Kind: 9, Format: format, Width: 1},
		{Kind: driver.Image1D, Format: driver.ImageFormat{Order: driver.OrderRGB, Type: driver.UnormInt8}, Width: 1},
		{Kind: driver.Image3D, Format: driver.ImageFormat{Order: driver.OrderDepth, Type: driver.Float}, Width: 1, Height: 1, Depth: 1},
	} {
		if _, err := New(d); err == nil {
			t.Errorf("%+v is taken", d)
		}
	}
	m, err := New(driver.ImageDesc{Kind: driver.Image2DArray, Format: format, Width: 4, Height: 3, Layers: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		box        driver.ImageBox
		row, slice int64
	}{
		{driver.ImageBox{Origin: [3]int{4, 0, 0}, Size: [3]int{1, 1, 1}}, 0, 0},
		{driver.ImageBox{Origin: [3]int{math.MaxInt, 0, 0}, Size: [3]int{1, 1, 1}}, 0, 0},
		{driver.ImageBox{Size: [3]int{0, 1, 1}}, 0, 0},
		{driver.ImageBox{Size: [3]int{4, 3, 2}}, 3, 0},
		{driver.ImageBox{Size: [3]int{4, 3, 2}}, 0, math.MaxInt64},
		{driver.ImageBox{Size: [3]int{4, 3, 2}}, 10, 0},
		{driver.ImageBox{Size: [3]int{4, 3, 2}}, -4, -12},
	} {
		if _, err := m.HostLayout(test.box, test.row, test.slice, 24); err == nil {
			t.Errorf("%+v is taken", test)
		}
	}
}

// TestSampleAt: coordinates that the image lacks do not count, as SPIR-V lets vectors
// have more than the image takes.
func TestSampleAt(t *testing.T) {
	m, err := New(driver.ImageDesc{Kind: driver.Image2D, Width: 2, Height: 2, Format: driver.ImageFormat{Order: driver.OrderR, Type: driver.UnsignedInt8}})
	if err != nil {
		t.Fatal(err)
	}
	m.Data = []byte{1, 2, 3, 4}
	for _, test := range []struct {
		mode driver.AddressingMode
		at   [3]int
		want uint32
	}{
		{driver.AddressNone, [3]int{1, 1, 0}, 4},
		{driver.AddressNone, [3]int{0, 1, 7}, 3},
		{driver.AddressClamp, [3]int{1, 0, -1}, 2},
		{driver.AddressClamp, [3]int{2, 0, 0}, 0},
		{driver.AddressClampToEdge, [3]int{2, 9, 9}, 4},
	} {
		if got := m.SampleAt(test.mode, test.at)[0]; got != test.want {
			t.Errorf("mode %#x at %v: %d, not %d", test.mode, test.at, got, test.want)
		}
	}
}
