package drivertest

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"offlink/runtime/driver"
)

//go:embed testdata/images.spv
var imagesSPIRV []byte

// imageSuite is the suite on a device with images.
type imageSuite struct {
	*suite
	images driver.ImageDevice
	queue  driver.Queue
	copies driver.ImageQueue // the queue
}

// testImages: texels are written to and read from images of every kind and format, and
// kernels access images of two dimensions.
func (s *suite) testImages(t *testing.T) {
	images, ok := s.device.(driver.ImageDevice)
	if !ok {
		t.Skip("no images")
	}
	q := s.newQueue(t)
	copies, ok := q.(driver.ImageQueue)
	if !ok {
		t.Fatalf("%T makes images, and %T does not copy them", s.device, q)
	}
	i := &imageSuite{s, images, q, copies}
	for kind := driver.Image1D; kind <= driver.Image3D; kind++ {
		t.Run(kind.String(), func(t *testing.T) {
			formats := images.ImageFormats(kind)
			if len(formats) == 0 {
				t.Error("no formats")
			}
			for _, format := range formats {
				i.copyTexels(t, kind, format)
			}
		})
	}
	t.Run("fill", i.fillTexels)
	t.Run("bounds", i.refuseTexels)
	t.Run("kernels", i.launchImages)
}

// The sizes of the images of the suite.
const imageWidth, imageHeight, imageDepth = 4, 3, 2

// wholeBox is the box of a whole image of that kind.
func wholeBox(kind driver.ImageKind) driver.ImageBox {
	size := [3]int{imageWidth, 1, 1}
	switch kind {
	case driver.Image1DArray:
		size[1] = imageDepth
	case driver.Image2D:
		size[1] = imageHeight
	case driver.Image2DArray, driver.Image3D:
		size[1], size[2] = imageHeight, imageDepth
	}
	return driver.ImageBox{Size: size}
}

func (i *imageSuite) newImage(t *testing.T, kind driver.ImageKind, format driver.ImageFormat) driver.ImageMemory {
	t.Helper()
	desc := driver.ImageDesc{Kind: kind, Format: format, Width: imageWidth, Height: imageHeight, Depth: imageDepth, Layers: imageDepth}
	if kind == driver.Image1DBuffer {
		desc.Buffer = i.newMemory(t, 16*imageWidth)
	}
	m, err := i.images.NewImage(desc)
	if err != nil {
		t.Fatalf("%v of %+v: %v", kind, format, err)
	}
	t.Cleanup(func() { closeAtEnd(t, m) })
	return m
}

// copyTexels passes texels through every transfer in turn: from the host to an image, to
// a second one, to memory, to a third image, and back to the host.
func (i *imageSuite) copyTexels(t *testing.T, kind driver.ImageKind, format driver.ImageFormat) {
	t.Helper()
	first, second, third := i.newImage(t, kind, format), i.newImage(t, kind, format), i.newImage(t, kind, format)
	box := wholeBox(kind)
	texel := int(first.Desc().RowPitch) / imageWidth
	size := texel * box.Size[0] * box.Size[1] * box.Size[2]
	if texel < 1 || first.Size() < int64(size) {
		t.Fatalf("%+v: %d bytes a texel, %d bytes in all", format, texel, first.Size())
	}
	data, got := make([]byte, size), make([]byte, size)
	for b := range data {
		data[b] = byte(b + 1)
	}
	between := i.newMemory(t, int64(size))
	q := i.copies
	if err := errors.Join(
		q.WriteImage(first, box, driver.HostImage{Data: data}, driver.Sync{}),
		q.CopyImage(second, [3]int{}, first, box, driver.Sync{}),
		q.CopyFromImage(between, 0, second, box, driver.Sync{}),
		q.CopyToImage(third, box, between, 0, driver.Sync{}),
		q.ReadImage(third, box, driver.HostImage{Data: got}, blocking)); err != nil {
		t.Fatalf("%+v: %v", format, err)
	}
	if !bytes.Equal(got, data) {
		t.Errorf("%+v: wrote %v, read %v", format, data, got)
	}
	// One texel, the last of the first row, to a place of its own.
	last := driver.ImageBox{Origin: [3]int{imageWidth - 1}, Size: [3]int{1, 1, 1}}
	if err := errors.Join(
		q.CopyImage(third, [3]int{1}, first, last, driver.Sync{}),
		q.ReadImage(third, driver.ImageBox{Size: [3]int{2, 1, 1}}, driver.HostImage{Data: got}, blocking)); err != nil {
		t.Fatalf("%+v: %v", format, err)
	}
	want := append(bytes.Clone(data[:texel]), data[(imageWidth-1)*texel:imageWidth*texel]...)
	if !bytes.Equal(got[:2*texel], want) {
		t.Errorf("%+v: two texels are %v; want %v", format, got[:2*texel], want)
	}
}

// fillTexels: a color of floats and one of integers, in the order of the format.
func (i *imageSuite) fillTexels(t *testing.T) {
	half := math.Float32bits(0.5)
	for _, c := range []struct {
		format driver.ImageFormat
		color  [4]uint32
		want   []byte
	}{
		{driver.ImageFormat{Order: driver.OrderRGBA, Type: driver.UnsignedInt8}, [4]uint32{1, 2, 3, 4}, []byte{1, 2, 3, 4}},
		{driver.ImageFormat{Order: driver.OrderBGRA, Type: driver.UnormInt8}, [4]uint32{math.Float32bits(1), 0, 0, math.Float32bits(1)}, []byte{0, 0, 255, 255}},
		{driver.ImageFormat{Order: driver.OrderR, Type: driver.Float}, [4]uint32{half}, binary.LittleEndian.AppendUint32(nil, half)},
	} {
		m, got := i.newImage(t, driver.Image2D, c.format), make([]byte, 3*len(c.want))
		box := driver.ImageBox{Origin: [3]int{1, 1}, Size: [3]int{1, 1, 1}}
		row := driver.ImageBox{Origin: [3]int{0, 1}, Size: [3]int{3, 1, 1}}
		if err := errors.Join(i.copies.FillImage(m, box, c.color, driver.Sync{}),
			i.copies.ReadImage(m, row, driver.HostImage{Data: got}, blocking)); err != nil {
			t.Fatal(err)
		}
		none := make([]byte, len(c.want))
		if want := append(append(bytes.Clone(none), c.want...), none...); !bytes.Equal(got, want) {
			t.Errorf("%+v: the row is %v; want %v", c.format, got, want)
		}
	}
}

// refuseTexels: boxes that leave the image, too little memory, images without a size.
func (i *imageSuite) refuseTexels(t *testing.T) {
	format := driver.ImageFormat{Order: driver.OrderRGBA, Type: driver.UnsignedInt8}
	m, data := i.newImage(t, driver.Image2D, format), make([]byte, 4*imageWidth*imageHeight)
	outside := driver.ImageBox{Origin: [3]int{1}, Size: [3]int{imageWidth, 1, 1}}
	before := driver.ImageBox{Origin: [3]int{-1}, Size: [3]int{1, 1, 1}}
	for what, err := range map[string]error{
		"a box beyond the end":    i.copies.WriteImage(m, outside, driver.HostImage{Data: data}, blocking),
		"a box before the start":  i.copies.ReadImage(m, before, driver.HostImage{Data: data}, blocking),
		"memory of too few bytes": i.copies.WriteImage(m, wholeBox(driver.Image2D), driver.HostImage{Data: data[1:]}, blocking),
		"a fill beyond the end":   i.copies.FillImage(m, outside, [4]uint32{}, blocking),
	} {
		if err == nil {
			t.Errorf("%s was taken", what)
		}
	}
	_ = i.queue.Finish() // may report the refusals
	for _, desc := range []driver.ImageDesc{
		{},
		{Kind: driver.Image2D, Format: format, Width: 4},
		{Kind: driver.Image2D, Format: format, Width: -1, Height: 1},
		{Kind: driver.Image1DBuffer, Format: format, Width: 4},
		{Kind: driver.Image2D, Format: driver.ImageFormat{Order: 1, Type: 1}, Width: 4, Height: 4},
	} {
		if m, err := i.images.NewImage(desc); err == nil {
			t.Errorf("%+v was made", desc)
			closeAtEnd(t, m)
		}
	}
}

// launchImages: one kernel writes an image, another reads between its texels.
func (i *imageSuite) launchImages(t *testing.T) {
	if !i.isSPIRV() {
		t.Skip("the suite's kernels with images are SPIR-V")
	}
	p := i.newProgram(t, i.moduleOf("images", imagesSPIRV))
	sample := kernelByName(t, p, "sample")
	if params := sample.Params(); len(params) != 4 || params[0].Kind != driver.ParamImage || params[1].Kind != driver.ParamSampler {
		t.Fatalf("the parameters are %+v", params)
	}
	m := i.newImage(t, driver.Image2D, driver.ImageFormat{Order: driver.OrderRGBA, Type: driver.Float})
	runKernel(t, i.queue, kernelByName(t, p, "paint"), driver.Range{Global: []int{imageWidth, imageHeight}}, driver.Arg{Memory: m})
	out := i.newMemory(t, 16)
	at := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, math.Float32bits(2)), math.Float32bits(1.5))
	for _, c := range []struct {
		how  driver.Sampler
		want float32 // of red
	}{
		{driver.Sampler{Addressing: driver.AddressClampToEdge}, 2},
		{driver.Sampler{Addressing: driver.AddressClampToEdge, Linear: true}, 1.5},
	} {
		runKernel(t, i.queue, sample, driver.Range{Global: []int{1}},
			driver.Arg{Memory: m}, driver.Arg{Sampler: &c.how}, driver.Arg{Memory: out}, driver.Arg{Value: at})
		red := math.Float32frombits(binary.LittleEndian.Uint32(readMemory(t, i.queue, out, 0, 4)))
		if red != c.want {
			t.Errorf("%+v: red is %v; want %v", c.how, red, c.want)
		}
	}
}
