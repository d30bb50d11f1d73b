package hostdev

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"offlink/runtime/driver"
)

func TestImages(t *testing.T) {
	eachLevel(t, "images.cl", func(t *testing.T, p *testProgram) {
		t.Run("texels", func(t *testing.T) { testTexels(t, p) })
		t.Run("kinds", func(t *testing.T) { testImageKinds(t, p) })
		t.Run("sampling", func(t *testing.T) { testSampling(t, p) })
		t.Run("queries", func(t *testing.T) { testImageQueries(t, p) })
		t.Run("depth", func(t *testing.T) { testDepthImages(t, p) })
		t.Run("passes", func(t *testing.T) { testPassedImages(t, p) })
		t.Run("outside", func(t *testing.T) { testOutsideImages(t, p) })
		t.Run("sharing", func(t *testing.T) { testSharedImages(t, p) })
		t.Run("boxes", func(t *testing.T) { testImageBoxes(t, p) })
		t.Run("closed", func(t *testing.T) { testClosedImages(t, p) })
	})
}

// testSharedImages: an image in a part of a buffer, and one in the memory of that image.
func testSharedImages(t *testing.T, p *testProgram) {
	d := p.device.(driver.ImageDevice)
	arg := p.buffer([]uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
	desc := plane(1, 2, driver.OrderRGBA, driver.UnsignedInt8)
	desc.Buffer, desc.Offset = arg.Memory, 4
	first := p.image(desc, nil)
	if got := p.texels(first); !bytes.Equal(got, []byte{4, 5, 6, 7, 8, 9, 10, 11}) {
		t.Errorf("from offset 4 on there are %v", got)
	}
	view := plane(1, 2, driver.OrderBGRA, driver.UnsignedInt8)
	view.Buffer, view.Offset = first.Memory, 4
	second := p.image(view, []byte{20, 21, 22, 23, 24, 25, 26, 27})
	if got := p.texels(first); !bytes.Equal(got, []byte{20, 21, 22, 23, 24, 25, 26, 27}) {
		t.Errorf("the image that shares the memory has left %v", got)
	}
	if m, ok := TexelsOf(second.Memory.(driver.ImageMemory)); !ok || m.Size != 4 || m.Data[0] != 20 {
		t.Errorf("TexelsOf: %v, %v", m, ok)
	}
	wide := plane(1, 1, driver.OrderRGBA, driver.UnsignedInt16)
	wide.Buffer = first.Memory
	if _, err := d.NewImage(wide); err == nil || !strings.Contains(err.Error(), "texels of 8 bytes") {
		t.Errorf("texels of another size: %v", err)
	}
	for _, offset := range []int64{-1, 5, 1 << 40} {
		desc.Offset = offset
		if _, err := d.NewImage(desc); err == nil {
			t.Errorf("an image of 8 bytes at offset %d of 12", offset)
		}
	}
}

// testImageBoxes: which boxes lie inside an image of 4 by 3 texels.
func testImageBoxes(t *testing.T, p *testProgram) {
	m := p.image(plane(4, 3, driver.OrderRGBA, driver.Float), nil).Memory.(driver.ImageMemory)
	for _, c := range []struct {
		box    driver.ImageBox
		inside bool
	}{
		{driver.ImageBox{Size: [3]int{4, 3, 1}}, true},
		{driver.ImageBox{Origin: [3]int{3, 2, 0}, Size: [3]int{1, 1, 1}}, true},
		{driver.ImageBox{Origin: [3]int{3, 2, 0}, Size: [3]int{2, 1, 1}}, false},
		{driver.ImageBox{Origin: [3]int{0, -1, 0}, Size: [3]int{1, 1, 1}}, false},
		{driver.ImageBox{Origin: [3]int{0, 0, 1}, Size: [3]int{4, 3, 1}}, false},
		{driver.ImageBox{Size: [3]int{4, 3, 2}}, false},
	} {
		if err := CheckImageBox(m, c.box); (err == nil) != c.inside {
			t.Errorf("%v: error = %v; is inside: %v", c.box, err, c.inside)
		}
	}
}

// testClosedImages: an image that was closed, or whose buffer was, is no longer an argument.
func testClosedImages(t *testing.T, p *testProgram) {
	at, out := p.buffer(make([]int32, 4)), p.buffer(make([]float32, 4))
	own := plane(1, 1, driver.OrderRGBA, driver.Float)
	sharing := own
	sharing.Buffer = p.buffer(make([]float32, 4)).Memory
	left := own
	left.Buffer = p.buffer(make([]float32, 4)).Memory
	for _, test := range []struct {
		name  string
		image driver.Arg
		close driver.Memory
	}{
		{name: "its own memory", image: p.image(own, nil)},
		{name: "a buffer, image closed", image: p.image(sharing, nil)},
		{name: "a buffer, which is closed", image: p.image(left, nil), close: left.Buffer},
	} {
		m := test.image.Memory.(driver.ImageMemory)
		if test.close == nil {
			test.close = m
		}
		if err := test.close.Close(); err != nil {
			t.Errorf("%s: Close: %v", test.name, err)
		}
		if err := p.tryLaunch("read_2d_f", items(1), test.image, at, out); err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("%s: a launch ends with %v", test.name, err)
		}
		data := driver.HostImage{Data: make([]byte, m.Size())}
		if err := p.queue.(driver.ImageQueue).ReadImage(m, wholeImage(m), data, driver.Sync{Block: true}); err == nil {
			t.Errorf("%s: it can be read after Close", test.name)
		}
	}
	if _, err := p.device.(driver.ImageDevice).NewImage(left); err == nil {
		t.Error("an image shares memory that was closed")
	}
}

// image makes an image with these bytes.
func (p *testProgram) image(desc driver.ImageDesc, data []byte) driver.Arg {
	p.Helper()
	m, err := p.device.(driver.ImageDevice).NewImage(desc)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { m.Close() })
	if data != nil {
		if err := p.queue.(driver.ImageQueue).WriteImage(m, wholeImage(m), driver.HostImage{Data: data}, driver.Sync{Block: true}); err != nil {
			p.Fatal(err)
		}
	}
	return driver.Arg{Memory: m}
}

func wholeImage(m driver.ImageMemory) driver.ImageBox {
	d := m.Desc()
	size := [3]int{d.Width, 1, 1}
	switch d.Kind {
	case driver.Image1DArray:
		size[1] = d.Layers
	case driver.Image2D:
		size[1] = d.Height
	case driver.Image2DArray:
		size[1], size[2] = d.Height, d.Layers
	case driver.Image3D:
		size[1], size[2] = d.Height, d.Depth
	}
	return driver.ImageBox{Size: size}
}

// texels are the bytes of an image without gaps.
func (p *testProgram) texels(arg driver.Arg) []byte {
	p.Helper()
	m := arg.Memory.(driver.ImageMemory)
	data := make([]byte, m.Size())
	if err := p.queue.(driver.ImageQueue).ReadImage(m, wholeImage(m), driver.HostImage{Data: data}, driver.Sync{Block: true}); err != nil {
		p.Fatal(err)
	}
	return data
}

func samplerArg(mode driver.AddressingMode, normalized, linear bool) driver.Arg {
	return driver.Arg{Sampler: &driver.Sampler{Addressing: mode, Normalized: normalized, Linear: linear}}
}

func plane(width, height int, order driver.ChannelOrder, typ driver.ChannelType) driver.ImageDesc {
	return driver.ImageDesc{Kind: driver.Image2D, Format: driver.ImageFormat{Order: order, Type: typ}, Width: width, Height: height}
}

// texelTests are colors and the bytes of their texels, by hand from the tables of the
// specification.
var texelTests = []struct {
	order  driver.ChannelOrder
	typ    driver.ChannelType
	color  [4]float32
	want   []byte
	result [4]float32
}{
	{driver.OrderRGBA, driver.UnormInt8, [4]float32{0, 1, 0.5, 2}, []byte{0, 255, 128, 255}, [4]float32{0, 1, 128.0 / 255, 1}},
	{driver.OrderBGRA, driver.UnormInt8, [4]float32{1, 0, 0.2, -1}, []byte{51, 0, 255, 0}, [4]float32{1, 0, 0.2, 0}},
	{driver.OrderARGB, driver.UnormInt8, [4]float32{1, 0, 0, 0.4}, []byte{102, 255, 0, 0}, [4]float32{1, 0, 0, 0.4}},
	{driver.OrderABGR, driver.SnormInt8, [4]float32{1, -1, 0, -2}, []byte{0x80, 0, 0x81, 0x7f}, [4]float32{1, -1, 0, -1}},
	{driver.OrderR, driver.UnormInt16, [4]float32{1, 9, 9, 9}, []byte{255, 255}, [4]float32{1, 0, 0, 1}},
	{driver.OrderA, driver.UnormInt8, [4]float32{9, 9, 9, 0.2}, []byte{51}, [4]float32{0, 0, 0, 0.2}},
	{driver.OrderRA, driver.HalfFloat, [4]float32{1.5, 9, 9, -2}, []byte{0, 0x3e, 0, 0xc0}, [4]float32{1.5, 0, 0, -2}},
	{driver.OrderRG, driver.Float, [4]float32{1, 2, 9, 9}, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}, [4]float32{1, 2, 0, 1}},
	{driver.OrderRx, driver.UnormInt8, [4]float32{1, 9, 9, 9}, []byte{255, 0}, [4]float32{1, 0, 0, 1}},
	{driver.OrderIntensity, driver.UnormInt8, [4]float32{0.2, 9, 9, 9}, []byte{51}, [4]float32{0.2, 0.2, 0.2, 0.2}},
	{driver.OrderLuminance, driver.SnormInt16, [4]float32{-1, 9, 9, 9}, []byte{0x01, 0x80}, [4]float32{-1, -1, -1, 1}},
	{driver.OrderRGB, driver.UnormShort565, [4]float32{1, 0, 1, 9}, []byte{0x1f, 0xf8}, [4]float32{1, 0, 1, 1}},
	{driver.OrderRGBx, driver.UnormShort555, [4]float32{1, 1, 0, 9}, []byte{0xe0, 0x7f}, [4]float32{1, 1, 0, 1}},
	{driver.OrderRGB, driver.UnormInt101010, [4]float32{1, 0, 0, 9}, []byte{0, 0, 0xf0, 0x3f}, [4]float32{1, 0, 0, 1}},
	{driver.OrderRGBA, driver.UnormInt101010Two, [4]float32{1, 0, 0, 1}, []byte{3, 0, 0xc0, 0xff}, [4]float32{1, 0, 0, 1}},
	{driver.OrderSRGBA, driver.UnormInt8, [4]float32{1, 0, 0.21586053, 0.2}, []byte{255, 0, 128, 51}, [4]float32{1, 0, 0.21586053, 0.2}},
}

func testTexels(t *testing.T, p *testProgram) {
	for _, test := range texelTests {
		im := p.image(plane(1, 1, test.order, test.typ), nil)
		at, out := p.buffer(make([]int32, 4)), p.buffer(make([]float32, 4))
		p.launch("write_2d_f", items(1), im, at, p.buffer(test.color[:]))
		if got := p.texels(im); !bytes.Equal(got, test.want) {
			t.Errorf("%#x %#x: color %v is stored as % x; want % x", test.order, test.typ, test.color, got, test.want)
		}
		p.launch("read_2d_f", items(1), im, at, out)
		if got := readBuffer[float32](p, out); !nearColors(got, test.result[:], 1e-7) {
			t.Errorf("%#x %#x: read %v; want %v", test.order, test.typ, got, test.result)
		}
	}
	testIntegerTexels(t, p)
}

func nearColors(got, want []float32, tolerance float64) bool {
	return slices.EqualFunc(got, want, func(a, b float32) bool { return math.Abs(float64(a)-float64(b)) <= tolerance })
}

// testIntegerTexels: integers out of range become the nearest of the type.
func testIntegerTexels(t *testing.T, p *testProgram) {
	color := []int32{300, -300, 70000, -70000}
	for typ, want := range map[driver.ChannelType][]int32{
		driver.SignedInt8:  {127, -128, 127, -128},
		driver.SignedInt16: {300, -300, 32767, -32768},
		driver.SignedInt32: color,
	} {
		im := p.image(plane(1, 1, driver.OrderRGBA, typ), nil)
		at, out := p.buffer(make([]int32, 4)), p.buffer(make([]int32, 4))
		p.launch("write_2d_i", items(1), im, at, p.buffer(color))
		p.launch("read_2d_i", items(1), im, at, out)
		check(t, p, fmt.Sprintf("type %#x", typ), out, want)
	}
	for typ, want := range map[driver.ChannelType][]uint32{
		driver.UnsignedInt8:  {255, 255, 255, 255},
		driver.UnsignedInt16: {300, 65535, 65535, 65535},
		driver.UnsignedInt32: {300, 1<<32 - 300, 70000, 1<<32 - 70000},
	} {
		im := p.image(plane(1, 1, driver.OrderRGBA, typ), nil)
		at, out := p.buffer(make([]int32, 4)), p.buffer(make([]uint32, 4))
		p.launch("write_2d_u", items(1), im, at, p.buffer(color))
		p.launch("read_2d_u", items(1), im, at, out)
		check(t, p, fmt.Sprintf("type %#x", typ), out, want)
	}
}

// testImageKinds reads every texel of each kind in a random order, and writes them to
// another image.
func testImageKinds(t *testing.T, p *testProgram) {
	format := driver.ImageFormat{Order: driver.OrderRGBA, Type: driver.SignedInt32}
	for _, desc := range []driver.ImageDesc{
		{Kind: driver.Image1D, Width: 30},
		{Kind: driver.Image1DBuffer, Width: 30},
		{Kind: driver.Image1DArray, Width: 5, Layers: 6},
		{Kind: driver.Image2D, Width: 6, Height: 5},
		{Kind: driver.Image2DArray, Width: 3, Height: 2, Layers: 5},
		{Kind: driver.Image3D, Width: 2, Height: 5, Depth: 3},
	} {
		desc.Format = format
		name := map[driver.ImageKind]string{
			driver.Image1D: "1d", driver.Image1DBuffer: "1d_buffer", driver.Image1DArray: "1d_array",
			driver.Image2D: "2d", driver.Image2DArray: "2d_array", driver.Image3D: "3d",
		}[desc.Kind]
		var data []byte
		for i := range uint32(30 * 4) {
			data = binary.LittleEndian.AppendUint32(data, i*3+1)
		}
		other := desc
		if desc.Kind == driver.Image1DBuffer {
			desc.Buffer, other.Buffer = p.buffer(make([]byte, len(data))).Memory, p.buffer(make([]byte, len(data))).Memory
		}
		from, to := p.image(desc, data), p.image(other, nil)
		size := wholeImage(from.Memory.(driver.ImageMemory)).Size
		var at, want []int32
		for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(30) {
			at = append(at, int32(i%size[0]), int32(i/size[0]%size[1]), int32(i/size[0]/size[1]), 7)
			for c := range 4 {
				want = append(want, int32((4*i+c)*3+1))
			}
		}
		out := p.buffer(make([]int32, len(want)))
		p.launch("read_"+name+"_i", items(30), from, p.buffer(at), out)
		check(t, p, name, out, want)
		p.launch("write_"+name+"_i", items(30), to, p.buffer(at), out)
		if got := p.texels(to); !bytes.Equal(got, data) {
			t.Errorf("%s: written texels differ", name)
		}
	}
}

// testSampling has an image of two rows: 0 1 2 3 and 10 11 12 13.
func testSampling(t *testing.T, p *testProgram) {
	var data []byte
	for _, v := range []float32{0, 1, 2, 3, 10, 11, 12, 13} {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	im := p.image(plane(4, 2, driver.OrderR, driver.Float), data)
	for _, test := range []struct {
		sampler driver.Arg
		x, y    float32
		want    float32
	}{
		{samplerArg(driver.AddressClampToEdge, false, false), 2.9, 1.5, 12},
		{samplerArg(driver.AddressClampToEdge, false, false), -5, 7, 10},
		{samplerArg(driver.AddressClamp, false, false), -0.1, 1, 0},
		{samplerArg(driver.AddressClampToEdge, true, false), 0.99, 0.49, 3},
		{samplerArg(driver.AddressRepeat, true, false), 1.3, -0.3, 11},
		{samplerArg(driver.AddressMirroredRepeat, true, false), 1.3, 0.1, 2},
		{samplerArg(driver.AddressClampToEdge, false, true), 1, 1, 5.5},
		{samplerArg(driver.AddressClampToEdge, false, true), 0, 0.5, 0},
		{samplerArg(driver.AddressClamp, false, true), 4, 0.5, 1.5},
		{samplerArg(driver.AddressRepeat, true, true), 0, 0.25, 1.5},
		{samplerArg(driver.AddressMirroredRepeat, true, true), 1, 0.25, 3},
		{samplerArg(driver.AddressClampToEdge, true, true), 0.5, 0.5, 6.5},
		{samplerArg(driver.AddressClampToEdge, false, false), float32(math.NaN()), float32(math.Inf(1)), 10},
		{samplerArg(driver.AddressRepeat, true, true), float32(math.Inf(-1)), 0.25, 0}, // any texel
	} {
		out := p.buffer(make([]float32, 4))
		p.launch("sample_2d_f", items(1), im, test.sampler, p.buffer([]float32{test.x, test.y, 0, 0}), out)
		if got := readBuffer[float32](p, out)[0]; got != test.want {
			t.Errorf("%+v at %v,%v: %v; want %v", *test.sampler.Sampler, test.x, test.y, got, test.want)
		}
	}
}

func testImageQueries(t *testing.T, p *testProgram) {
	f := driver.ImageFormat{Order: driver.OrderBGRA, Type: driver.UnormInt8}
	out := p.buffer(make([]int32, 7))
	p.launch("sizes", items(1), p.image(plane(3, 4, f.Order, f.Type), nil),
		p.image(driver.ImageDesc{Kind: driver.Image2DArray, Format: f, Width: 5, Height: 6, Layers: 7}, nil),
		p.image(driver.ImageDesc{Kind: driver.Image3D, Format: f, Width: 8, Height: 9, Depth: 10}, nil),
		p.image(driver.ImageDesc{Kind: driver.Image1DArray, Format: f, Width: 11, Layers: 12}, nil), out)
	check(t, p, "sizes", out, []int32{3, 4, 6, 7, 10, 10, 12})
	p.launch("format_2d", items(1), p.image(plane(3, 4, f.Order, f.Type), nil), p.buffer(make([]int32, 3)))
	three := p.buffer(make([]int32, 3))
	p.launch("format_2d", items(1), p.image(plane(3, 4, f.Order, f.Type), nil), three)
	check(t, p, "format", three, []int32{int32(f.Type), int32(f.Order), 3})
}

func testDepthImages(t *testing.T, p *testProgram) {
	var data []byte
	for _, v := range []float32{0, 0.25, 0.5, 1} {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	from := p.image(plane(2, 2, driver.OrderDepth, driver.Float), data)
	to, out := p.image(plane(2, 2, driver.OrderDepth, driver.Float), nil), p.buffer(make([]float32, 4))
	p.launch("depth", driver.Range{Global: []int{2, 2}}, from, to, samplerArg(driver.AddressClampToEdge, false, false), out)
	check(t, p, "read", out, []float32{0, 0.5, 1, 2})
	var want []byte
	for _, v := range []float32{1, 0.75, 0.5, 0} {
		want = binary.LittleEndian.AppendUint32(want, math.Float32bits(v))
	}
	if got := p.texels(to); !bytes.Equal(got, want) {
		t.Errorf("depth written: % x; want % x", got, want)
	}
}

// testPassedImages: the program's samplers, functions with images, branches.
func testPassedImages(t *testing.T, p *testProgram) {
	var data []byte
	for i := range 8 * 8 {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(i%8)))
	}
	im := p.image(plane(8, 8, driver.OrderR, driver.Float), data)
	at := counted(64*2, func(i int) float32 { return float32(i%16)/8 - 0.5 })
	out := p.buffer(make([]float32, 64*4))
	p.launch("passes", items(64), im, p.buffer(at), out)
	got := readBuffer[float32](p, out)
	for i := range 64 {
		x := float64(at[2*i])
		want := 0.0
		for k := -1; k <= 1; k++ {
			u := x + float64(k)*0.125
			u = (u-math.Floor(u))*8 - 0.5
			low := math.Floor(u)
			a, b := math.Mod(low+8, 8), math.Mod(low+9, 8)
			want += a*(1-(u-low)) + b*(u-low)
		}
		base := want
		if want > 1 {
			cx, cy := int(at[2*i]*8), int(at[2*i+1]*8)
			if cx >= 0 && cx < 8 && cy >= 0 && cy < 8 {
				base += float64(cx)
			}
		}
		if math.Abs(float64(got[4*i])-base) > 1e-5 {
			t.Errorf("item %d at %v: %v; want %v", i, at[2*i:2*i+2], got[4*i], base)
		}
	}
}

// testOutsideImages: writes outside an image are left out, reads are the border.
func testOutsideImages(t *testing.T, p *testProgram) {
	im := p.image(plane(2, 2, driver.OrderRGBA, driver.UnsignedInt8), bytes.Repeat([]byte{7}, 16))
	at := p.buffer([]int32{-1, 0, 0, 0, 2, 0, 0, 0, 0, math.MaxInt32, 0, 0, math.MinInt32, 1, 0, 0})
	out := p.buffer(make([]uint32, 16))
	if p.options.Check {
		var found *CheckError
		if err := p.tryLaunch("write_2d_u", items(4), im, at, out); !errors.As(err, &found) || found.Findings[0].Kind != OutOfBounds {
			t.Errorf("checked mode: %v; want an access out of bounds", err)
		}
		return
	}
	p.launch("write_2d_u", items(4), im, at, p.buffer(slices.Repeat([]uint32{9}, 16)))
	p.launch("read_2d_u", items(4), im, at, out)
	check(t, p, "border", out, make([]uint32, 16))
	if got := p.texels(im); !bytes.Equal(got, bytes.Repeat([]byte{7}, 16)) {
		t.Errorf("a write outside the image changed it: %v", got)
	}
}
