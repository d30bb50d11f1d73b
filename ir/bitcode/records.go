package bitcode

import (
	"encoding/binary"

	"offlink/ir"
	"offlink/ir/llvmschema"
)

// recordStore keeps records as variable-length numbers, of which most are a
// byte long, without the zeros at their ends. It grows in chunks: a slice that
// grows by copying takes several times its size, and modules have millions of
// global values.
type recordStore struct{ chunks []recordChunk }

type recordChunk struct {
	first uint64 // bit of the file of its first record
	data  []byte
}

// recordPos is where a record begins: the number of its chunk and its offset there, which is below
// recordChunkSize. It takes four bytes for each of a million values instead of a slice's 24.
type recordPos uint32

const (
	recordChunkBits = 16
	recordChunkSize = 1 << recordChunkBits
	maxRecordChunks = 1 << (32 - recordChunkBits)
)

// storeRecord keeps a record: the bit of the file at which it is, and its operands.
// It returns false when the store is full.
func (s *recordStore) storeRecord(bit uint64, operands []uint64) (recordPos, bool) {
	chunk := s.chunkFor(bit, (len(operands)+3)*binary.MaxVarintLen64)
	if chunk == nil {
		return 0, false
	}
	// Most fields of a variable are 0: linkage, section, visibility and the like.
	count := len(operands)
	for len(operands) > 0 && operands[len(operands)-1] == 0 {
		operands = operands[:len(operands)-1]
	}
	at := recordPos((len(s.chunks)-1)<<recordChunkBits | len(chunk.data))
	chunk.data = binary.AppendUvarint(chunk.data, bit-chunk.first)
	chunk.data = binary.AppendUvarint(chunk.data, uint64(count))
	chunk.data = binary.AppendUvarint(chunk.data, uint64(len(operands)))
	for _, v := range operands {
		chunk.data = binary.AppendUvarint(chunk.data, v)
	}
	return at, true
}

// chunkFor returns the last chunk if it has room for that many bytes, else a new one, or nil if
// there are too many.
func (s *recordStore) chunkFor(bit uint64, most int) *recordChunk {
	if n := len(s.chunks); n > 0 {
		last := &s.chunks[n-1]
		if cap(last.data)-len(last.data) >= most && len(last.data) < recordChunkSize {
			return last
		}
		if n == maxRecordChunks {
			return nil
		}
	}
	// The first chunks are small, as most modules have a few dozen values; one record may
	// be longer than a chunk.
	size := max(min(recordChunkSize, 1024<<min(len(s.chunks), recordChunkBits)), most)
	s.chunks = append(s.chunks, recordChunk{first: bit, data: make([]byte, 0, size)})
	return &s.chunks[len(s.chunks)-1]
}

// openRecord returns a stored record, with all its operands, and its bit.
func (s *recordStore) openRecord(at recordPos) (bit uint64, rec globalRecord) {
	chunk := &s.chunks[at>>recordChunkBits]
	data := chunk.data[at&(recordChunkSize-1):]
	bit, n := binary.Uvarint(data)
	data = data[n:]
	count, n := binary.Uvarint(data)
	data = data[n:]
	stored, n := binary.Uvarint(data)
	return bit + chunk.first, globalRecord{count: int(count), stored: int(stored), data: data[n:]}
}

// globalEntry tells where the record of a global value lies in source.records, and which body it
// has. It takes eight bytes, since a module may have millions of values.
type globalEntry struct {
	at   recordPos
	code uint32 // index in entryCodes; above it the index into source.bodies plus one
}

// entryCodes are the records of global values.
var entryCodes = [...]uint8{llvmschema.ModuleVariable, llvmschema.ModuleFunction, llvmschema.ModuleAlias, llvmschema.ModuleIFunc}

const entryCodeBits = 2

// newEntry packs where a global value's record is; four codes fit two bits.
func newEntry(at recordPos, code uint32) globalEntry {
	for i, c := range entryCodes {
		if uint32(c) == code {
			return globalEntry{at, uint32(i)}
		}
	}
	panic("not the record of a global value")
}

// recordCode returns the code of the record.
func (e *globalEntry) recordCode() uint32 { return uint32(entryCodes[e.code&(1<<entryCodeBits-1)]) }

// body returns the index of the value's body in source.bodies, or -1 if it has none.
func (e *globalEntry) body() int { return int(e.code>>entryCodeBits) - 1 }

func (e *globalEntry) setBody(index int) { e.code |= uint32(index+1) << entryCodeBits }

// entryList holds the entries of global values in chunks, for the same reason
// as recordStore.
type entryList struct {
	chunks [][]globalEntry
	length int
}

const (
	entryChunkBits = 12
	entryChunk     = 1 << entryChunkBits
)

// appendEntry appends to chunks: a list of a million entries that doubles
// would hold twice its size for a moment.
func (l *entryList) appendEntry(e globalEntry) {
	if l.length%entryChunk == 0 {
		l.chunks = append(l.chunks, make([]globalEntry, 0, min(entryChunk, 16+l.length)))
	}
	last := &l.chunks[len(l.chunks)-1]
	*last = append(*last, e)
	l.length++
}

func (l *entryList) count() int { return l.length }

// entryOf returns the entry of a value.
func (l *entryList) entryOf(id ir.ValueID) *globalEntry {
	return &l.chunks[id>>entryChunkBits][id&(entryChunk-1)]
}
