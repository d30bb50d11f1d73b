package main

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
)

// Images and samplers: every kind, format and sampler, with random texels and
// coordinates, on the embedded device and on an OpenCL device. The kernels are those
// of runtime/hostdev/testdata/kernels/images.cl.

//go:embed images.py
var imagesHalf []byte

// imageJob is a launch of a kernel that reads or writes texels.
type imageJob struct {
	Kernel                       string
	ObjectType                   uint32 // cl_mem_object_type
	Order, Type                  uint32
	Width, Height, Depth, Layers int
	Size                         [3]int
	Addressing                   uint32 // 0: without a sampler
	Normalized, Linear           bool
	Writes                       bool
	Items                        int
	Data, At, Other              []byte

	desc  driver.ImageDesc
	own   []byte
	edges edges // which coordinates it has
}

// imageItems is the number of work-items of a job: enough for several steps of the
// compiled code, few enough for thousands of jobs.
const imageItems = 64

// imageShapes are the images of each kind. The numbers are those of
// cl_mem_object_type (cl.h). The sizes are odd and small, so that most
// coordinates are near an edge.
var imageShapes = []struct {
	name   string
	object uint32
	desc   driver.ImageDesc
	size   [3]int
}{
	{"1d", object1D, driver.ImageDesc{Kind: driver.Image1D, Width: 13}, [3]int{13, 1, 1}},
	{"1d_buffer", object1DBuffer, driver.ImageDesc{Kind: driver.Image1DBuffer, Width: 16}, [3]int{16, 1, 1}},
	{"1d_array", object1DArray, driver.ImageDesc{Kind: driver.Image1DArray, Width: 7, Layers: 3}, [3]int{7, 3, 1}},
	{"2d", object2D, driver.ImageDesc{Kind: driver.Image2D, Width: 7, Height: 5}, [3]int{7, 5, 1}},
	{"2d_array", object2DArray, driver.ImageDesc{Kind: driver.Image2DArray, Width: 5, Height: 4, Layers: 3}, [3]int{5, 4, 3}},
	{"3d", object3D, driver.ImageDesc{Kind: driver.Image3D, Width: 4, Height: 5, Depth: 3}, [3]int{4, 5, 3}},
}

// imageJobs makes the jobs with random coordinates near the image. Reading without a
// sampler and writing are defined only inside the image.
func imageJobs(formats func(driver.ImageKind) []driver.ImageFormat) []*imageJob {
	return makeImageJobs(noEdges, formats)
}

func makeImageJobs(e edges, formats func(driver.ImageKind) []driver.ImageFormat) (list []*imageJob) {
	// The seed is fixed: a difference must come back in the next run.
	random := rand.New(rand.NewPCG(7, 11))
	for _, shape := range imageShapes {
		for _, format := range formats(shape.desc.Kind) {
			if format.Order == driver.OrderDepth {
				continue // its kernels have another type
			}
			j := imageJob{
				ObjectType: shape.object, desc: shape.desc, Size: shape.size, Items: imageItems, edges: e,
				Order: uint32(format.Order), Type: uint32(format.Type),
				Width: shape.desc.Width, Height: shape.desc.Height, Depth: shape.desc.Depth, Layers: shape.desc.Layers,
			}
			j.desc.Format = format
			letter := imageLetter(format.Type)
			for _, s := range imageSamplers() {
				if shape.desc.Kind == driver.Image1DBuffer || s.Linear && letter != "f" {
					continue // not in OpenCL
				}
				j.Addressing, j.Normalized, j.Linear = uint32(s.Addressing), s.Normalized, s.Linear
				list = append(list, j.fill("sample_"+shape.name+"_"+letter, random))
				if !s.Normalized && !s.Linear && s.Addressing != driver.AddressNone {
					list = append(list, j.fill("index_"+shape.name+"_"+letter, random))
				}
			}
			j.Addressing, j.Normalized, j.Linear = 0, false, false
			list = append(list, j.fill("read_"+shape.name+"_"+letter, random))
			// OpenCL lets kernels write to sRGB images with an extension only.
			if format.Order < driver.OrderSRGB || format.Order == driver.OrderABGR {
				j.Writes = true
				list = append(list, j.fill("write_"+shape.name+"_"+letter, random))
			}
		}
	}
	return list
}

// imageLetter is the kernel's type of texels: floats also for normalized
// integers (OpenCL C, "Image Read and Write Functions").
func imageLetter(t driver.ChannelType) string {
	switch t {
	case driver.SignedInt8, driver.SignedInt16, driver.SignedInt32:
		return "i"
	case driver.UnsignedInt8, driver.UnsignedInt16, driver.UnsignedInt32:
		return "u"
	}
	return "f"
}

func imageSamplers() (list []driver.Sampler) {
	for mode := driver.AddressNone; mode <= driver.AddressMirroredRepeat; mode++ {
		for _, linear := range []bool{false, true} {
			list = append(list, driver.Sampler{Addressing: mode, Normalized: true, Linear: linear})
			// The repeating modes are defined for normalized coordinates alone.
			if mode < driver.AddressRepeat {
				list = append(list, driver.Sampler{Addressing: mode, Linear: linear})
			}
		}
	}
	return list
}

// fill makes the texels, coordinates and colors of a copy of the job.
func (j imageJob) fill(kernel string, random *rand.Rand) *imageJob {
	j.Kernel = kernel
	texels := j.Size[0] * j.Size[1] * j.Size[2]
	j.Data = make([]byte, texels*j.texelSize())
	for i := 0; i < len(j.Data); i++ {
		j.Data[i] = byte(random.Uint32())
	}
	j.tameFloats(random)
	switch { // each work-item that writes has a texel of its own
	case j.Writes && j.edges != noEdges:
		j.Items += texels
	case j.Writes:
		j.Items = min(j.Items, texels)
	}
	for i := range j.Items {
		for c := range 3 {
			j.At = binary.LittleEndian.AppendUint32(j.At, j.coordinate(i, c, random))
		}
		j.At = binary.LittleEndian.AppendUint32(j.At, 0)
	}
	for range 4 * j.Items {
		v := random.Uint32()
		switch imageLetter(j.desc.Format.Type) {
		case "f":
			v = math.Float32bits(random.Float32()*3 - 1.5)
		case "i":
			v = uint32(int32(v) >> (random.Uint32() % 28))
		case "u":
			v >>= random.Uint32() % 28
		}
		j.Other = binary.LittleEndian.AppendUint32(j.Other, v)
	}
	return &j
}

// tameFloats replaces the texels of floating-point formats by numbers: random bits
// might be NaNs or infinities.
func (j *imageJob) tameFloats(random *rand.Rand) {
	switch j.desc.Format.Type {
	case driver.Float:
		for i := 0; i < len(j.Data); i += 4 {
			binary.LittleEndian.PutUint32(j.Data[i:], math.Float32bits(random.Float32()*8-4))
		}
	case driver.HalfFloat:
		for i := 0; i < len(j.Data); i += 2 {
			// Biased exponents from 12 to 17, which are numbers from 2^-3 to 8:
			// a filter sums numbers of similar magnitude.
			binary.LittleEndian.PutUint16(j.Data[i:], uint16(random.Uint32()&0x83ff|(12+random.Uint32()%6)<<10))
		}
	}
}

// texelSize is the bytes of a texel in the host's memory (OpenCL, table of
// cl_image_format).
func (j *imageJob) texelSize() int {
	channels := map[driver.ChannelOrder]int{
		driver.OrderRG: 2, driver.OrderRA: 2, driver.OrderRx: 2, driver.OrderRGx: 3, driver.OrderSRGB: 3,
		driver.OrderRGBA: 4, driver.OrderBGRA: 4, driver.OrderARGB: 4, driver.OrderABGR: 4,
		driver.OrderSRGBA: 4, driver.OrderSBGRA: 4, driver.OrderSRGBx: 4,
	}[j.desc.Format.Order]
	channels = max(channels, 1)
	switch j.desc.Format.Type {
	case driver.UnormShort565, driver.UnormShort555:
		return 2
	case driver.UnormInt101010, driver.UnormInt101010Two:
		return 4
	case driver.SnormInt8, driver.UnormInt8, driver.SignedInt8, driver.UnsignedInt8:
		return channels
	case driver.SnormInt16, driver.UnormInt16, driver.SignedInt16, driver.UnsignedInt16, driver.HalfFloat:
		return 2 * channels
	}
	return 4 * channels
}

// coordinate returns the bits of one coordinate of a work-item. It may be outside the
// image where the sampler defines the color there.
func (j *imageJob) coordinate(item, dimension int, random *rand.Rand) uint32 {
	size := j.Size[dimension]
	switch {
	case j.edges == noEdges:
	case j.Writes:
		return j.edgeWritten(item, dimension, random)
	case j.Addressing == 0 || strings.HasPrefix(j.Kernel, "index"):
		return j.edgeInteger(size, random)
	default:
		return math.Float32bits(j.edges.float(size, j.Normalized && !j.isLayer(dimension), random))
	}
	if j.Writes {
		return j.ownTexel(item, dimension)
	}
	whole := random.IntN(size)
	switch {
	case j.Addressing == 0:
		return uint32(whole)
	case strings.HasPrefix(j.Kernel, "index"):
		return uint32(whole + random.IntN(5) - 2)
	}
	spread := 2.0
	if driver.AddressingMode(j.Addressing) == driver.AddressNone {
		spread = 0
	}
	at := random.Float64()*(float64(size)+2*spread) - spread
	if spread == 0 && j.Linear { // neighbors are inside
		at = 0.5 + random.Float64()*float64(size-1)
	}
	if j.Normalized && !j.isLayer(dimension) {
		at /= float64(size)
	}
	return math.Float32bits(float32(at))
}

// ownTexel is a coordinate of the texel that has the number of the work-item.
func (j *imageJob) ownTexel(item, dimension int) uint32 {
	return uint32([]int{item % j.Size[0], item / j.Size[0] % j.Size[1], item / j.Size[0] / j.Size[1] % j.Size[2]}[dimension])
}

// runImages runs the jobs on the embedded device.
func runImages(jobs []*imageJob, code []byte, o hostdev.Options) error {
	o.Output = io.Discard
	d, err := hostdev.New(o).Devices()
	if err != nil {
		return err
	}
	p, err := driver.Build(context.Background(), d[0], []driver.Module{{
		Name: "images", Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: code,
	}}, driver.BuildOptions{})
	if err != nil {
		return err
	}
	defer p.Close()
	q, err := d[0].NewQueue(driver.QueueOptions{})
	if err != nil {
		return err
	}
	defer q.Close()
	for _, j := range jobs {
		if err := j.runHere(d[0], p, q); err != nil {
			return fmt.Errorf("%v: %w", j, err)
		}
	}
	return nil
}

// runHere runs the job on the embedded device. The result is the image if the
// kernel writes one, else the buffer that it reads texels into.
func (j *imageJob) runHere(d driver.Device, p driver.Program, q driver.Queue) error {
	k, err := p.Kernel(j.Kernel)
	if err != nil {
		return err
	}
	at, err := newBuffer(d, q, j.At)
	if err != nil {
		return err
	}
	defer at.Close()
	other, err := newBuffer(d, q, j.Other)
	if err != nil {
		return err
	}
	defer other.Close()
	desc := j.desc
	if desc.Kind == driver.Image1DBuffer {
		if desc.Buffer, err = newBuffer(d, q, j.Data); err != nil {
			return err
		}
		defer desc.Buffer.Close()
	}
	m, err := d.(driver.ImageDevice).NewImage(desc)
	if err != nil {
		return err
	}
	defer m.Close()
	return j.launchHere(q, k, m, at, other)
}

// newBuffer returns device memory with these bytes.
func newBuffer(d driver.Device, q driver.Queue, data []byte) (driver.Memory, error) {
	m, err := d.Alloc(driver.DeviceMemory, int64(len(data)))
	if err == nil {
		err = q.Write(m, 0, data, driver.Sync{Block: true})
	}
	return m, err
}

// launchHere fills the image, launches the kernel and reads its result.
func (j *imageJob) launchHere(q driver.Queue, k driver.Kernel, m driver.ImageMemory, at, other driver.Memory) error {
	wait := driver.Sync{Block: true}
	box, images := driver.ImageBox{Size: j.Size}, q.(driver.ImageQueue)
	if err := images.WriteImage(m, box, driver.HostImage{Data: j.Data}, wait); err != nil {
		return err
	}
	args := []driver.Arg{{Memory: m}}
	if j.Addressing != 0 {
		args = append(args, driver.Arg{Sampler: &driver.Sampler{Addressing: driver.AddressingMode(j.Addressing), Normalized: j.Normalized, Linear: j.Linear}})
	}
	args = append(args, driver.Arg{Memory: at}, driver.Arg{Memory: other})
	if err := q.Launch(k, driver.Range{Global: []int{j.Items}}, args, wait); err != nil {
		return err
	}
	if j.Writes {
		j.own = make([]byte, len(j.Data))
		return images.ReadImage(m, box, driver.HostImage{Data: j.own}, wait)
	}
	j.own = make([]byte, len(j.Other))
	return q.Read(other, 0, j.own, wait)
}

func (j *imageJob) String() string {
	s := fmt.Sprintf("%s of order %#x, type %#x", j.Kernel, j.Order, j.Type)
	if j.Addressing != 0 {
		s += fmt.Sprintf(", addressing %#x, normalized %v, linear %v", j.Addressing, j.Normalized, j.Linear)
	}
	return s
}

// distance returns how far the other device's result is from ours: in units of 2^-24 of
// the largest color for floats that are read, in steps of the channel for written
// texels. A linear filter may be less exact: OpenCL prescribes only its formula.
func (j *imageJob) distance(theirs []byte) float64 {
	most := 0.0
	switch {
	case slices.Equal(theirs, j.own):
		return 0
	case imageLetter(j.desc.Format.Type) != "f":
		return math.Inf(1)
	case j.Writes:
		return j.writtenDistance(theirs)
	}
	scale := 1.0
	for i := 0; i < len(j.own); i += 4 {
		scale = max(scale, math.Abs(float64(math.Float32frombits(binary.LittleEndian.Uint32(j.own[i:])))))
	}
	for i := 0; i < len(j.own); i += 4 {
		a, b := math.Float32frombits(binary.LittleEndian.Uint32(j.own[i:])), math.Float32frombits(binary.LittleEndian.Uint32(theirs[i:]))
		if d := math.Abs(float64(a)-float64(b)) / (scale * 0x1p-24); !(d <= most) {
			// A NaN compares as neither less nor equal, and counts as
			// infinitely far.
			most = cmp.Or(d, math.Inf(1))
		}
	}
	return most
}

// writtenDistance returns the greatest difference of a channel of 8 or 16 bits. Channels
// of other sizes are either equal or infinitely far apart.
func (j *imageJob) writtenDistance(theirs []byte) (most float64) {
	size := 0
	switch j.desc.Format.Type {
	case driver.UnormInt8, driver.SnormInt8:
		size = 1
	case driver.UnormInt16, driver.SnormInt16, driver.HalfFloat:
		size = 2
	default:
		return math.Inf(1)
	}
	for i := 0; i+size <= len(theirs); i += size {
		d := math.Abs(float64(littleEndian(theirs[i:i+size])) - float64(littleEndian(j.own[i:i+size])))
		most = max(most, d)
	}
	return most
}

// compareImages prints how far the devices differ, by instruction, filter and type.
func compareImages(o options, files []string) (differ bool, err error) {
	if len(files) == 0 {
		return false, errors.New("-images takes the kernels of images.cl as SPIR-V, and their source")
	}
	code, err := os.ReadFile(files[0])
	if err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "devdiff")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	d, err := hostdev.New(hostdev.Options{Output: io.Discard}).Devices()
	if err != nil {
		return false, err
	}
	formats := d[0].(driver.ImageDevice).ImageFormats
	jobs := imageJobs(formats)
	if err := runImages(jobs, code, hostdev.Options{}); err != nil {
		return false, err
	}
	edges, same, err := edgesHere(formats, code)
	if err != nil {
		return false, err
	}
	jobs = append(jobs, edges...)
	var source []byte
	if len(files) > 1 {
		if source, err = os.ReadFile(files[1]); err != nil {
			return false, err
		}
	}
	if err := runImagesElsewhere(o, dir, jobs, code, source); err != nil {
		return false, err
	}
	return reportImages(o, dir, jobs) || !same, nil
}

// runImagesElsewhere runs the jobs on the other device, which builds the source if there
// is one and the SPIR-V otherwise. The results are left as files in dir.
func runImagesElsewhere(o options, dir string, jobs []*imageJob, code, source []byte) error {
	text, err := json.Marshal(jobs)
	if err != nil {
		return err
	}
	// The other device runs in Python, in a process of its own: a driver that
	// crashes leaves the results that it wrote.
	files := map[string][]byte{"jobs.json": text, "images.py": imagesHalf, "images.spv": code}
	if source != nil {
		files["images.cl"] = source
	}
	script := filepath.Join(dir, "images.py")
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return err
		}
	}
	cmd := exec.Command(o.python, script, dir)
	cmd.Env = append(os.Environ(), "OCL_ICD_VENDORS="+o.icd)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// maxImageUnits are the units of the last place that a filter or a conversion may
// differ by.
const maxImageUnits = 16

// imageRow counts the jobs of one row of the report; most is the largest
// distance of those that are near.
type imageRow struct {
	equal, near, far, refused int
	most                      float64
}

// rowName is the row that a job counts in: instruction, filter and type.
func (j *imageJob) rowName() string {
	name, _, _ := strings.Cut(j.Kernel, "_")
	if j.Linear {
		name += ", linear"
	}
	return name + ", " + imageLetter(j.desc.Format.Type)
}

// reportImages compares the results of both devices and prints a row for each
// kind of job. A job without a result file is one that the other device refused.
func reportImages(o options, dir string, jobs []*imageJob) (differ bool) {
	rows := map[string]*imageRow{}
	for i, j := range jobs {
		r := rows[j.rowName()]
		if r == nil {
			r = new(imageRow)
			rows[j.rowName()] = r
		}
		theirs, err := os.ReadFile(filepath.Join(dir, strconv.Itoa(i)+".result"))
		if err != nil {
			r.refused++
			continue
		}
		j.own, theirs = j.maskOpen(j.own), j.maskOpen(theirs)
		switch d := j.distance(theirs); {
		case d == 0:
			r.equal++
		// A written channel may differ by one step: the rounding of conversions
		// is the device's choice there.
		case d <= maxImageUnits && !j.Writes || d <= 1:
			r.near, r.most = r.near+1, max(r.most, d)
		default:
			r.far++
			differ = true
			if r.far <= 3 || o.verbose {
				fmt.Printf("differ: %v: %v\n", j, d)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		r := rows[name]
		fmt.Printf("%-20s %5d equal, %5d near (at most %.3g), %5d differ, %5d not of the other device\n", name, r.equal, r.near, r.most, r.far, r.refused)
	}
	return differ
}
