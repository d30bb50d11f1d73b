package container

import (
	"errors"
	"fmt"
)

// The format of an LZ4 block (lz4_Block_format.md of the LZ4 project): sequences of
//
//	token   high 4 bits: number of literals; low 4 bits: length of the match less 4;
//	        15 in either says that bytes follow that are added, up to one that is not 255
//	the literals
//	u16 distance of the match, from the end of the output so far
//
// The last sequence ends after its literals.
const (
	lz4LeastMatch = 4
	lz4LongLength = 15
	// lz4Ratio bounds the bytes that one byte of a block grows to: a byte of a length adds 255.
	lz4Ratio = 255
)

var errLZ4Short = errors.New("the LZ4 block ends within a sequence")

// lz4Block is a block while it is read.
type lz4Block struct {
	rest []byte
	out  []byte
	size int // of the whole output
}

// inflateLZ4 returns the content of a block, which has size bytes. The memory that it takes
// grows with the content.
func inflateLZ4(packed []byte, size int64) ([]byte, error) {
	if size < 0 || size > lz4Ratio*int64(len(packed)) {
		return nil, fmt.Errorf("%d bytes of LZ4 do not grow to the %d bytes that the header promises", len(packed), size)
	}
	b := &lz4Block{rest: packed, size: int(size)}
	for len(b.rest) > 0 {
		if err := b.readSequence(); err != nil {
			return nil, err
		}
	}
	if len(b.out) < b.size {
		return nil, fewerError(int64(len(b.out)), size)
	}
	return b.out, nil
}

func (b *lz4Block) readSequence() error {
	token := b.rest[0]
	b.rest = b.rest[1:]
	literals, err := b.readLength(int(token >> 4))
	if err != nil {
		return err
	}
	if literals > len(b.rest) {
		return errLZ4Short
	}
	if literals > b.size-len(b.out) {
		return passedError(int64(b.size))
	}
	b.out = append(b.out, b.rest[:literals]...)
	if b.rest = b.rest[literals:]; len(b.rest) == 0 {
		return nil // the last sequence
	}
	return b.readMatch(int(token & lz4LongLength))
}

// readLength adds the bytes that follow a length of 15.
func (b *lz4Block) readLength(n int) (int, error) {
	if n < lz4LongLength {
		return n, nil
	}
	for i, c := range b.rest {
		if n += int(c); c != 0xff {
			b.rest = b.rest[i+1:]
			return n, nil
		}
	}
	return 0, errLZ4Short
}

// readMatch repeats bytes of the output. A match may be longer than its distance: then it
// repeats itself.
func (b *lz4Block) readMatch(length int) error {
	if len(b.rest) < 2 {
		return errLZ4Short
	}
	distance := int(u16(b.rest, 0))
	b.rest = b.rest[2:]
	length, err := b.readLength(length)
	if err != nil {
		return err
	}
	length += lz4LeastMatch
	switch {
	case distance == 0 || distance > len(b.out):
		return fmt.Errorf("the LZ4 block repeats bytes from %d before its content", distance-len(b.out))
	case length > b.size-len(b.out):
		return passedError(int64(b.size))
	}
	for length > 0 {
		from := b.out[len(b.out)-distance:]
		n := min(length, len(from))
		b.out = append(b.out, from[:n]...)
		length -= n
	}
	return nil
}
