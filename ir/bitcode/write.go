package bitcode

import (
	"fmt"
	"io"
	"math/bits"
	"slices"

	"offlink/ir"
	"offlink/ir/bitcode/bitstream"
	"offlink/ir/llvmschema"
)

// moduleWidth is the width of abbreviation ids in the module block, as LLVM
// has it.
const moduleWidth = 3

// partitionWriter writes partitions of one module. Its scratch memory is as large as
// the module's tables; each partition costs as much as it keeps.
type partitionWriter struct {
	source  *source
	module  *ir.Module
	reacher *ir.Reacher
	out     bitstream.Writer
	// streamFrom is the size from which on partitions are streamed.
	streamFrom int
	numbers    *partitionNumbers
	added      *additions

	// Of the partition being written.
	partition *ir.Partition
	reach     *ir.Reach
	kept      []keptValue
	parts     []keptParts            // of values of kept
	units     map[uint32]metadataRef // changed compile units: their new list of variables
	named     []namedList
	strtab    stringTable
	operands  []uint64
	text      []byte

	stringsKept int // metadata strings of the module that are kept
	nodesEnd    uint64

	body *bodyWriter
}

// keptValue is a global value of a partition with its differences from the module, packed into
// two words: modules have millions of values.
type keptValue struct {
	value uint32 // its ValueID, and above it the linkage
	more  uint32 // twice the index in partitionWriter.parts plus one, 0 if there are none; 1 for a definition
}

// keptIDBits is the width of a ValueID, which is not above ir.MaxIndex.
const keptIDBits = 28

// newKept packs a value that a partition keeps into two words: modules have
// millions.
func newKept(v *ir.PartitionValue) keptValue {
	k := keptValue{value: uint32(v.ID) | uint32(v.Linkage())<<keptIDBits}
	if v.Definition {
		k.more = 1
	}
	return k
}

func (k *keptValue) id() ir.ValueID      { return ir.ValueID(k.value & ir.MaxIndex) }
func (k *keptValue) linkage() ir.Linkage { return ir.Linkage(k.value >> keptIDBits) }
func (k *keptValue) definition() bool    { return k.more&1 != 0 }

// keptParts are the parts that most variables of a partition do not have, or
// have as their records say.
type keptParts struct {
	comdat   ir.ComdatID
	typ      uint32 // of an array that lost elements plus one; 0 for the module's
	list     uint32 // attribute list plus one
	init     uint32 // value of the initialiser of an array that lost elements plus one
	relisted bool   // list is another than the module's
	attached []attachedNode
	body     *body // of a definition of a function
}

var noParts = keptParts{comdat: ir.NoComdat}

// partsOf returns the parts of a value for reading.
func (w *partitionWriter) partsOf(k *keptValue) *keptParts {
	if k.more>>1 == 0 {
		return &noParts
	}
	return &w.parts[k.more>>1-1]
}

// editParts returns the parts of a value for writing, until the next call.
func (w *partitionWriter) editParts(k *keptValue) *keptParts {
	if k.more>>1 == 0 {
		w.parts = append(w.parts, noParts)
		k.more |= uint32(len(w.parts)) << 1
	}
	return &w.parts[k.more>>1-1]
}

func (w *partitionWriter) attachNode(k *keptValue, a attachedNode) {
	p := w.editParts(k)
	p.attached = append(p.attached, a)
}

// typeOf returns the type of a value in the module's numbering.
func (w *partitionWriter) typeOf(k *keptValue) uint32 {
	if t := w.partsOf(k).typ; t > 0 {
		return t - 1
	}
	return uint32(w.module.Values[k.id()].Type)
}

// attachedNode is metadata attached to a global value.
type attachedNode struct {
	kind uint64
	node metadataRef
}

// namedList is named metadata of a partition.
type namedList struct {
	name  string
	nodes []metadataRef
}

// NewWriter returns a writer of partitions of the module.
func (s *source) NewWriter() ir.PartitionWriter {
	w := &partitionWriter{
		source: s, module: s.module, streamFrom: streamedSize, reacher: ir.NewReacher(s.module),
		numbers: newPartitionNumbers(s), added: newAdditions(s), units: map[uint32]metadataRef{},
	}
	w.body = &bodyWriter{w: w}
	return w
}

// WritePartition writes the partition as bitcode that the LLVM of the input's version
// reads.
func (w *partitionWriter) WritePartition(out io.Writer, partition *ir.Partition) error {
	reach, err := w.reacher.Reach(partition)
	if err != nil {
		return fmt.Errorf("%s: %w", w.module.Path, err)
	}
	w.partition, w.reach = partition, reach
	if err := w.collectParts(); err != nil {
		return fmt.Errorf("%s: %w", w.module.Path, err)
	}
	w.numberParts()
	return w.writeTo(out)
}

// streamedSize is the size in bytes from which on a partition is written twice, at
// first to measure its blocks, so that it need not be held in memory.
const streamedSize = 4 << 20

// writeTo writes the bitstream, either into memory or, when it is large, straight to out in a
// second pass. The size is an estimate that only decides which.
func (w *partitionWriter) writeTo(out io.Writer) error {
	const recordSize = 16 // about
	names := 0
	for i := range w.kept {
		names += len(w.module.Values[w.kept[i].id()].Name)
	}
	size := names + recordSize*len(w.kept)
	streams := size >= w.streamFrom
	w.out.Reset(w.source.info)
	if streams {
		w.out.Measure()
	} else {
		w.out.Grow(size)
	}
	w.writePartition()
	if what := w.numbers.lackingTable(); what != "" {
		return fmt.Errorf("%s: the partition lacks %s that something in it refers to", w.module.Path, what)
	}
	if streams {
		w.out.Stream(out)
		w.writePartition()
		return w.out.Flush()
	}
	_, err := out.Write(w.out.Bytes())
	return err
}

// writePartition makes the bitstream.
func (w *partitionWriter) writePartition() {
	s := w.source
	w.strtab.resetTable()
	w.out.Magic(magic)
	w.writeIdentification()
	w.out.Enter(llvmschema.BlockModule, moduleWidth)
	w.out.Record(-1, llvmschema.ModuleVersion, []uint64{2})
	w.out.WriteInfo(s.infoBlocks)
	w.writeTypes()
	w.writeGroups()
	w.writeLists()
	w.writeComdats()
	w.writeModuleInfo()
	w.writeConstants()
	w.writeKinds()
	w.writeMetadata()
	w.writeNames(llvmschema.BlockBundleTag, 1, s.tags)
	w.writeNames(llvmschema.BlockSyncScope, 1, s.scopes)
	for i := range w.kept {
		if w.partsOf(&w.kept[i]).body != nil {
			w.body.writeBody(&w.kept[i])
		}
	}
	w.out.End()
	w.writeStrtab()
}

// writeIdentification says who wrote the records, which the partition copies.
func (w *partitionWriter) writeIdentification() {
	w.out.Enter(llvmschema.BlockIdentification, 5)
	w.writeText(-1, llvmschema.IdentificationString, w.source.producer)
	w.out.Record(-1, llvmschema.IdentificationEpoch, []uint64{0})
	w.out.End()
}

// writeText writes a record that spells a string.
func (w *partitionWriter) writeText(abbrev int, code uint32, s string) {
	w.operands = appendText(w.operands[:0], s)
	w.out.Record(abbrev, code, w.operands)
}

func (w *partitionWriter) writeStrtab() {
	w.out.Enter(llvmschema.BlockStrtab, moduleWidth)
	blob := w.out.Define(bitstream.Abbrev{{Encoding: bitstream.Literal, Value: 1}, {Encoding: bitstream.Blob}})
	w.out.BlobOfNames(blob, 1, w.strtab.size, w.strtab.names(w.valueNames()))
	w.out.End()
}

// writeTypes writes the type table: the module's types that are kept, then
// those that the partition adds.
func (w *partitionWriter) writeTypes() {
	w.out.Enter(llvmschema.BlockType, 4)
	chars := w.out.Define(bitstream.Abbrev{
		{Encoding: bitstream.Literal, Value: llvmschema.TypeStructName},
		{Encoding: bitstream.Array},
		{Encoding: bitstream.Char6},
	})
	bytes := w.out.Define(bitstream.Abbrev{
		{Encoding: bitstream.Literal, Value: llvmschema.TypeStructName},
		{Encoding: bitstream.Array},
		{Encoding: bitstream.Fixed, Value: 8},
	})
	kept := w.numbers.types.kept
	w.out.Record(-1, llvmschema.TypeNumEntries, []uint64{uint64(len(kept) + len(w.added.types))})
	for _, id := range kept {
		t := &w.source.types[id]
		if t.name != "" {
			abbrev := bytes
			if isChar6(t.name) {
				abbrev = chars
			}
			w.writeText(abbrev, llvmschema.TypeStructName, t.name)
		}
		w.writeType(t)
	}
	for i := range w.added.types {
		w.writeType(&w.added.types[i])
	}
	w.out.End()
}

// isChar6 reports whether a name fits the alphabet of six bits that bitcode
// has for names.
func isChar6(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_':
		default:
			return false
		}
	}
	return true
}

// writeType writes the record of a type with the partition's numbers. Types stand in the order of
// the module, in which each type follows its elements; only named structs may come before theirs.
func (w *partitionWriter) writeType(t *typeRecord) {
	w.operands = append(w.operands[:0], t.operands...)
	first, last := t.childFields()
	for i := first; i < last; i++ {
		w.operands[i] = w.typeNumber(uint32(t.operands[i]))
	}
	w.out.Record(-1, t.code, w.operands)
}

// typeNumber returns the number of a type in the partition.
func (w *partitionWriter) typeNumber(id uint32) uint64 {
	if n := uint32(len(w.source.types)); id >= n {
		return uint64(len(w.numbers.types.kept)) + uint64(id-n)
	}
	return w.numbers.types.newNumber(id)
}

// writeGroups writes the attribute groups. Their numbers begin at 1.
func (w *partitionWriter) writeGroups() {
	if len(w.numbers.groups.kept)+len(w.added.groups) == 0 {
		return
	}
	w.out.Enter(llvmschema.BlockAttributeGroup, 3)
	for i, id := range w.numbers.groups.kept {
		w.writeGroup(uint64(i)+1, &w.source.groups[id])
	}
	for i := range w.added.groups {
		w.writeGroup(uint64(len(w.numbers.groups.kept)+i)+1, &w.added.groups[i])
	}
	w.out.End()
}

// writeGroup writes an attribute group: its number, the index of the parameter
// or result that it applies to, then its attributes as they were read.
func (w *partitionWriter) writeGroup(number uint64, g *groupRecord) {
	w.operands = append(append(w.operands[:0], number, g.index), g.attributes...)
	for _, at := range g.types {
		w.operands[at+2] = w.typeNumber(uint32(g.attributes[at]))
	}
	w.out.Record(-1, llvmschema.AttributeGroupEntry, w.operands)
}

// writeLists writes the attribute lists, those that edits made last.
func (w *partitionWriter) writeLists() {
	if len(w.numbers.lists.kept)+len(w.added.lists) == 0 {
		return
	}
	w.out.Enter(llvmschema.BlockAttributeList, 3)
	for _, id := range w.numbers.lists.kept {
		w.writeList(w.source.lists[id])
	}
	for _, list := range w.added.lists {
		w.writeList(list)
	}
	w.out.End()
}

// writeList writes a list, which consists of numbers of groups.
func (w *partitionWriter) writeList(groups []ir.AttributeGroupID) {
	w.operands = w.operands[:0]
	for _, g := range groups {
		if n := len(w.source.groups); int(g) >= n {
			w.operands = append(w.operands, uint64(len(w.numbers.groups.kept)+int(g)-n)+1)
		} else {
			w.operands = append(w.operands, w.numbers.groups.newNumber(uint32(g)))
		}
	}
	w.out.Record(-1, llvmschema.AttributeListEntry, w.operands)
}

// listNumber returns the number of an attribute list in the partition plus one. list is the
// number in the module plus one; 0 means none in both.
func (w *partitionWriter) listNumber(list uint64) uint64 {
	switch n := uint64(len(w.source.lists)); {
	case list == 0:
		return 0
	case list > n:
		return uint64(len(w.numbers.lists.kept)) + list - n
	}
	return w.numbers.lists.newNumber(uint32(list-1)) + 1
}

// writeComdats writes the comdats, with the selection kinds that the partition
// changed.
func (w *partitionWriter) writeComdats() {
	for _, id := range w.numbers.comdats.kept {
		c := w.module.Comdats[id]
		selection := c.Selection
		if changed, ok := w.partition.Selections[ir.ComdatID(id)]; ok {
			selection = changed
		}
		span := w.strtab.addSymbol(c.Name)
		w.out.Record(-1, llvmschema.ModuleComdat, []uint64{span.offset, span.size, uint64(slices.Index(comdatSelections[:], selection))})
	}
}

// writeModuleInfo writes the records of the module itself.
func (w *partitionWriter) writeModuleInfo() {
	s, m := w.source, w.module
	if m.Triple != "" {
		w.writeText(-1, llvmschema.ModuleTriple, m.Triple)
	}
	if m.DataLayout != "" {
		w.writeText(-1, llvmschema.ModuleDataLayout, m.DataLayout)
	}
	for _, a := range s.asm {
		w.writeText(-1, a.code, a.text)
	}
	for _, id := range w.numbers.sections.kept {
		w.writeText(-1, llvmschema.ModuleSection, s.sections[id])
	}
	for _, id := range w.numbers.gcs.kept {
		w.writeText(-1, llvmschema.ModuleGC, s.gcs[id])
	}
	source := w.out.Define(bitstream.Abbrev{
		{Encoding: bitstream.Literal, Value: llvmschema.ModuleSource},
		{Encoding: bitstream.Array},
		{Encoding: bitstream.Fixed, Value: 8},
	})
	w.writeText(source, llvmschema.ModuleSource, m.SourceFilename)
	w.writeGUIDs()
	for i := range w.kept {
		w.writeGlobal(&w.kept[i])
	}
	for i := range w.added.functions {
		w.writeAddedFunction(&w.added.functions[i])
	}
}

// writeGUIDs writes the numbers by which summaries know global values, two halves each. Values
// that the module's own record does not reach get zeros.
func (w *partitionWriter) writeGUIDs() {
	if len(w.source.guids) == 0 {
		return
	}
	w.operands = w.operands[:0]
	for i := range w.kept {
		halves := [2]uint64{}
		copy(halves[:], w.source.guids[min(2*int(w.kept[i].id()), len(w.source.guids)):])
		w.operands = append(w.operands, halves[:]...)
	}
	w.out.Record(-1, llvmschema.ModuleGUIDs, w.operands)
}

// valueNumber returns the number in the partition of a value of the module's numbering, or of one
// that the partition adds. The numbering has the global values first, then the constants, then
// the added values; added functions are numbered from addedFunctionBase.
func (w *partitionWriter) valueNumber(id uint32) uint64 {
	switch n := uint32(w.source.values.count()); {
	case id < n:
		return w.numbers.values.newNumber(id)
	case id < n+uint32(w.source.constants.count()):
		return w.numbers.constants.newNumber(id - n)
	case id >= addedFunctionBase:
		return uint64(w.added.functions[id-addedFunctionBase].number)
	}
	return uint64(w.added.values[id-w.added.firstValue()].number)
}

// writeNames writes a block of strings that their order numbers.
func (w *partitionWriter) writeNames(block, code uint32, names []string) {
	if len(names) == 0 {
		return
	}
	w.out.Enter(block, 3)
	for _, name := range names {
		w.writeText(-1, code, name)
	}
	w.out.End()
}

// writeKinds writes the names of all metadata kinds of the module: dropping
// some would save little, and numbers would move.
func (w *partitionWriter) writeKinds() {
	w.out.Enter(llvmschema.BlockMetadataKind, 3)
	for _, list := range [][]kind{w.source.kinds, w.added.kinds} {
		for _, k := range list {
			w.operands = appendText(append(w.operands[:0], k.id), k.name)
			w.out.Record(-1, llvmschema.MetadataKind, w.operands)
		}
	}
	w.out.End()
}

// abbrevWidth returns the width of abbreviation ids that a block needs, at least the width least.
// own is the number of abbreviations that the block defines itself.
func (w *partitionWriter) abbrevWidth(block uint32, own int, least uint) uint {
	return max(least, uint(bits.Len(uint(len(w.source.info[block])+own+3))))
}
