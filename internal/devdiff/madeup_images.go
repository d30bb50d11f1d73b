package main

import (
	"fmt"
	"slices"

	"offlink/runtime/driver"
	"offlink/spirv"
)

// Images and samplers for kernels that are launched with made-up arguments.

// Sizes of the images: those of a range of 64 by 64 work-items, and little more for the
// third dimension.
const (
	madeUpWidth  = 64
	madeUpLayers = 4
	madeUpRows   = 16 // of the range
)

// The numbers of Dim in SPIR-V.
const (
	dim1D = 0
	dim2D = 1
	dim3D = 2
)

// addImage makes an image of the type of a parameter, with texels of the kind that the
// kernel reads or writes.
func (j *job) addImage(t *spirv.Instruction, param spirv.ID) error {
	channel := driver.Float
	if j.readsIntegers(param) {
		channel = driver.SignedInt32
	}
	r := &recordedImage{Order: uint32(driver.OrderRGBA), Channel: uint32(channel), Width: madeUpWidth}
	dim, depth, arrayed := t.Words[2], t.Words[3] == 1, t.Words[4] == 1
	if depth {
		r.Order = uint32(driver.OrderDepth)
	}
	switch {
	case dim == dim1D && arrayed:
		r.Type, r.Layers = object1DArray, madeUpLayers
	case dim == dim1D:
		r.Type = object1D
	case dim == dim2D && arrayed:
		r.Type, r.Height, r.Layers = object2DArray, madeUpWidth, madeUpLayers
	case dim == dim2D:
		r.Type, r.Height = object2D, madeUpWidth
	case dim == dim3D:
		r.Type, r.Height, r.Depth = object3D, madeUpWidth, madeUpLayers
	default:
		return fmt.Errorf("images of dimension %d are not made up", dim)
	}
	desc, err := r.desc()
	if err != nil {
		return err
	}
	b := &buffer{Image: r, image: desc, layout: texelLayout(channel)}
	b.Data = make([]byte, 16*b.texels())
	if depth {
		b.Data = b.Data[:4*b.texels()]
	}
	for i := 0; i < len(b.Data); i += 4 {
		putNumber(b.Data[i:], 4, elementValue(field{size: 4, float: channel == driver.Float}, i/4))
	}
	j.Buffers = append(j.Buffers, b)
	j.Args = append(j.Args, argument{Buffer: len(j.Buffers)})
	return nil
}

// widenRange gives a kernel with images of more than one dimension a range of two, unless
// the range is given.
func (j *job) widenRange() {
	if len(j.Global) == 1 && j.global == nil && slices.ContainsFunc(j.Buffers, func(b *buffer) bool { return b.image != nil && b.box().Size[1] > 1 }) {
		j.Global, j.Local = append(j.Global, madeUpRows), append(j.Local, 1)
	}
}

// texels is the number of texels of an image.
func (b *buffer) texels() int {
	size := b.box().Size
	return size[0] * size[1] * size[2]
}

// addSampler is one that is defined for all coordinates, except NaNs and infinities.
func (j *job) addSampler() {
	s := &recordedSampler{Addressing: uint32(driver.AddressClampToEdge), Filter: filterNearest}
	j.Args = append(j.Args, argument{Sampler: s, sampler: s.sampler()})
}

func (s *recordedSampler) sampler() *driver.Sampler {
	return &driver.Sampler{Normalized: s.Normalized, Addressing: driver.AddressingMode(s.Addressing), Linear: s.Filter == filterLinear}
}

// readsIntegers tells whether the texels of a parameter are integers: the first access of
// the image tells, of that parameter or, where it goes through functions, of any image.
func (j *job) readsIntegers(param spirv.ID) bool {
	var other *spirv.Instruction
	from := map[spirv.ID]bool{param: true}
	for _, f := range j.module.Functions() {
		for _, in := range f.Body {
			if in.Op == spirv.OpSampledImage && from[spirv.ID(in.Words[2])] {
				from[in.Result()] = true
			}
			image, texel := j.texelOf(in)
			switch {
			case texel == nil:
			case from[image]:
				return texel.Op == spirv.OpTypeInt
			case other == nil:
				other = texel
			}
		}
	}
	return other != nil && other.Op == spirv.OpTypeInt
}

// texelOf is the image of an access and the type of a component of its texel, nil for
// other instructions.
func (j *job) texelOf(in *spirv.Instruction) (image spirv.ID, component *spirv.Instruction) {
	var t spirv.ID
	switch in.Op {
	case spirv.OpImageSampleExplicitLod, spirv.OpImageRead:
		image, t = spirv.ID(in.Words[2]), in.Type()
	case spirv.OpImageWrite:
		image, t = spirv.ID(in.Words[0]), j.module.TypeOf(spirv.ID(in.Words[2]))
	default:
		return 0, nil
	}
	component = j.module.Def(t)
	if component.Op == spirv.OpTypeVector {
		component = j.module.Def(spirv.ID(component.Words[1]))
	}
	return image, component
}
