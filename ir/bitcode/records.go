package bitcode

import "encoding/binary"

// recordStore keeps records as variable-length numbers, of which most are a
// byte long. It grows in chunks: a slice that grows by copying takes several
// times its size, and modules have millions of global values.
type recordStore struct{ chunks [][]byte }

// recordPos is where a record begins: the number of its chunk and its offset
// there, which is below recordChunk.
type recordPos uint32

const (
	recordChunkBits = 16
	recordChunk     = 1 << recordChunkBits
	maxRecordChunks = 1 << (32 - recordChunkBits)
)

// storeRecord keeps a record: the bit of the file at which it is, and its operands.
// It returns false when the store is full.
func (s *recordStore) storeRecord(bit uint64, operands []uint64) (recordPos, bool) {
	most := (len(operands) + 2) * binary.MaxVarintLen64
	n := len(s.chunks)
	if n == 0 || cap(s.chunks[n-1])-len(s.chunks[n-1]) < most || len(s.chunks[n-1]) >= recordChunk {
		if n == maxRecordChunks {
			return 0, false
		}
		s.chunks = append(s.chunks, make([]byte, 0, max(min(recordChunk, 1024<<min(n, recordChunkBits)), most)))
	}
	i := len(s.chunks) - 1
	chunk := s.chunks[i]
	at := recordPos(i<<recordChunkBits | len(chunk))
	chunk = binary.AppendUvarint(chunk, bit)
	chunk = binary.AppendUvarint(chunk, uint64(len(operands)))
	for _, v := range operands {
		chunk = binary.AppendUvarint(chunk, v)
	}
	s.chunks[i] = chunk
	return at, true
}

// openRecord returns a stored record, with all its operands, and its bit.
func (s *recordStore) openRecord(at recordPos) (bit uint64, rec globalRecord) {
	data := s.chunks[at>>recordChunkBits][at&(recordChunk-1):]
	bit, n := binary.Uvarint(data)
	data = data[n:]
	count, n := binary.Uvarint(data)
	return bit, globalRecord{count: int(count), data: data[n:]}
}

// entryList gathers the entries of global values in chunks, for the same
// reason.
type entryList struct {
	chunks [][]globalEntry
	count  int
}

const entryChunk = 1 << 12

func (l *entryList) appendEntry(e globalEntry) {
	if l.count%entryChunk == 0 {
		l.chunks = append(l.chunks, make([]globalEntry, 0, min(entryChunk, 16+l.count)))
	}
	last := &l.chunks[len(l.chunks)-1]
	*last = append(*last, e)
	l.count++
}

// flattenEntries returns the entries in one slice and empties the list.
func (l *entryList) flattenEntries() []globalEntry {
	all := make([]globalEntry, 0, l.count)
	for _, chunk := range l.chunks {
		all = append(all, chunk...)
	}
	*l = entryList{}
	return all
}
