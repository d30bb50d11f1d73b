package runtime

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
	"offlink/runtime/registry"
	"offlink/wrapper/devimg"
)

// namedFake is a fake driver of another name, which takes images of one target.
type namedFake struct {
	*drivertest.Fake
	name, target string
	closed       *[]string
}

func (f namedFake) Name() string { return f.name }

func (f namedFake) Close() error {
	*f.closed = append(*f.closed, f.name)
	return nil
}

func (f namedFake) Devices() ([]driver.Device, error) {
	list, err := f.Fake.Devices()
	for i := range list {
		list[i] = pickyDevice{list[i], f.target}
	}
	return list, err
}

type pickyDevice struct {
	driver.Device
	target string
}

func (d pickyDevice) Accepts(img driver.Image) error {
	if img.Target != d.target {
		return fmt.Errorf("it takes %s", d.target)
	}
	return nil
}

// TestOnlyNeededBackends: a selector opens the back ends that it names, and of
// those that it does not tell apart, no more than it takes to find a device.
func TestOnlyNeededBackends(t *testing.T) {
	for _, c := range []struct{ selector, want, opened string }{
		{"", "spirv:0", "ptx spirv"},
		{"*:cpu", "spirv:0", "ptx spirv"},
		{"ptx", "ptx:0", "ptx"},
		{"host", "host:0", "host"},
		{"HOST:0", "host:0", "host"},
		{"plugin", "plugin:0", "plugin"},
		{"host:7", "", "host plugin ptx spirv"},
		{"nowhere", "", "plugin ptx spirv host"},
	} {
		var opened, closed []string
		backend := func(known, name, target string) Backend {
			return Backend{Name: known, Open: func() ([]driver.Driver, error) {
				opened = append(opened, name)
				return []driver.Driver{namedFake{newFake(), name, target, &closed}}, nil
			}}
		}
		rt := NewLazily([]Backend{
			backend("ptx", "ptx", "nvptx64"), backend("spirv", "spirv", "spir64"), backend("", "plugin", "nvptx64"), backend("host", "host", "spir64"),
		}, Options{})
		rt.Register(registry.Owner{ID: 1, Name: "app"}, []*devimg.Image{{Target: "spir64", Format: devimg.FormatSPIRV, Code: devimg.Bytes(nil)}})
		d, err := rt.Device(c.selector)
		if got := fmt.Sprint(d); err == nil && got != c.want || err != nil && c.want != "" {
			t.Errorf("%q: %v, %v; want %s", c.selector, d, err, c.want)
		}
		slices.Sort(opened)
		want := strings.Fields(c.opened)
		if slices.Sort(want); !slices.Equal(opened, want) {
			t.Errorf("%q opens %v, not %v", c.selector, opened, want)
		}
		if err := rt.Shutdown(); err != nil {
			t.Error(err)
		}
		if slices.Sort(closed); !slices.Equal(closed, opened) {
			t.Errorf("%q: %v were opened and %v closed", c.selector, opened, closed)
		}
	}
}
