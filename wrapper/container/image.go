package container

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"slices"

	"offlink/props"
	"offlink/wrapper/devimg"
)

// Uncompress returns the image as it was before it was compressed: its code,
// its format, and its properties without those that [wrapper.Compress] added.
// Images of other tools do not have these, and their format is FormatNone. An
// entry that a CUDA fat binary compressed is inflated too. An image that is not
// compressed is returned unchanged.
func Uncompress(img *devimg.Image, b *Budget) (*devimg.Image, error) {
	if packed, ok := img.Code.(*packedCode); ok {
		code, err := packed.inflate(b)
		if err != nil {
			return nil, err
		}
		plain := *img
		plain.Code = code
		return &plain, nil
	}
	if img.Format != devimg.FormatCompressedNone {
		return img, nil
	}
	code, err := InflateImage(img.Code, b)
	if err != nil {
		return nil, err
	}
	facts := img.Properties.Get(props.SetOfflinkImage)
	if v, ok := facts.Get(props.ImageSize); ok && !bytes.Equal(v.Data(), binary.LittleEndian.AppendUint64(nil, uint64(code.Size()))) {
		return nil, fmt.Errorf("the compressed code grows to %d bytes, and its property %s has another size", code.Size(), props.ImageSize)
	}
	plain := *img
	plain.Code, plain.Format = code, devimg.FormatNone
	if v, ok := facts.Get(props.ImageFormat); ok {
		plain.Format = devimg.Format(v.Uint32())
	}
	plain.Properties = withoutFacts(img.Properties, props.ImageFormat, props.ImageSize)
	return &plain, nil
}

// withoutFacts returns the sets without these properties of SetOfflinkImage,
// and without that set once it is empty.
func withoutFacts(sets *props.Sets, names ...string) *props.Sets {
	facts := sets.Get(props.SetOfflinkImage)
	if facts == nil {
		return sets
	}
	kept := &props.Set{Name: facts.Name}
	for _, p := range facts.Properties {
		if !slices.Contains(names, p.Name) {
			kept.Put(p.Name, p.Value)
		}
	}
	rest := &props.Sets{}
	for _, set := range sets.All {
		switch {
		case set != facts:
			rest.All = append(rest.All, set)
		case len(kept.Properties) > 0:
			rest.All = append(rest.All, kept)
		}
	}
	return rest
}

// DigestError is returned if the code of an image does not have the digest that was taken when it
// was wrapped.
type DigestError struct{ Want, Got []byte }

func (e *DigestError) Error() string {
	return fmt.Sprintf("the code does not have the digest that was taken when it was wrapped: it was changed or damaged (sha256 %x, the property says %x)", e.Got, e.Want)
}

// VerifyDigest compares the code with the digest in the image's properties, and reports whether
// there is one. If they differ, the error is a *[DigestError].
func VerifyDigest(img *devimg.Image, b *Budget) (has bool, err error) {
	v := NewVerifier(img)
	if v.want == nil {
		return false, nil
	}
	plain, err := Uncompress(img, b)
	if err != nil {
		return true, err
	}
	if err := devimg.Copy(v, plain.Code); err != nil {
		return true, err
	}
	return true, v.Verify()
}

// Verifier compares code that is written to it with a digest.
type Verifier struct {
	want []byte // nil: there is none
	sum  hash.Hash
}

// NewVerifier returns a verifier for the code of an image, as it is before compression. For an
// image without a digest, and for nil, it accepts all code.
func NewVerifier(img *devimg.Image) *Verifier {
	if img == nil {
		return &Verifier{}
	}
	want, has := img.Properties.Get(props.SetOfflinkImage).Get(props.ImageSHA256)
	if !has {
		return &Verifier{}
	}
	return &Verifier{append([]byte{}, want.Data()...), sha256.New()}
}

// Write implements [io.Writer].
func (v *Verifier) Write(p []byte) (int, error) {
	if v.sum == nil {
		return len(p), nil
	}
	return v.sum.Write(p)
}

// Verify returns a *[DigestError] if the bytes that were written have another
// digest.
func (v *Verifier) Verify() error {
	if v.sum == nil {
		return nil
	}
	if got := v.sum.Sum(nil); !bytes.Equal(got, v.want) {
		return &DigestError{v.want, got}
	}
	return nil
}
