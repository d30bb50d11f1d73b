package imageformat_test

import (
	"fmt"
	"log"
	"math"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev/internal/imageformat"
)

// Two texels of one byte, read between them: the linear filter takes half of
// each, and a coordinate outside takes the nearest.
func ExampleImage_Sample() {
	m, err := imageformat.New(driver.ImageDesc{
		Kind: driver.Image1D, Width: 2, Format: driver.ImageFormat{Order: driver.OrderR, Type: driver.UnormInt8},
	})
	if err != nil {
		log.Fatal(err)
	}
	m.Data = []byte{0, 255}
	s := driver.Sampler{Addressing: driver.AddressClampToEdge, Linear: true}
	for _, x := range []float32{0.5, 1, 1.5, 7} {
		t := m.Sample(s, [3]float32{x})
		fmt.Println(x, math.Float32frombits(t[0]), math.Float32frombits(t[3]))
	}
	// Output:
	// 0.5 0 1
	// 1 0.5 1
	// 1.5 1 1
	// 7 1 1
}
