package levelzero

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"offlink/runtime/driver"
	"offlink/runtime/internal/devicecode"
	"offlink/runtime/internal/dl"
	"offlink/runtime/internal/ze"
)

const binaryMagic = "offlink level zero program 1\n"

// identity names the device and driver that a binary is for.
func (d *Device) identity() string {
	return devicecode.DeviceIdentity(&d.info)
}

// Binary returns the program as the driver's native binaries: of each of its modules,
// which are linked again when they are loaded.
func (p *program) Binary() ([]byte, error) {
	if p.binary != nil {
		return bytes.Clone(p.binary), nil
	}
	var code []byte
	for _, module := range p.modules {
		native, err := p.device.library.NativeBinary(module)
		if err != nil {
			return nil, err
		}
		if len(native) == 0 {
			return nil, fmt.Errorf("the driver returns no binary of a module: %w", driver.ErrUnsupported)
		}
		code = append(binary.LittleEndian.AppendUint64(code, uint64(len(native))), native...)
	}
	stored := devicecode.StoredProgram{Identity: p.device.identity(), Tables: p.tables, Code: code}
	return stored.Encode(binaryMagic)
}

// LoadBinary makes a program of the bytes that Binary returned.
func (d *Device) LoadBinary(ctx context.Context, data []byte) (driver.Program, error) {
	if err := ctx.Err(); err != nil {
		return nil, d.buildError(err)
	}
	stored, err := devicecode.DecodeProgramFor(binaryMagic, d.identity(), d.info.Name, data)
	if err != nil {
		return nil, err
	}
	sources, err := nativeSources(stored.Code)
	if err != nil {
		return nil, d.buildError(err)
	}
	p := &program{device: d, tables: stored.Tables, binary: bytes.Clone(data)}
	if err := p.closeUnless(dl.KeepSignals("a Level Zero driver", func() error { return p.loadModules(ze.FormatNative, sources) })); err != nil {
		return nil, err
	}
	return p, nil
}

// nativeSources takes the code of a stored program apart.
func nativeSources(code []byte) (list []ze.Source, err error) {
	for len(code) > 0 {
		if len(code) < 8 || binary.LittleEndian.Uint64(code) > uint64(len(code)-8) {
			return nil, errors.New("the program's modules are cut short")
		}
		n := binary.LittleEndian.Uint64(code)
		list, code = append(list, ze.Source{Code: code[8 : 8+n]}), code[8+n:]
	}
	if len(list) == 0 {
		return nil, errors.New("the program has no modules")
	}
	return list, nil
}
