package opencl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"offlink/runtime/driver"
	"offlink/runtime/internal/devicecode"
	"offlink/runtime/internal/dl"
)

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
	stored := devicecode.StoredProgram{Identity: p.device.identity(), Tables: p.tables, Code: code}
	return stored.Encode(binaryMagic)
}

// LoadBinary builds a program from its binary form. The checksum is compared
// before a driver sees anything: they crash on damaged code.
func (d *Device) LoadBinary(ctx context.Context, data []byte) (driver.Program, error) {
	if err := ctx.Err(); err != nil {
		return nil, d.buildError(err)
	}
	stored, err := devicecode.DecodeProgram(binaryMagic, data)
	if err == nil && stored.Identity != d.identity() {
		err = errors.New("the program was built for another device or version of the driver")
	}
	if err != nil {
		return nil, d.buildError(err)
	}
	p := &program{device: d, tables: stored.Tables, binary: bytes.Clone(data)}
	err = dl.KeepSignals(func() (err error) {
		p.handle, err = d.buildBinary(stored.Code, "")
		return err
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}
