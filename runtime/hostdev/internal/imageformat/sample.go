package imageformat

import (
	"math"

	"offlink/runtime/driver"
)

// Sample reads at coordinates with a sampler. Coordinates of the layer are of the
// dimension after those of the image. Integer formats are not filtered, as OpenCL
// leaves that undefined.
func (m *Image) Sample(s driver.Sampler, at [3]float32) Texel {
	layer := 0
	if m.layer > 0 {
		layer = m.layerOf(at[m.layer])
	}
	if s.Linear && m.Class == ClassFloat {
		return m.sampleLinear(s, at, layer)
	}
	var texel [3]int
	for i := range m.dims {
		var ok bool
		if texel[i], ok = nearestTexel(s, at[i], m.size[i]); !ok {
			return m.Border()
		}
	}
	if m.layer > 0 {
		texel[m.layer] = layer
	}
	t, _ := m.Read(texel)
	return t
}

// SampleAt is Sample with integer coordinates, which are not normalized and not
// filtered. Those that the image does not have may hold anything.
func (m *Image) SampleAt(mode driver.AddressingMode, at [3]int) Texel {
	clear(at[m.Coordinates():])
	for i := range m.dims {
		if mode != driver.AddressClamp {
			at[i] = clampTexel(at[i], m.size[i])
		}
	}
	if m.layer > 0 {
		at[m.layer] = clampTexel(at[m.layer], m.size[m.layer])
	}
	t, _ := m.Read(at)
	return t
}

func (m *Image) layerOf(coordinate float32) int {
	return clampTexel(texelOf(float32(math.RoundToEven(float64(coordinate)))), m.size[m.layer])
}

func clampTexel(i, size int) int { return min(max(i, 0), size-1) }

// texelOf is the integer of a whole number; out of the range of texels it is any
// number that is out of range too, and 0 for a NaN.
func texelOf(x float32) int {
	const far = 1 << 30
	switch {
	case x != x:
		return 0
	case x > far:
		return far
	case x < -far:
		return -far
	}
	return int(x)
}

func floor(x float32) float32 { return float32(math.Floor(float64(x))) }

// nearestTexel is the texel of a coordinate in one dimension; it is not ok where the
// border is (The OpenCL C Specification, 8.2).
func nearestTexel(s driver.Sampler, x float32, size int) (i int, ok bool) {
	i = texelOf(floor(scaled(s, x, size)))
	switch s.Addressing {
	case driver.AddressClamp:
		return i, i >= 0 && i < size
	case driver.AddressRepeat:
		if i > size-1 {
			i -= size
		}
	}
	return clampTexel(i, size), true
}

// scaled is the coordinate in texels, after the repetition of the mode.
func scaled(s driver.Sampler, x float32, size int) float32 {
	switch {
	case !s.Normalized:
		return x
	case s.Addressing == driver.AddressRepeat:
		x -= floor(x)
	case s.Addressing == driver.AddressMirroredRepeat:
		even := 2 * float32(math.RoundToEven(float64(0.5*x)))
		x = float32(math.Abs(float64(x - even)))
	}
	return float32(x * float32(size)) // rounded, not fused with a sum
}

// pair is the two texels around a coordinate, and the weight of the second.
type pair struct {
	texel  [2]int
	inside [2]bool
	weight float32
}

// linearPair finds the texels on both sides of a coordinate. The center of texel i is at
// i + 0.5.
func linearPair(s driver.Sampler, x float32, size int) (p pair) {
	u := scaled(s, x, size) - 0.5
	low := floor(u)
	// Just below a center the difference is rounded to 1.
	if p.weight = u - low; !(p.weight >= 0 && p.weight <= 1) {
		p.weight = 0 // of an infinity, or a NaN
	}
	p.texel[0] = texelOf(low)
	p.texel[1] = p.texel[0] + 1
	for n, i := range p.texel {
		switch s.Addressing {
		case driver.AddressClamp:
			p.texel[n], p.inside[n] = i, i >= 0 && i < size
			continue
		case driver.AddressRepeat:
			if i < 0 {
				i += size
			} else if i > size-1 {
				i -= size
			}
		}
		p.texel[n], p.inside[n] = clampTexel(i, size), true
	}
	return p
}

// sampleLinear blends 2, 4 or 8 texels: bit i of a corner's number picks one of the two in
// dimension i, and its weight is the product of those of the dimensions.
func (m *Image) sampleLinear(s driver.Sampler, at [3]float32, layer int) Texel {
	var pairs [3]pair
	for i := range m.dims {
		pairs[i] = linearPair(s, at[i], m.size[i])
	}
	var sum [4]float32
	for corner := range 1 << m.dims {
		weight, inside := float32(1), true
		var texel [3]int
		for i := range m.dims {
			p, n := &pairs[i], corner>>i&1
			texel[i], inside = p.texel[n], inside && p.inside[n]
			if n == 1 {
				weight *= p.weight
			} else {
				weight *= 1 - p.weight
			}
		}
		if m.layer > 0 {
			texel[m.layer] = layer
		}
		t := m.Border()
		if inside {
			t, _ = m.Read(texel)
		}
		addWeighted(&sum, t, weight)
	}
	return Texel{math.Float32bits(sum[0]), math.Float32bits(sum[1]), math.Float32bits(sum[2]), math.Float32bits(sum[3])}
}

// addWeighted leaves out texels of no weight: an infinity there must not count. The
// conversion keeps Go from fusing the product with the sum, which would make the
// result depend on the processor.
func addWeighted(sum *[4]float32, t Texel, weight float32) {
	if weight == 0 {
		return
	}
	for i := range sum {
		sum[i] += float32(weight * math.Float32frombits(t[i]))
	}
}
