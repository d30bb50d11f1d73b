package driver

// Images and samplers: optional interfaces, as those of native.go. The numbers of
// orders, types and modes are OpenCL's, so that a back end passes them on and a
// host program need not translate them.

// ImageKind is the shape of an image.
type ImageKind int

// The kinds of images.
const (
	Image1D ImageKind = iota + 1
	Image1DBuffer
	Image1DArray
	Image2D
	Image2DArray
	Image3D
)

var imageKinds = [...]string{
	Image1D: "image1d", Image1DBuffer: "image1d_buffer", Image1DArray: "image1d_array",
	Image2D: "image2d", Image2DArray: "image2d_array", Image3D: "image3d",
}

// String is the name of the kind in OpenCL C, without _t.
func (k ImageKind) String() string {
	if k < Image1D || k > Image3D {
		return "image of an unknown kind"
	}
	return imageKinds[k]
}

// ImageFormat is the channels of a texel and the type of each, as cl_image_format.
type ImageFormat struct {
	Order ChannelOrder
	Type  ChannelType
}

// ChannelOrder is a cl_channel_order.
type ChannelOrder uint32

// The channel orders. x stands for a channel that is not read.
const (
	OrderR ChannelOrder = 0x10B0 + iota
	OrderA
	OrderRG
	OrderRA
	OrderRGB
	OrderRGBA
	OrderBGRA
	OrderARGB
	OrderIntensity
	OrderLuminance
	OrderRx
	OrderRGx
	OrderRGBx
	OrderDepth
	OrderDepthStencil
	OrderSRGB
	OrderSRGBx
	OrderSRGBA
	OrderSBGRA
	OrderABGR
)

// ChannelType is a cl_channel_type.
type ChannelType uint32

// The types of channels.
const (
	SnormInt8 ChannelType = 0x10D0 + iota
	SnormInt16
	UnormInt8
	UnormInt16
	UnormShort565
	UnormShort555
	UnormInt101010
	SignedInt8
	SignedInt16
	SignedInt32
	UnsignedInt8
	UnsignedInt16
	UnsignedInt32
	HalfFloat
	Float
	UnormInt24
	UnormInt101010Two // 10 bits of red, green and blue, 2 of alpha
)

// ImageDesc describes an image, as cl_image_desc. Sizes of dimensions that the kind
// lacks are ignored. A pitch of 0 is the least.
type ImageDesc struct {
	Kind   ImageKind
	Format ImageFormat

	Width, Height, Depth int
	Layers               int   // of an array
	RowPitch, SlicePitch int64 // bytes from row to row, and from slice or layer to the next
	// Buffer is the memory that the image shares: of an Image1DBuffer always, of an
	// Image2D if it is set, from Offset on, in bytes. An Image2D can share the memory
	// of an ImageMemory too, with texels of the same size. It outlives the image.
	Buffer Memory
	Offset int64
}

// ImageMemory is memory that kernels access as an image. It is a Memory whose Size is in
// bytes, and which only the transfers of ImageQueue take.
type ImageMemory interface {
	Memory
	// Desc describes the image with its pitches.
	Desc() ImageDesc
}

// AddressingMode is a cl_addressing_mode: the color outside the image.
type AddressingMode uint32

// The addressing modes.
const (
	AddressNone AddressingMode = 0x1130 + iota
	AddressClampToEdge
	AddressClamp // the border color
	AddressRepeat
	AddressMirroredRepeat
)

// Sampler is how an image is read, as clCreateSamplerWithProperties describes it. It
// is passed by value and needs no Close.
type Sampler struct {
	Normalized bool // coordinates go from 0 to 1
	Addressing AddressingMode
	Linear     bool // else the nearest texel is read
}

// ImageDevice is a Device with images.
type ImageDevice interface {
	// NewImage makes an image of zeros, or of the memory of desc.Buffer.
	NewImage(desc ImageDesc) (ImageMemory, error)
	// ImageFormats lists the formats of a kind.
	ImageFormats(kind ImageKind) []ImageFormat
}

// ImageBox is a part of an image: the first texel of it, and its size in texels,
// rows, and slices or layers. The second of an Image1DArray is its layers.
type ImageBox struct {
	Origin [3]int
	Size   [3]int
}

// HostImage is texels in the host's memory. A pitch of 0 is the least for the box.
type HostImage struct {
	Data                 []byte
	RowPitch, SlicePitch int64
}

// ImageQueue is a Queue of an ImageDevice.
type ImageQueue interface {
	// WriteImage copies texels to a part of the image, ReadImage from it.
	WriteImage(to ImageMemory, box ImageBox, from HostImage, s Sync) error
	ReadImage(from ImageMemory, box ImageBox, to HostImage, s Sync) error
	// CopyImage copies the box of an image to one of the same format.
	CopyImage(to ImageMemory, toOrigin [3]int, from ImageMemory, box ImageBox, s Sync) error
	// CopyFromImage copies texels to memory, without gaps between rows, and
	// CopyToImage copies them back.
	CopyFromImage(to Memory, toOffset int64, from ImageMemory, box ImageBox, s Sync) error
	CopyToImage(to ImageMemory, box ImageBox, from Memory, fromOffset int64, s Sync) error
	// FillImage sets each texel of the box to a color: four floats, or four integers
	// of 32 bits for formats of integers, in the order red, green, blue, alpha.
	FillImage(to ImageMemory, box ImageBox, color [4]uint32, s Sync) error
}
