package devicecode

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"offlink/runtime/driver"
)

// StoredProgram is a program as a back end stores it: the driver's binary, and
// the tables, which no driver has. Its bytes are a magic text, the SHA-256 of
// the rest, and the three parts, each after its length in 8 bytes,
// little-endian.
type StoredProgram struct {
	Identity string // of the device and its driver
	Tables   Tables
	Code     []byte
}

// DeviceIdentity names the device and driver that a program is for, and the other
// things that the back end depends on.
func DeviceIdentity(info *driver.Info, others ...string) string {
	return strings.Join(append(others, info.Platform, info.PlatformVersion, info.Name, info.Version, info.DriverVersion), "\n")
}

// Encode returns the bytes, which begin with magic. The error is
// driver.ErrUnsupported where there is no code.
func (p *StoredProgram) Encode(magic string) ([]byte, error) {
	if len(p.Code) == 0 {
		return nil, fmt.Errorf("the driver returns no binary: %w", driver.ErrUnsupported)
	}
	tables, err := json.Marshal(p.Tables)
	if err != nil {
		return nil, err
	}
	var body []byte
	for _, part := range [][]byte{[]byte(p.Identity), tables, p.Code} {
		body = binary.LittleEndian.AppendUint64(body, uint64(len(part)))
		body = append(body, part...)
	}
	sum := sha256.Sum256(body)
	return append(append([]byte(magic), sum[:]...), body...), nil
}

// DecodeProgram reads the bytes of Encode. The checksum is compared before a driver sees any
// code, as drivers crash on damaged code.
func DecodeProgram(magic string, data []byte) (*StoredProgram, error) {
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok || len(rest) < sha256.Size {
		return nil, errors.New("not a program of this version of the back end")
	}
	body := rest[sha256.Size:]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], rest[:sha256.Size]) {
		return nil, errors.New("the program was changed: its checksum differs")
	}
	var parts [3][]byte
	for i := range parts {
		if len(body) < 8 || binary.LittleEndian.Uint64(body) > uint64(len(body)-8) {
			return nil, errors.New("the program is cut short")
		}
		n := binary.LittleEndian.Uint64(body)
		parts[i], body = body[8:8+n], body[8+n:]
	}
	if len(body) > 0 {
		return nil, errors.New("the program has bytes at its end")
	}
	p := &StoredProgram{Identity: string(parts[0]), Code: parts[2]}
	return p, json.Unmarshal(parts[1], &p.Tables)
}

// DecodeProgramFor is DecodeProgram for a program of the device with that identity, and
// refuses others. Errors are of type *driver.BuildError.
func DecodeProgramFor(magic, identity, device string, data []byte) (*StoredProgram, error) {
	p, err := DecodeProgram(magic, data)
	if err == nil && p.Identity != identity {
		err = errors.New("the program was built for another device or version of the driver")
	}
	if err != nil {
		return nil, &driver.BuildError{Device: device, Err: err}
	}
	return p, nil
}
