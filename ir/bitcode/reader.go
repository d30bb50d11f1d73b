package bitcode

import (
	"encoding/binary"
	"errors"
	"fmt"

	"offlink/ir"
	"offlink/ir/bitcode/bitstream"
	"offlink/ir/llvmschema"
)

// Magic bytes of bitcode and of the wrapper that Darwin puts around it.
var (
	magic        = [4]byte{'B', 'C', 0xC0, 0xDE}
	wrapperMagic = [4]byte{0xDE, 0xC0, 0x17, 0x0B}
)

// maxSize bounds the input. Offsets of chunks, records and strings are kept in 32 bits, which takes
// half the memory of 64.
const maxSize = 1<<32 - 1

// IsBitcode reports whether data begins like bitcode, wrapped or not.
func IsBitcode(data []byte) bool {
	return len(data) >= 4 && ([4]byte(data) == magic || [4]byte(data) == wrapperMagic)
}

// Read reads the module of a bitcode file. path is its name for messages. The
// module does not refer to data.
//
// Errors name the bit of the file at which they were found.
func Read(path string, data []byte) (*ir.Module, error) {
	m, err := readFile(path, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// readFile reads a bitcode file, with or without Apple's wrapper. Errors count bits from the start
// of the file.
func readFile(path string, data []byte) (*ir.Module, error) {
	if uint64(len(data)) > maxSize {
		return nil, fmt.Errorf("bitcode of %d bytes: the limit is 4 GiB", len(data))
	}
	start, stream, err := unwrapFile(data)
	if err != nil {
		return nil, err
	}
	m, err := readStream(stream)
	if err != nil {
		var at *bitstream.Error
		if errors.As(err, &at) {
			at.Bit += uint64(start) * 8
		}
		return nil, err
	}
	m.Path, m.Size = path, int64(len(data))
	return m, nil
}

// unwrapFile returns the bitstream without the wrapper, and where it begins. The wrapper's header
// has five words: magic, version, offset, size, CPU type (LLVM, BitCodeFormat, "Bitcode Wrapper
// Format").
func unwrapFile(data []byte) (start int, stream []byte, err error) {
	if len(data) >= 4 && [4]byte(data) == wrapperMagic {
		if len(data) < 20 {
			return 0, nil, fmt.Errorf("bitcode wrapper of %d bytes is cut short", len(data))
		}
		offset, size := binary.LittleEndian.Uint32(data[8:]), binary.LittleEndian.Uint32(data[12:])
		if uint64(offset)+uint64(size) > uint64(len(data)) {
			return 0, nil, fmt.Errorf("bitcode wrapper names bytes %d to %d of a file of %d", offset, uint64(offset)+uint64(size), len(data))
		}
		start, data = int(offset), data[offset:][:size]
	}
	if len(data) < 4 || [4]byte(data) != magic {
		return 0, nil, errors.New("not LLVM bitcode: the magic bytes are missing")
	}
	return start, data, nil
}

// topLevel is the content of a file with one module.
type topLevel struct {
	producer string
	module   bitstream.Block
	modules  int // in the file
	strtab   []byte
}

// readStream reads the only module of a stream: identification, module, string table.
func readStream(stream []byte) (*ir.Module, error) {
	s := &source{strings: stream, info: bitstream.Info{}}
	top := bitstream.NewCursor(stream, 32, s.info)
	file, err := findModule(top)
	if err != nil {
		return nil, err
	}
	s.producer, s.strtab = file.producer, string(file.strtab)
	r := &moduleReader{source: s, module: &ir.Module{Source: s, Producer: file.producer}}
	s.module = r.module
	if err := r.readModule(top.Open(file.module)); err != nil {
		return nil, err
	}
	return r.module, nil
}

// findModule walks the top level: identification, module, string table. The symbol table there is
// made from the others and is not read.
func findModule(top *bitstream.Cursor) (file topLevel, err error) {
	for {
		e, err := top.Next()
		if err != nil {
			return file, err
		}
		switch e.Kind {
		case bitstream.End:
			return file, file.checkBlocks()
		case bitstream.SubBlock:
			err = file.readBlock(top, e.Block)
		}
		// LLVM skips records outside of blocks as well.
		if err != nil {
			return file, err
		}
	}
}

// readBlock notes a block. The first of each kind counts, since blocks before a second module
// belong to that.
func (f *topLevel) readBlock(top *bitstream.Cursor, b bitstream.Block) (err error) {
	switch b.ID {
	case llvmschema.BlockIdentification:
		var producer string
		producer, err = readIdentification(top.Open(b))
		if f.modules == 0 {
			f.producer = producer
		}
	case llvmschema.BlockModule:
		if f.modules++; f.modules == 1 {
			f.module = b
		}
	case llvmschema.BlockStrtab:
		if f.strtab == nil {
			f.strtab, err = readBlob(top.Open(b))
		}
	}
	return err
}

// checkBlocks refuses files with no module or with several. llvm-cat -b and ThinLTO put several
// modules into one file; the one that is meant cannot be guessed.
func (f *topLevel) checkBlocks() error {
	switch {
	case f.modules == 0:
		return errors.New("the bitcode file holds no module")
	case f.modules > 1:
		return fmt.Errorf("the bitcode file holds %d modules; take them apart with llvm-modextract, or link them with llvm-link", f.modules)
	}
	return nil
}

// readIdentification returns the producer ("LLVM19.1.7"). The epoch is the version of the encoding,
// of which 0 is the only one so far. Another epoch may encode everything differently, so it is
// refused before the module is read.
func readIdentification(c *bitstream.Cursor) (producer string, err error) {
	for {
		e, err := c.Next()
		if err != nil || e.Kind == bitstream.End {
			return producer, err
		}
		switch {
		case e.Kind != bitstream.Record:
		case c.Code == llvmschema.IdentificationString:
			producer = textOf(c.Operands)
		case c.Code == llvmschema.IdentificationEpoch && len(c.Operands) > 0 && c.Operands[0] != 0:
			return "", c.Errorf("bitcode of epoch %d; only epoch 0 is known", c.Operands[0])
		}
	}
}

// readBlob returns the last blob of a block.
func readBlob(c *bitstream.Cursor) (blob []byte, err error) {
	for {
		e, err := c.Next()
		if err != nil || e.Kind == bitstream.End {
			return blob, err
		}
		if e.Kind == bitstream.Record && c.Blob != nil {
			blob = c.Blob
		}
	}
}

// textOf returns the string that operands spell, a byte each. Abbreviations of 6, 7 and 8 bits all
// decode to bytes, so no character is above 255.
func textOf(operands []uint64) string {
	b := make([]byte, len(operands))
	for i, v := range operands {
		b[i] = byte(v)
	}
	return string(b)
}

// appendText spells a string as operands.
func appendText(dst []uint64, s string) []uint64 {
	for i := range len(s) {
		dst = append(dst, uint64(s[i]))
	}
	return dst
}
