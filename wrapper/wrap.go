package wrapper

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"offlink/props"
	"offlink/wrapper/abi"
	"offlink/wrapper/devimg"
	"offlink/wrapper/internal/objfile"
)

// WrapOptions choose the object that [Wrap] writes. The zero value means the
// defaults of clang-offload-wrapper on this machine.
type WrapOptions struct {
	// Host is the system that the object is for; the zero Host is
	// [DefaultHost].
	Host Host
	// Emit is the form of the output.
	Emit Emit
	// Record is the version of the image record; 0 is 2, which DPC++ to 2025
	// reads. DPC++ 2026 reads 3, LLVM's own libsycl abi.RecordLLVM.
	Record abi.Record
	// DescriptorName, if not empty, replaces "descriptor" in the name of the
	// descriptor's symbol, and makes it visible to other objects.
	DescriptorName string
	// NoRegister leaves the constructor, the destructor and the table of the
	// images' bounds (.tgtimg) out.
	NoRegister bool
	// NativeCPU says that the images are host code of DPC++'s native CPU
	// device, which is linked in: nothing of their files is copied, and the
	// descriptor names the functions of their entry points.
	NativeCPU bool
}

// Emit is a form of output.
type Emit uint8

// The forms.
const (
	EmitObject Emit = iota // a relocatable object of the host's format
	EmitLLVM               // textual LLVM IR, opaque pointers (LLVM 15 and later)
)

// Wrap writes images as a host object: their bytes, one descriptor tree for
// each kind, and the constructor that hands it to the runtime. The code of
// the images is copied from where it is to w, which is best an *os.File, and
// never held in memory. The output depends on the images and the options
// alone. An image that the format cannot hold is refused before anything
// is written. A fault of one image is an *[abi.ImageError].
func Wrap(w io.Writer, images []*devimg.Image, o WrapOptions) error {
	if o.Host.Triple == "" {
		o.Host = DefaultHost()
	}
	kinds, err := encodeKinds(images, &o)
	if err != nil {
		return err
	}
	if o.Emit == EmitLLVM {
		return writeLLVM(w, kinds, &o)
	}
	if err := o.Host.checkObjects(); err != nil {
		return err
	}
	object, err := buildObject(kinds, &o)
	if err != nil {
		return err
	}
	return object.Write(w)
}

// kindImages is the images of one kind and the tree that describes them.
type kindImages struct {
	kind    devimg.Kind
	images  []*devimg.Image
	numbers []int // of the images among those of all kinds
	tree    *abi.Encoded
}

// encodeKinds sorts the images by kind, in the order of the kinds' numbers,
// and encodes the tree of each.
func encodeKinds(images []*devimg.Image, o *WrapOptions) ([]*kindImages, error) {
	if len(images) == 0 {
		return nil, errors.New("there is no image to wrap")
	}
	byKind := map[devimg.Kind]*kindImages{}
	var kinds []*kindImages
	for i, image := range images {
		k := byKind[image.Kind]
		if k == nil {
			k = &kindImages{kind: image.Kind}
			byKind[image.Kind] = k
			kinds = append(kinds, k)
		}
		k.images = append(k.images, withArch(image))
		k.numbers = append(k.numbers, i)
	}
	slices.SortFunc(kinds, func(a, b *kindImages) int { return int(a.kind) - int(b.kind) })
	for _, k := range kinds {
		if err := k.encodeTree(o); err != nil {
			return nil, err
		}
	}
	return kinds, nil
}

// withArch returns the image with its architecture as a property, since the tables of SYCL have no
// field for it.
func withArch(image *devimg.Image) *devimg.Image {
	if image.Arch == "" || image.Kind != devimg.KindSYCL {
		return image
	}
	return addProperty(image, props.ImageArch, props.String(image.Arch))
}

// encodeTree encodes the descriptor of the images of one kind.
func (k *kindImages) encodeTree(o *WrapOptions) (err error) {
	record := o.Record
	if record == 0 {
		record = abi.Record2
	}
	k.tree, err = abi.Encode(k.images, abi.EncodeOptions{
		Pointer: o.Host.pointer, Record: record,
		DescriptorName: o.DescriptorName, Infos: !o.NoRegister, NativeCPU: o.NativeCPU,
	})
	if fault, ok := errors.AsType[*abi.ImageError](err); ok {
		return &abi.ImageError{Image: k.numbers[fault.Image], Err: fault.Err}
	}
	return err
}

// buildObject builds the object: data, tables, constructor and destructor.
func buildObject(kinds []*kindImages, o *WrapOptions) (*objfile.Object, error) {
	size := imageBytes(kinds, o)
	if err := o.Host.checkSize(size); err != nil {
		return nil, err
	}
	b := newObjectBuilder(o.Host, o.Host.wantsLarge(size))
	for _, k := range kinds {
		if k.kind != devimg.KindSYCL && o.Host.format.hostEntries == nil {
			return nil, fmt.Errorf("images of kind %v: %v has no table of host entries that such a descriptor needs; wrap them for another host", k.kind, o.Host.format.object)
		}
		b.addKind(k, o)
	}
	return b.finishObject(), nil
}

// imageBytes returns the size of the code of all images that is copied.
func imageBytes(kinds []*kindImages, o *WrapOptions) int64 {
	var size int64
	if o.NativeCPU {
		return 0
	}
	for _, k := range kinds {
		for _, image := range k.images {
			size += image.Code.Size()
		}
	}
	return size
}
