// Package devicelib is the device library of the runtime: the functions that
// compilers of SYCL leave to device libraries (libsycl-crt, -cmath, -complex,
// -imf, bfloat16 and their twins __devicelib_*), as SPIR-V images, one for each
// function. An image that imports one of them is linked with it where neither
// the device nor a loaded image has it.
//
// The sources are in the folder source; internal/librarygen makes library.bin of them.
package devicelib

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"offlink/props"
	"offlink/runtime/registry"
	"offlink/spirv"
	"offlink/wrapper/devimg"
)

//go:generate go run offlink/internal/librarygen -o library.bin clang-19 source

//go:embed library.bin
var library []byte

// Owner is the owner of the images, for messages.
var Owner = registry.Owner{Name: "device library"}

// firstID is the ID of the first image, far above those of registries, which count from 1.
const firstID = 1 << 63

// entry is a function of the library, whose image is made on first use.
type entry struct {
	once   sync.Once
	image  *registry.Image
	block  *block
	offset int // in the block
	size   int
	number int
}

// block is the code of some functions. It is unpacked on first use: the whole library would take
// the first launch of a program some milliseconds.
type block struct {
	once   sync.Once
	packed []byte
	code   []byte
}

// entries returns the functions of the library by their names. The file is the size of the
// index, 4 bytes little-endian, the index and the blocks, each compressed; encodeBlocks of
// internal/librarygen describes the index.
var entries = sync.OnceValue(func() map[string]*entry {
	end := 4 + binary.LittleEndian.Uint32(library)
	index, packed := string(unpack(library[4:end])), library[end:]
	all := make(map[string]*entry, strings.Count(index, "\n"))
	in, offset := new(block), 0
	for line := range strings.Lines(index) {
		name, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		size, err := strconv.Atoi(text)
		if err != nil {
			panic(err) // the embedded file is broken
		}
		if name == "-" {
			in.packed, packed = packed[:size], packed[size:]
			in, offset = new(block), 0
			continue
		}
		all[name] = &entry{block: in, offset: offset, size: size, number: len(all)}
		offset += size
	}
	return all
})

func unpack(packed []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic(err) // the embedded file is broken
	}
	data, err := io.ReadAll(z)
	if err != nil {
		panic(err)
	}
	return data
}

func (b *block) unpacked() []byte {
	b.once.Do(func() { b.code = unpack(b.packed) })
	return b.code
}

func newImage(symbol string, code []byte, index int) *registry.Image {
	img := &devimg.Image{
		Kind: devimg.KindSYCL, Format: devimg.FormatSPIRV, Target: "spir64", Code: devimg.Bytes(code),
		Entries: []string{symbol}, HasEntries: true, Properties: new(props.Sets),
	}
	img.Properties.Put(props.SetExportedSymbols, symbol, props.Uint32(1))
	return &registry.Image{Image: img, ID: firstID + uint64(index), Owner: Owner, Index: index, Format: img.Format}
}

// Image returns the image that exports the symbol, nil if the library has none.
// It is the same one each time.
func Image(symbol string) *registry.Image {
	e := entries()[symbol]
	if e == nil {
		return nil
	}
	e.once.Do(func() {
		code := e.block.unpacked()[e.offset : e.offset+e.size : e.offset+e.size]
		e.image = newImage(symbol, code, e.number)
	})
	return e.image
}

// Symbols returns the names of all functions, sorted.
func Symbols() []string { return slices.Sorted(maps.Keys(entries())) }

// Native reports whether the device has the function itself, by the extension
// strings of DPC++'s device libraries (C-CXX-StandardLibrary design document).
func Native(symbol string, extensions []string) bool {
	name, ok := strings.CutPrefix(symbol, "__devicelib_")
	if !ok {
		return false // without unpacking the library, which takes longer than a launch
	}
	img := Image(symbol)
	if img == nil {
		return false
	}
	needed := "cl_intel_devicelib_" + extensionFamily(name)
	if usesDouble(img) {
		needed += "_fp64"
	}
	return slices.Contains(extensions, needed)
}

// extensionFamily is the part of the library that __devicelib_NAME is in.
func extensionFamily(name string) string {
	switch {
	case name == "assert_fail":
		return "assert"
	case name == "memcpy" || name == "memmove" || name == "memset" || name == "memcmp":
		return "cstring"
	case strings.HasPrefix(name, "ConvertFToBF16") || strings.HasPrefix(name, "ConvertBF16ToF"):
		return "bfloat16"
	case strings.HasPrefix(name, "imf_"):
		return "imf"
	case complexNames[strings.TrimSuffix(name, "f")] || strings.HasPrefix(name, "__mul") || strings.HasPrefix(name, "__div"):
		return "complex"
	}
	return "math"
}

// capabilityFloat64 is the operand of OpCapability for double.
const capabilityFloat64 spirv.Capability = 10

func usesDouble(img *registry.Image) bool {
	code, err := devimg.ReadCode(img.Code)
	if err != nil {
		return false
	}
	list, err := spirv.Capabilities(code)
	return err == nil && slices.Contains(list, capabilityFloat64)
}

// complexNames are the functions of <complex.h>.
var complexNames = func() map[string]bool {
	names := make(map[string]bool)
	for _, name := range strings.Fields("cabs cacos cacosh carg casin casinh catan catanh ccos ccosh cexp cimag clog conj cpolar cpow cproj creal csin csinh csqrt ctan ctanh") {
		names[name] = true
	}
	return names
}()
