package kernelargs

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"offlink/runtime/driver"
)

// memory lies where its location says.
type memory struct {
	driver.Memory
	size int64
	at   Location
}

func (m *memory) Size() int64 { return m.size }

// recorder is a kernel object that lists its calls.
type recorder struct {
	calls     []string
	freed     uint64
	addresses bool
	failNext  bool
	parts     SubBuffers
	lastPart  uintptr
}

func (r *recorder) note(format string, args ...any) error {
	r.calls = append(r.calls, fmt.Sprintf(format, args...))
	if r.failNext {
		r.failNext = false
		return errors.New("it fails")
	}
	return nil
}

func (r *recorder) SetBytes(i int, value []byte) error { return r.note("%d bytes %x", i, value) }
func (r *recorder) SetLocal(i int, size int64) error   { return r.note("%d local %d", i, size) }
func (r *recorder) SetAddress(i int, a uintptr) error  { return r.note("%d address %d", i, a) }
func (r *recorder) SetNull(i int) error                { return r.note("%d null", i) }
func (r *recorder) HasAddresses() bool                 { return r.addresses }
func (r *recorder) Freed() uint64                      { return r.freed }
func (r *recorder) release(part uintptr) error         { return r.note("release %d", part) }
func (r *recorder) Locate(m driver.Memory) (Location, error) {
	return m.(*memory).at, nil
}

func (r *recorder) SetBuffer(i int, buffer uintptr, offset, size int64) error {
	if err := r.note("%d buffer %d+%d:%d", i, buffer, offset, size); err != nil {
		return err
	}
	var part uintptr
	if offset > 0 {
		r.lastPart++
		part = r.lastPart
	}
	return r.parts.Replace(i, part, r.release)
}

func (r *recorder) takeCalls() []string {
	calls := r.calls
	r.calls = nil
	return calls
}

func TestArguments(t *testing.T) {
	unified := &memory{size: 16, at: Location{Address: 1000}}
	object := &memory{size: 16, at: Location{Buffer: 7}}
	type launch struct {
		arg   driver.Arg
		freed uint64 // before it
		fails bool
		want  []string
	}
	value := func(v ...byte) driver.Arg { return driver.Arg{Value: v} }
	for _, c := range []struct {
		name     string
		kind     driver.ParamKind
		launches []launch
	}{
		{"a value is set once", driver.ParamValue, []launch{
			{arg: value(1), want: []string{"0 bytes 01"}}, {arg: value(1)}, {arg: value(2), want: []string{"0 bytes 02"}}, {arg: value(2), freed: 1},
		}},
		{"a value whose setting failed is set again", driver.ParamValue, []launch{
			{arg: value(1), fails: true, want: []string{"0 bytes 01"}}, {arg: value(1), want: []string{"0 bytes 01"}},
		}},
		{"local memory", driver.ParamLocal, []launch{
			{arg: driver.Arg{LocalSize: 8}, want: []string{"0 local 8"}},
			{arg: driver.Arg{LocalSize: 8}},
			{arg: driver.Arg{LocalSize: 4}, want: []string{"0 local 4"}},
		}},
		{"an address is set again after memory was freed", driver.ParamBuffer, []launch{
			{arg: driver.Arg{Memory: unified}, want: []string{"0 address 1000"}},
			{arg: driver.Arg{Memory: unified}},
			{arg: driver.Arg{Memory: unified, Offset: 8}, want: []string{"0 address 1008"}},
			{arg: driver.Arg{Memory: unified, Offset: 8}, freed: 1, want: []string{"0 address 1008"}},
		}},
		{"a buffer is set again after memory was freed", driver.ParamBuffer, []launch{
			{arg: driver.Arg{Memory: object}, want: []string{"0 buffer 7+0:16"}},
			{arg: driver.Arg{Memory: object}},
			{arg: driver.Arg{Memory: object}, freed: 1, want: []string{"0 buffer 7+0:16"}},
		}},
		{"the part before is released", driver.ParamBuffer, []launch{
			{arg: driver.Arg{Memory: object, Offset: 4}, want: []string{"0 buffer 7+4:12"}},
			{arg: driver.Arg{Memory: object, Offset: 4}},
			{arg: driver.Arg{Memory: object, Offset: 8}, want: []string{"0 buffer 7+8:8", "release 1"}},
			{arg: driver.Arg{Memory: object}, want: []string{"0 buffer 7+0:16", "release 2"}},
		}},
		{"an address in bytes", driver.ParamBuffer, []launch{
			{arg: value(232, 3, 0, 0, 0, 0, 0, 0), want: []string{"0 address 1000"}},
			{arg: driver.Arg{Memory: unified}},
			{arg: driver.Arg{Value: []byte{}}, want: []string{"0 address 0"}},
			{arg: value(1, 2), fails: true},
		}},
		{"an image", driver.ParamOther, []launch{{arg: value(1), fails: true}}},
		{"nothing", driver.ParamValue, []launch{{fails: true}}},
	} {
		r, a := &recorder{addresses: true}, New([]driver.Param{{Kind: c.kind}})
		for i, l := range c.launches {
			r.freed, r.failNext = max(r.freed, l.freed), l.fails
			err := a.SetAll(r, []driver.Arg{l.arg})
			if got := r.takeCalls(); !slices.Equal(got, l.want) || (err != nil) != l.fails {
				t.Errorf("%s, launch %d: %q, %v; want %q", c.name, i, got, err, l.want)
			}
		}
	}
}

func TestArgumentsWithoutAddresses(t *testing.T) {
	r, a := &recorder{}, New([]driver.Param{{Kind: driver.ParamBuffer}})
	if err := a.SetAll(r, []driver.Arg{{Value: make([]byte, 8)}}); err != nil || !slices.Equal(r.takeCalls(), []string{"0 null"}) {
		t.Errorf("the null pointer: %v", err)
	}
	if err := a.SetAll(r, []driver.Arg{{Value: []byte{1, 0, 0, 0, 0, 0, 0, 0}}}); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("an address: %v", err)
	}
	if err := a.SetAll(r, nil); err == nil {
		t.Error("too few arguments are taken")
	}
	if err := a.SetAll(r, []driver.Arg{{Memory: &memory{size: 4, at: Location{Buffer: 1}}, Offset: 5}}); err == nil {
		t.Error("an offset beyond the memory is taken")
	}
}

func TestSubBuffersClose(t *testing.T) {
	r := &recorder{}
	if err := errors.Join(r.parts.Replace(0, 5, r.release), r.parts.Replace(2, 6, r.release), r.parts.Close(r.release)); err != nil {
		t.Fatal(err)
	}
	got := r.takeCalls()
	slices.Sort(got)
	if !slices.Equal(got, []string{"release 5", "release 6"}) {
		t.Errorf("%q", got)
	}
	if err := r.parts.Close(r.release); err != nil || len(r.calls) > 0 {
		t.Errorf("closed twice: %v, %q", err, r.calls)
	}
}

// TestImagesAreRefused: a parameter that is an image or a sampler takes no
// argument, whatever is passed; the driver is not asked.
func TestImagesAreRefused(t *testing.T) {
	for _, arg := range []driver.Arg{{}, {Value: make([]byte, 8)}, {Memory: &memory{}}, {LocalSize: 8}} {
		r, a := &recorder{}, New([]driver.Param{{Kind: driver.ParamOther}})
		if err := a.SetAll(r, []driver.Arg{arg}); !errors.Is(err, driver.ErrUnsupported) || len(r.calls) > 0 {
			t.Errorf("%+v: %v, calls %q; want ErrUnsupported", arg, err, r.calls)
		}
	}
}
