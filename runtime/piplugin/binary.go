package piplugin

import (
	"bytes"
	"context"

	"offlink/runtime/driver"
	"offlink/runtime/internal/devicecode"
	"offlink/runtime/internal/dl"
)

const binaryMagic = "offlink plugin program 1\n"

// identity names the device, driver and plugin that a binary is for.
func (d *Device) identity() string {
	return devicecode.DeviceIdentity(&d.info, d.driver.Name(), d.plugin.Version())
}

// Binary returns the program with the plugin's own code.
func (p *program) Binary() ([]byte, error) {
	if p.binary != nil {
		return bytes.Clone(p.binary), nil
	}
	code, err := p.device.plugin.ProgramBinary(p.handle)
	if err != nil {
		return nil, err
	}
	stored := devicecode.StoredProgram{Identity: p.device.identity(), Tables: p.tables, Code: code}
	return stored.Encode(binaryMagic)
}

// LoadBinary builds a program from its binary form.
func (d *Device) LoadBinary(ctx context.Context, data []byte) (driver.Program, error) {
	if err := ctx.Err(); err != nil {
		return nil, d.buildError(err)
	}
	stored, err := devicecode.DecodeProgramFor(binaryMagic, d.identity(), d.info.Name, data)
	if err != nil {
		return nil, err
	}
	p := &program{device: d, tables: stored.Tables, binary: bytes.Clone(data)}
	err = dl.KeepSignals(d.driver.culprit(), func() (err error) {
		p.handle, err = d.buildBinary(stored.Code, "")
		return err
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}
