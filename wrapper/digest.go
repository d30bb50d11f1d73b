package wrapper

import (
	"crypto/sha256"
	"fmt"

	"offlink/props"
	"offlink/wrapper/abi"
	"offlink/wrapper/devimg"
)

// addProperty returns the image with a property of its own code.
func addProperty(image *devimg.Image, name string, v props.Value) *devimg.Image {
	sets := &props.Sets{}
	if image.Properties != nil {
		sets.All = append(sets.All, image.Properties.All...)
	}
	own := &props.Set{Name: props.SetOfflinkImage}
	for i, set := range sets.All {
		if set.Name == own.Name {
			own.Properties = append(own.Properties, set.Properties...)
			sets.All[i] = own
		}
	}
	if len(own.Properties) == 0 {
		sets.All = append(sets.All, own)
	}
	own.Put(name, v)
	described := *image
	described.Properties = sets
	return &described
}

// Digest returns the images with the SHA-256 of their code as a property. It
// reads all of the code. Only SYCL images have properties.
func Digest(images []*devimg.Image) ([]*devimg.Image, error) {
	digested := make([]*devimg.Image, len(images))
	for i, image := range images {
		if image.Kind != devimg.KindSYCL {
			return nil, &abi.ImageError{Image: i, Err: fmt.Errorf("an image of kind %v has no properties to hold a digest", image.Kind)}
		}
		sum := sha256.New()
		if err := devimg.Copy(sum, image.Code); err != nil {
			return nil, err
		}
		digested[i] = addProperty(image, props.ImageSHA256, props.Bytes(sum.Sum(nil)))
	}
	return digested, nil
}
