package props

// Properties of SetOfflinkImage.
const (
	ImageFormat = "format" // UINT32: the format before compression
	ImageSize   = "size"   // 8 bytes, little-endian: the size before compression
	ImageSHA256 = "sha256" // 32 bytes: of the code before compression
	ImageArch   = "arch"   // text: the processor of the target
)
