package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"offlink/runtime/cache"
	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
)

// Coordinates at the borders of texels, outside the image and far away from it, infinities
// and NaNs. OpenCL fixes the color of most of them; where it leaves it to the
// device, the executors agree all the same.

// edges is which coordinates a job has.
type edges int

const (
	noEdges   edges = iota // random ones around the image
	nearEdges              // borders and centers of texels, a few periods away at most
	farEdges               // those, and some that are huge, infinite or no numbers
)

// edgeFormats have a class of colors, or a color of the border, that others of the list
// have not.
var edgeFormats = []driver.ImageFormat{
	{Order: driver.OrderRGBA, Type: driver.Float},
	{Order: driver.OrderR, Type: driver.UnormInt8},
	{Order: driver.OrderRG, Type: driver.HalfFloat},
	{Order: driver.OrderRGBA, Type: driver.SignedInt32},
	{Order: driver.OrderR, Type: driver.SignedInt16},
	{Order: driver.OrderRGBA, Type: driver.UnsignedInt8},
}

// imageEdgeJobs are jobs with such coordinates: each kind and sampler with the formats
// above. Reads without a sampler and writes lead outside the image too.
func imageEdgeJobs(e edges, formats func(driver.ImageKind) []driver.ImageFormat) (list []*imageJob) {
	return makeImageJobs(e, func(k driver.ImageKind) (some []driver.ImageFormat) {
		for _, f := range edgeFormats {
			if slices.Contains(formats(k), f) {
				some = append(some, f)
			}
		}
		return some
	})
}

// edgeInteger is a coordinate of an access without a filter.
func (j *imageJob) edgeInteger(size int, random *rand.Rand) uint32 {
	list := []int{-2, -1, 0, 1, size / 2, size - 2, size - 1, size, size + 1}
	if j.edges == farEdges {
		list = append(list, math.MinInt32, math.MaxInt32, 1<<30, -1<<30, 1<<16)
	}
	return uint32(list[random.IntN(len(list))])
}

// edgeWritten is a coordinate of a work-item that writes: to its own texel, or, where
// there is none, outside the image.
func (j *imageJob) edgeWritten(item, dimension int, random *rand.Rand) uint32 {
	switch size := j.Size[dimension]; {
	case item < j.Size[0]*j.Size[1]*j.Size[2]:
		return j.ownTexel(item, dimension)
	case item%j.coordinates() == dimension:
		list := []int{-1, size, size + 1, math.MinInt32, math.MaxInt32, -size, 1 << 16, 1 << 30}
		return uint32(list[random.IntN(len(list))])
	default:
		return j.edgeInteger(size, random)
	}
}

// float is a coordinate of a dimension, which is normalized or not.
func (e edges) float(size int, normalized bool, random *rand.Rand) float32 {
	x := float32(random.IntN(2*size+8)-4-size/2) / 2 // a border or a center
	if normalized {
		x /= float32(size)
		x += []float32{0, 0, 0, 1, -1, 2, 64}[random.IntN(7)]
	}
	switch n := random.IntN(8); {
	case n == 0:
		x = math.Nextafter32(x, float32(math.Inf(1)))
	case n == 1:
		x = math.Nextafter32(x, float32(math.Inf(-1)))
	case e == nearEdges:
	case n == 2:
		far := []float64{1 << 23, 1 << 24, 1 << 31, 1 << 32, 1 << 63, 1e30, math.MaxFloat32, math.SmallestNonzeroFloat32}
		x = float32(far[random.IntN(len(far))])
		if random.IntN(2) == 0 {
			x = -x
		}
	case n == 3 && random.IntN(4) == 0:
		x = float32([]float64{math.NaN(), math.Inf(1), math.Inf(-1)}[random.IntN(3)])
	}
	return x
}

// isForAll tells whether the access is defined wherever its coordinates lead. Drivers end
// the process where one is not, and Intel's does with some that are huge.
func (j *imageJob) isForAll() bool {
	return j.edges == noEdges || j.edges == nearEdges && !j.Writes && j.Addressing != 0 && driver.AddressingMode(j.Addressing) != driver.AddressNone
}

// isOpen tells whether the color of a work-item is the device's choice: a coordinate is
// a NaN or infinite, or leads outside the image without a sampler for that, or is
// so near a border that the rounding of normalized coordinates decides.
func (j *imageJob) isOpen(item int) bool {
	for c := range j.coordinates() {
		bits := uint32(littleEndian(j.At[16*item+4*c:][:4]))
		if j.isOpenAt(c, bits) {
			return true
		}
	}
	return false
}

// coordinates is how many of a vector the kernel's image takes.
func (j *imageJob) coordinates() int {
	n := 0
	for _, size := range []int{j.Width, j.Height, j.Depth, j.Layers} {
		if size > 0 {
			n++
		}
	}
	return n
}

func (j *imageJob) isOpenAt(dimension int, bits uint32) bool {
	size := float64(j.Size[dimension])
	sampled, mode := strings.HasPrefix(j.Kernel, "sample"), driver.AddressingMode(j.Addressing)
	if !sampled {
		i := float64(int32(bits))
		return (i < 0 || i >= size) && (mode == 0 || mode == driver.AddressNone)
	}
	x := float64(math.Float32frombits(bits))
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return true
	}
	layer := j.isLayer(dimension)
	normalized := j.Normalized && !layer
	if normalized {
		x *= size
	}
	margin := 0.0
	if j.Linear && !layer {
		margin = 0.5
	}
	if mode == driver.AddressNone && !layer && (x < margin || x >= size-margin) {
		return true
	}
	// A half of a texel is where layers and filters change.
	near := math.Abs(2*x-math.Round(2*x)) < 0x1p-18*max(1, math.Abs(x))
	return normalized && near
}

// isLayer tells whether a dimension is that of the layers, whose coordinate is never
// normalized.
func (j *imageJob) isLayer(dimension int) bool {
	return j.Layers > 0 && (dimension == 2 || dimension == 1 && j.Height == 0)
}

// maskOpen sets the colors that are the device's choice to zero, in a result.
func (j *imageJob) maskOpen(result []byte) []byte {
	if j.edges == noEdges || j.Writes {
		return result
	}
	result = slices.Clone(result)
	for i := range j.Items {
		if j.isOpen(i) {
			clear(result[16*i : 16*i+16])
		}
	}
	return result
}

// compareImageExecutors runs jobs in all executors of the embedded device, and returns a
// line for each job on which they do not agree. The jobs keep the interpreter's results.
func compareImageExecutors(jobs []*imageJob, code []byte, store *cache.Cache) (lines []string, err error) {
	if err := runImages(jobs, code, hostdev.Options{Interpret: true}); err != nil {
		return nil, err
	}
	var want [][]byte
	for _, j := range jobs {
		want = append(want, j.own)
	}
	for _, e := range append(givenWidths(), nativeCode(store)) {
		if err := runImages(jobs, code, e.options); err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, err)
		}
		for i, j := range jobs {
			if at := firstDifference([][]byte{want[i]}, [][]byte{j.own}); at != "" {
				lines = append(lines, fmt.Sprintf("%v: %s: %s", j, e.name, at))
			}
		}
	}
	for i, j := range jobs {
		j.own = want[i]
	}
	return lines, nil
}

// edgesHere compares the executors on all jobs with such coordinates, prints where they do
// not agree, and returns the jobs that another device can run.
func edgesHere(formats func(driver.ImageKind) []driver.ImageFormat, code []byte) (elsewhere []*imageJob, same bool, err error) {
	store, release, err := openStore()
	if err != nil {
		return nil, false, err
	}
	defer release()
	jobs := append(imageEdgeJobs(nearEdges, formats), imageEdgeJobs(farEdges, formats)...)
	lines, err := compareImageExecutors(jobs, code, store)
	if err != nil {
		return nil, false, err
	}
	for _, line := range lines {
		fmt.Println("executors differ:", line)
	}
	fmt.Printf("%6d launches with coordinates at edges in all executors: %d differ\n", len(jobs), len(lines))
	return slices.DeleteFunc(jobs, func(j *imageJob) bool { return !j.isForAll() }), len(lines) == 0, nil
}
