package opencl

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
)

// The binary form of a program is binaryMagic, the SHA-256 of the rest, the
// identity of the device, the tables and the driver's binary, each after its
// length in 8 bytes, little-endian.
const binaryMagic = "offlink opencl program 1\n"

// identity names the device and driver that a binary is for.
func (d *Device) identity() string {
	return strings.Join([]string{d.info.Platform, d.info.PlatformVersion, d.info.Name, d.info.Version, d.info.DriverVersion}, "\n")
}

// Binary returns the program with the driver's own code.
func (p *program) Binary() ([]byte, error) {
	if p.binary != nil {
		return bytes.Clone(p.binary), nil
	}
	code, err := p.device.api.ProgramBinary(p.handle)
	if err != nil {
		return nil, err
	}
	if len(code) == 0 {
		return nil, fmt.Errorf("the driver gives out no binary: %w", driver.ErrUnsupported)
	}
	tables, err := json.Marshal(p.tables)
	if err != nil {
		return nil, err
	}
	var body []byte
	for _, part := range [][]byte{[]byte(p.device.identity()), tables, code} {
		body = binary.LittleEndian.AppendUint64(body, uint64(len(part)))
		body = append(body, part...)
	}
	sum := sha256.Sum256(body)
	return append(append([]byte(binaryMagic), sum[:]...), body...), nil
}

// LoadBinary builds a program from its binary form. The checksum is compared
// before a driver sees anything: they crash on damaged code.
func (d *Device) LoadBinary(ctx context.Context, data []byte) (driver.Program, error) {
	if err := ctx.Err(); err != nil {
		return nil, d.buildError(err)
	}
	parts, err := splitBinary(data)
	if err != nil {
		return nil, d.buildError(err)
	}
	if string(parts[0]) != d.identity() {
		return nil, d.buildError(errors.New("the program was built for another device or version of the driver"))
	}
	p := &program{device: d, binary: bytes.Clone(data)}
	if err := json.Unmarshal(parts[1], &p.tables); err != nil {
		return nil, d.buildError(err)
	}
	err = dl.KeepSignals(func() (err error) {
		p.handle, err = d.buildBinary(parts[2], "")
		return err
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// splitBinary returns the identity, the tables and the code.
func splitBinary(data []byte) (parts [3][]byte, err error) {
	rest, ok := bytes.CutPrefix(data, []byte(binaryMagic))
	if !ok || len(rest) < sha256.Size {
		return parts, errors.New("not a program of this version of the OpenCL back end")
	}
	body := rest[sha256.Size:]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], rest[:sha256.Size]) {
		return parts, errors.New("the program was changed: its checksum differs")
	}
	for i := range parts {
		if len(body) < 8 || binary.LittleEndian.Uint64(body) > uint64(len(body)-8) {
			return parts, errors.New("the program is cut short")
		}
		n := binary.LittleEndian.Uint64(body)
		parts[i], body = body[8:8+n], body[8+n:]
	}
	if len(body) > 0 {
		return parts, errors.New("the program has bytes at its end")
	}
	return parts, nil
}
