package cuda

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"offlink/ptx"
	"offlink/runtime/driver"
)

// image is linked code with the facts that only its modules had. It is the form in which a
// program is stored.
type image struct {
	code []byte // a cubin, or a fat binary
	// Entries are the kernels of PTX.
	Entries map[string]entry
	// Variables are the names of variables in the code by the host's names.
	Variables map[string]string
	// Offsets reports whether kernels add the offset of a launch.
	Offsets bool
}

// entry is a kernel as its PTX describes it.
type entry struct {
	Params   []param
	Required [3]int
}

// param is a parameter with its place in the block of arguments.
type param struct {
	driver.Param
	Offset int
}

// newEntry lays the parameters out as the ABI of PTX does: each at a multiple
// of its alignment.
func newEntry(e *ptx.Entry) entry {
	made := entry{Required: e.Required}
	offset := 0
	for _, p := range e.Params {
		offset = (offset + p.Align - 1) / p.Align * p.Align
		made.Params = append(made.Params, param{driver.Param{Kind: paramKind(p), Size: p.Size}, offset})
		offset += p.Size
	}
	return made
}

// paramKind distinguishes pointers from values. Compilers that write no .ptr declare
// pointers as 64-bit numbers, so that such a parameter counts as a buffer, for which the
// bytes of an address may be given as well.
func paramKind(p ptx.Param) driver.ParamKind {
	switch {
	case p.Pointer && p.Space == "shared":
		return driver.ParamLocal
	case p.Type == "texref" || p.Type == "samplerref" || p.Type == "surfref":
		return driver.ParamOther
	case p.Pointer || p.Size == 8 && (p.Type == "u64" || p.Type == "b64"):
		return driver.ParamBuffer
	}
	return driver.ParamValue
}

// binaryMagic begins stored programs; its last digit is the version of their
// form:
//
//	+0   magic, 8 bytes
//	+8   SHA-256 of the rest
//	+40  u32 length of the description, JSON of {Device, Driver, Image}
//	+44  the description, then the code
var binaryMagic = []byte("offlcud1")

const (
	binaryHash = 8
	binarySize = 40
	binaryText = 44
)

// description names the device and the driver that a stored program is for.
type description struct {
	Device, Version, Driver string
	Image                   *image
}

// Binary is the program as it is stored: for this device and this version of
// the driver.
func (p *program) Binary() ([]byte, error) {
	info := &p.device.info
	text, err := json.Marshal(description{info.Name, info.Version, info.DriverVersion, p.image})
	if err != nil {
		return nil, err
	}
	out := append(append([]byte{}, binaryMagic...), make([]byte, sha256.Size)...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(text)))
	out = append(append(out, text...), p.image.code...)
	sum := sha256.Sum256(out[binarySize:])
	copy(out[binaryHash:], sum[:])
	return out, nil
}

var errNoBinary = errors.New("the bytes are not a program that this device stored")

// LoadBinary makes a program of the bytes that Binary returned.
func (d *Device) LoadBinary(ctx context.Context, data []byte) (driver.Program, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	i, err := d.readBinary(data)
	if err != nil {
		return nil, err
	}
	var p *program
	err = d.withContext(func() (err error) { p, err = d.loadImage(i); return err })
	if err != nil {
		return nil, d.explainBuild(err)
	}
	return p, nil
}

func (d *Device) readBinary(data []byte) (*image, error) {
	if len(data) < binaryText || !bytes.HasPrefix(data, binaryMagic) {
		return nil, errNoBinary
	}
	if sum := sha256.Sum256(data[binarySize:]); !bytes.Equal(sum[:], data[binaryHash:binarySize]) {
		return nil, errNoBinary
	}
	size := int64(binary.LittleEndian.Uint32(data[binarySize:]))
	if size > int64(len(data)-binaryText) {
		return nil, errNoBinary
	}
	text, code := data[binaryText:binaryText+size], data[binaryText+size:]
	var about description
	if err := json.Unmarshal(text, &about); err != nil || about.Image == nil {
		return nil, errNoBinary
	}
	if about.Device != d.info.Name || about.Version != d.info.Version || about.Driver != d.info.DriverVersion {
		return nil, fmt.Errorf("the program was stored for %s with %s; this is %s with %s", about.Device, about.Driver, d.info.Name, d.info.DriverVersion)
	}
	about.Image.code = bytes.Clone(code)
	return about.Image, nil
}
