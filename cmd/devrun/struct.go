package main

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"offlink/cmd/internal/cli"
	"offlink/runtime/driver"
)

// address is a place in an argument for the address of a buffer.
type address struct {
	at     int // in the argument, in bytes
	buffer bufferID
	offset int64 // in the buffer
}

// bufferID names a buffer: an argument, or memory of --buffer.
type bufferID struct {
	extra bool
	index int
}

// parseBufferID reads "2" or "b0".
func parseBufferID(text string) (id bufferID, ok bool) {
	text, id.extra = strings.CutPrefix(text, "b")
	n, err := strconv.ParseUint(text, 10, 31)
	id.index = int(n)
	return id, err == nil
}

// describeBuffer names the buffer in messages.
func (id bufferID) describeBuffer() string {
	if id.extra {
		return fmt.Sprintf("--buffer %d", id.index)
	}
	return fmt.Sprintf("argument %d", id.index)
}

func (id bufferID) String() string {
	if id.extra {
		return fmt.Sprintf("buffer%d", id.index)
	}
	return fmt.Sprintf("arg%d", id.index)
}

// missingMessage says that the buffer does not exist.
func (id bufferID) missingMessage() string {
	if id.extra {
		return fmt.Sprintf("there is no --buffer %d; the first is number 0", id.index)
	}
	return fmt.Sprintf("argument %d is not a buffer", id.index)
}

// outName returns the name of the buffer as --out takes it, which parseBufferID reads.
func (id bufferID) outName() string {
	if id.extra {
		return fmt.Sprintf("b%d", id.index)
	}
	return fmt.Sprint(id.index)
}

// maxValueFile bounds the file from which an argument by value is read. Devices take a few
// kilobytes.
const maxValueFile = 1 << 20

// parseBytes reads hexadecimal digits, or @FILE.
func parseBytes(text, rest string) ([]byte, error) {
	if file, ok := strings.CutPrefix(rest, "@"); ok {
		data, err := readFile(file, maxValueFile)
		if err != nil {
			return nil, err
		}
		if len(data) == 0 {
			return nil, fmt.Errorf("%s: is empty", file)
		}
		return data, nil
	}
	data, err := hex.DecodeString(rest)
	if err != nil {
		return nil, specErrorf(text, "%q is not bytes: write two hexadecimal digits for each, or @FILE", rest)
	}
	return data, nil
}

// parseStruct lays the fields out as C does; bytes are not aligned.
func parseStruct(text, rest string) (*spec, error) {
	s := &spec{text: text, kind: specValue}
	align := 1
	for field := range strings.SplitSeq(rest, ",") {
		n, err := s.addField(field)
		if err != nil {
			return nil, err
		}
		align = max(align, n)
	}
	s.padTo(align)
	return s, nil
}

// padTo appends zeros up to a multiple of the alignment, as a compiler would leave
// bytes that no field has.
func (s *spec) padTo(align int) {
	for len(s.data)%align != 0 {
		s.data = append(s.data, 0)
	}
}

// addField appends a field and returns its alignment.
func (s *spec) addField(field string) (int, error) {
	kind, value, ok := strings.Cut(field, ":")
	switch {
	case !ok || value == "":
		return 0, specErrorf(s.text, "%q is not a field: write TYPE:VALUE, ptr:N, ptr:N+BYTES or bytes:HEX", field)
	case kind == "ptr":
		return 8, s.addAddress(value)
	case kind == "bytes":
		data, err := parseBytes(s.text, value)
		s.data = append(s.data, data...)
		return 1, err
	}
	elem, err := elementNamed(s.text, kind)
	if err != nil {
		return 0, err
	}
	s.padTo(elem.size)
	if s.data, err = elem.encodeValue(s.data, value); err != nil {
		return 0, specErrorf(s.text, "%v", err)
	}
	return elem.size, nil
}

// addAddress appends room for an address. The address itself is known only once the buffer
// has its memory (resolveAddresses).
func (s *spec) addAddress(value string) error {
	s.padTo(8)
	name, plus, hasOffset := strings.Cut(value, "+")
	a := address{at: len(s.data)}
	var ok bool
	if a.buffer, ok = parseBufferID(name); !ok {
		return specErrorf(s.text, "%q is not a buffer: write the number of the argument, or b and the number of the --buffer", name)
	}
	if hasOffset {
		n, err := strconv.ParseUint(plus, 0, 62)
		if err != nil {
			return specErrorf(s.text, "%q is not a number of bytes", plus)
		}
		a.offset = int64(n)
	}
	s.data = append(s.data, make([]byte, 8)...)
	s.addresses = append(s.addresses, a)
	return nil
}

// checkAddresses refuses addresses of arguments that are not buffers, or beyond a buffer's end.
func (j *job) checkAddresses() error {
	for _, s := range j.specs {
		for _, a := range s.addresses {
			b := j.findBuffer(a.buffer)
			switch {
			case b == nil:
				return specErrorf(s.text, "%s", a.buffer.missingMessage())
			case a.offset > b.size:
				return specErrorf(s.text, "byte %d is beyond the end of %s, which has %d bytes", a.offset, a.buffer.describeBuffer(), b.size)
			}
		}
	}
	return nil
}

// findBuffer is the buffer of that name, nil if there is none.
func (j *job) findBuffer(id bufferID) *spec {
	list := j.specs
	if id.extra {
		list = j.extra
	}
	if id.index >= len(list) || list[id.index].kind != specBuffer {
		return nil
	}
	return list[id.index]
}

// parseExtra reads the --buffer options.
func (j *job) parseExtra(list []string) error {
	for _, text := range list {
		s, err := parseBuffer(text, text)
		if err != nil {
			var usage *cli.ExitError
			if errors.As(err, &usage) {
				return cli.Usagef("--buffer %s: write TYPE:COUNT, TYPE:V,V,... or TYPE:@FILE", text)
			}
			return err
		}
		j.extra = append(j.extra, s)
	}
	return nil
}

// resolveAddresses returns the bytes of a value with the addresses in their places. That
// takes a device whose memory has addresses (driver.Addresser): an OpenCL driver without
// unified or virtual memory has only handles.
func (j *job) resolveAddresses(s *spec) ([]byte, error) {
	data := append([]byte(nil), s.data...)
	for _, a := range s.addresses {
		memory, ok := j.findBuffer(a.buffer).memory.(driver.Addresser)
		if !ok {
			return nil, errors.New("the device does not give the addresses of its memory, which struct:ptr: needs")
		}
		binary.LittleEndian.PutUint64(data[a.at:], memory.Address()+uint64(a.offset))
	}
	return data, nil
}
