package imageformat

import (
	"fmt"
	"math"
	"testing"

	"offlink/runtime/driver"
)

// TestCoordinates reads at the borders of texels and far from the image, and compares
// with the formulas of The OpenCL C Specification, 8.2 and 8.3, in doubles.
func TestCoordinates(t *testing.T) {
	for _, size := range []int{1, 2, 3, 7, 13, 16384} {
		m := ramp(t, size)
		for mode := driver.AddressNone; mode <= driver.AddressMirroredRepeat; mode++ {
			for _, normalized := range []bool{false, true} {
				if !normalized && mode >= driver.AddressRepeat {
					continue // defined for normalized coordinates alone
				}
				for _, linear := range []bool{false, true} {
					s := driver.Sampler{Addressing: mode, Normalized: normalized, Linear: linear}
					for _, x := range edgeCoordinates(s, size) {
						checkCoordinate(t, m, s, x)
					}
				}
			}
		}
	}
}

// ramp is an image of one row whose texel i is i+1. The border is 0.
func ramp(t *testing.T, size int) *Image {
	t.Helper()
	m, err := New(driver.ImageDesc{Kind: driver.Image1D, Width: size, Format: driver.ImageFormat{Order: driver.OrderR, Type: driver.Float}})
	if err != nil {
		t.Fatal(err)
	}
	m.Data = make([]byte, m.Bytes())
	for i := range size {
		m.Write([3]int{i}, Texel{math.Float32bits(float32(i + 1))})
	}
	return m
}

// edgeCoordinates are the borders and the centers of texels inside and around the image,
// in the first periods and far away, with the floats on both sides of each.
func edgeCoordinates(s driver.Sampler, size int) (list []float32) {
	scale := 1.0
	if s.Normalized {
		scale = 1 / float64(size)
	}
	around := func(x float64) {
		f := float32(x)
		list = append(list, f, math.Nextafter32(f, float32(math.Inf(-1))), math.Nextafter32(f, float32(math.Inf(1))))
	}
	for _, period := range []int{-3, -2, -1, 0, 1, 2, 1000} {
		for _, i := range []int{-2, -1, 0, 1, 2, size / 2, size - 1, size, size + 1} {
			around((float64(i) + float64(period*size)) * scale)
			around((float64(i) + 0.5 + float64(period*size)) * scale)
		}
	}
	for _, far := range []float64{1 << 23, 1 << 24, 1 << 30, 1 << 31, 1 << 32, 1 << 62, 1 << 63, 1e30} {
		around(far)
		around(-far)
	}
	most := float32(math.MaxFloat32)
	list = append(list, most, -most, float32(math.Copysign(0, -1)))
	nan, infinity := float32(math.NaN()), float32(math.Inf(1))
	return append(list, nan, infinity, -infinity)
}

// checkCoordinate reads at x. The color at a NaN and at an infinity is the device's
// choice, but it is a color of the image.
func checkCoordinate(t *testing.T, m *Image, s driver.Sampler, x float32) {
	t.Helper()
	size := m.Extent(0)
	got := float64(math.Float32frombits(m.Sample(s, [3]float32{x})[0]))
	if !(got >= 0 && got <= float64(size)) {
		t.Errorf("%+v, %d texels, at %v: %v is no color of the image", s, size, x, got)
	}
	if v := float64(x); math.IsNaN(v) || math.IsInf(v, 0) || s.Addressing == driver.AddressNone && !isInside(s, v, size) {
		return
	}
	var all []string
	for _, u := range scaledDoubles(s, float64(x), size) {
		want := exactColor(s, u, size)
		// A weight has the rounding of the coordinate and of the difference.
		if math.Abs(got-want) <= tolerance(s, u, size) {
			return
		}
		all = append(all, fmt.Sprint(want))
	}
	t.Errorf("%+v, %d texels, at %v: %v, not one of %v", s, size, x, got, all)
}

// isInside tells whether the coordinate and its neighbors are in the image, where the
// addressing mode "none" is defined.
func isInside(s driver.Sampler, x float64, size int) bool {
	if s.Normalized {
		x *= float64(size)
	}
	if s.Linear {
		return x >= 0.5 && x <= float64(size)-0.5
	}
	return x >= 0 && x < float64(size)
}

func tolerance(s driver.Sampler, u float64, size int) float64 {
	if !s.Linear {
		return 0
	}
	return float64(size) * (math.Abs(u) + 4) * 0x1p-23
}

// scaledDoubles are the coordinates in texels which the rounding of the specification's
// operations may make of a coordinate: it states no precision for them.
func scaledDoubles(s driver.Sampler, x float64, size int) []float64 {
	if !s.Normalized {
		return []float64{x}
	}
	switch s.Addressing {
	case driver.AddressRepeat:
		x -= math.Floor(x)
	case driver.AddressMirroredRepeat:
		x = math.Abs(x - 2*math.RoundToEven(0.5*x))
	}
	w := float64(size)
	u := x * w
	rounded := float64(float32(x))
	return []float64{u, float64(float32(u)), rounded * w, float64(float32(rounded * w))}
}

// exactColor is the color of the ramp at u, in texels.
func exactColor(s driver.Sampler, u float64, size int) float64 {
	color := func(i float64) float64 {
		w := float64(size)
		switch {
		case s.Addressing == driver.AddressClamp && (i < 0 || i >= w):
			return 0
		case s.Addressing == driver.AddressRepeat && i >= w:
			i -= w
		case s.Addressing == driver.AddressRepeat && i < 0:
			i += w
		}
		return min(max(i, 0), w-1) + 1
	}
	if !s.Linear {
		return color(math.Floor(u))
	}
	low := math.Floor(u - 0.5)
	weight := u - 0.5 - low
	return (1-weight)*color(low) + weight*color(low+1)
}
