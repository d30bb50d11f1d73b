package bitcode

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"offlink/ir"
	"offlink/ir/bitcode/bitstream"
	"offlink/ir/llvmschema"
	"offlink/lazy"
)

// globalRecord is the record of a global value: its operands after the name.
// The constants below name its fields.
type globalRecord struct {
	code   uint32
	count  int // of operands
	stored int // of those, without the zeros at the end; data has them
	data   []byte
}

// headerRecord returns the record of a global value.
func (s *source) headerRecord(id ir.ValueID) globalRecord {
	entry := s.values.entryOf(id)
	_, rec := s.records.openRecord(entry.at)
	rec.code = entry.recordCode()
	rec.skipFields(2) // offset and size of the name
	return rec
}

// Operands of MODULE_CODE_GLOBALVAR.
const (
	varType      = 0
	varFlags     = 1 // 1 constant, 2 the type is the value's, not the pointer's; address space above
	varInit      = 2 // initialiser plus one
	varLinkage   = 3
	varSection   = 5
	varVisible   = 6
	varDLL       = 10
	varComdat    = 11
	varLists     = 12
	varPartition = 14 // offset, size
	varLeast     = 6  // operands that there are at least
)

// Operands of MODULE_CODE_FUNCTION.
const (
	funcType        = 0
	funcCC          = 1
	funcDeclaration = 2
	funcLinkage     = 3
	funcLists       = 4
	funcSection     = 6
	funcVisible     = 7
	funcGC          = 8
	funcPrologue    = 10
	funcDLL         = 11
	funcComdat      = 12
	funcPrefix      = 13
	funcPersonality = 14
	funcAddrSpace   = 16
	funcPartition   = 17
	funcLeast       = 8
)

// Operands of MODULE_CODE_ALIAS and MODULE_CODE_IFUNC. An alias has a DLL storage class, a
// thread-local mode and unnamed_addr before dso_local; an ifunc has none of these.
const (
	aliasType       = 0
	aliasAddrSpace  = 1
	aliasTarget     = 2
	aliasLinkage    = 3
	aliasVisible    = 4
	aliasDLL        = 5
	aliasPartition  = 9
	ifuncPartition  = 6
	indirectLeast   = 4
	ifuncDSOLocalAt = 5
)

// fieldAt returns an operand, or 0 if the record ends before it.
func (v globalRecord) fieldAt(i int) uint64 {
	if i >= v.stored {
		return 0
	}
	v.skipFields(i)
	n, _ := binary.Uvarint(v.data)
	return n
}

// moreBits has the bit of each byte that says, in LEB128, that another byte of the number follows.
const moreBits = 0x8080808080808080

// skipFields steps over the first n operands, whose numbers are in LEB128. It counts the last bytes
// of numbers eight bytes at a time: each partition asks for some fields of each of its values.
func (v *globalRecord) skipFields(n int) {
	v.count, v.stored = v.count-n, max(v.stored-n, 0)
	for n > 0 && len(v.data) >= 8 {
		ends := ^binary.LittleEndian.Uint64(v.data) & moreBits
		if found := bits.OnesCount64(ends); found < n {
			n, v.data = n-found, v.data[8:]
			continue
		}
		for ; n > 1; n-- {
			ends &= ends - 1
		}
		v.data = v.data[bits.TrailingZeros64(ends)/8+1:]
		return
	}
	for ; n > 0 && len(v.data) > 0; v.data = v.data[1:] {
		if v.data[0] < 0x80 {
			n--
		}
	}
}

// appendFields appends all operands to a list.
func (v globalRecord) appendFields(list []uint64) []uint64 {
	rest := v.data
	list = slices.Grow(list, v.count)
	for range v.stored {
		if len(rest) > 0 && rest[0] < 0x80 { // most numbers
			list, rest = append(list, uint64(rest[0])), rest[1:]
			continue
		}
		n, size := binary.Uvarint(rest)
		list, rest = append(list, n), rest[size:]
	}
	for range v.count - v.stored {
		list = append(list, 0)
	}
	return list
}

// linkages decodes linkage numbers. Old numbers map to the linkage that LLVM reads them as.
var linkages = lazy.Map[uint64, ir.Linkage]{New: func() map[uint64]ir.Linkage {
	return map[uint64]ir.Linkage{
		0: ir.External, 1: ir.WeakAny, 2: ir.Appending, 3: ir.Internal, 4: ir.LinkOnceAny, 5: ir.External,
		6: ir.External, 7: ir.ExternWeak, 8: ir.Common, 9: ir.Private, 10: ir.WeakODR, 11: ir.LinkOnceODR,
		12: ir.AvailableExternally, 13: ir.Private, 14: ir.Private, 15: ir.External,
		16: ir.WeakAny, 17: ir.WeakODR, 18: ir.LinkOnceAny, 19: ir.LinkOnceODR,
	}
}}

// linkageNumbers encodes linkages.
var linkageNumbers = [...]uint64{
	ir.External: 0, ir.AvailableExternally: 12, ir.LinkOnceAny: 18, ir.LinkOnceODR: 19, ir.WeakAny: 16,
	ir.WeakODR: 17, ir.Appending: 2, ir.Internal: 3, ir.Private: 9, ir.ExternWeak: 7, ir.Common: 8,
}

// callingConv returns the keyword of a calling convention, or "cc N" if it has none.
func callingConv(n uint64) string {
	if name, ok := llvmschema.CallingConvs.Get()[n]; ok {
		return name
	}
	return "cc " + strconv.FormatUint(n, 10)
}

// callingConvNumber returns the number of a calling convention that callingConv names; ok is false
// for any other name.
func callingConvNumber(name string) (n uint64, ok bool) {
	for n, known := range llvmschema.CallingConvs.Get() {
		if known == name {
			return n, true
		}
	}
	digits, ok := strings.CutPrefix(name, "cc ")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil
}

// readGlobals makes the global values of the model from the records that were noted.
func (r *moduleReader) readGlobals(*bitstream.Cursor) error {
	s := r.source
	r.module.Values = make([]ir.GlobalValue, s.values.count())
	for i := range s.values.count() {
		bit, rec := s.records.openRecord(s.values.entryOf(ir.ValueID(i)).at)
		if rec.count < 2 {
			return errorAt(bit, "global value of %d operands", rec.count)
		}
		name, ok := s.symbolName(rec.fieldAt(0), rec.fieldAt(1))
		if !ok {
			return errorAt(bit, "the name of a global value lies outside of the string table")
		}
		v := &r.module.Values[i]
		v.Name = name
		if msg := r.readGlobal(s.headerRecord(ir.ValueID(i)), v); msg != "" {
			return errorAt(bit, "%s", msg)
		}
	}
	return nil
}

// readGlobal fills in a value from its record. It returns the fault of the record, or "" if there
// is none.
func (r *moduleReader) readGlobal(rec globalRecord, v *ir.GlobalValue) (fault string) {
	switch rec.code {
	case llvmschema.ModuleVariable:
		return r.readVariable(rec, v)
	case llvmschema.ModuleFunction:
		return r.readFunction(rec, v)
	}
	return r.readIndirect(rec, v)
}

// readVariable reads a variable record. Its fields after the name are type, flags and address
// space, initialiser plus one, linkage, alignment and more (LLVM, BitcodeWriter, writeModuleInfo).
func (r *moduleReader) readVariable(rec globalRecord, v *ir.GlobalValue) (fault string) {
	if rec.count < varLeast || rec.fieldAt(varFlags)&2 == 0 {
		return "variable record of a form that LLVM before 4 wrote"
	}
	v.Kind = ir.Variable
	v.Constant = rec.fieldAt(varFlags)&1 != 0
	v.AddressSpace = uint32(rec.fieldAt(varFlags) >> 2)
	v.Declaration = rec.fieldAt(varInit) == 0
	r.readValueList(rec.fieldAt(varLists), v)
	return r.readCommon(rec, v, varLinkage, varComdat)
}

// readValueList fills in the model's part of an attribute list, whose number is list minus one.
func (r *moduleReader) readValueList(list uint64, v *ir.GlobalValue) {
	groups, parameters := r.source.functionGroups(list), []ir.ParameterAttribute(nil)
	if v.Kind == ir.Function {
		parameters = r.source.parameterStrings(r.module, list)
	}
	if len(groups)+len(parameters) > 0 {
		d := v.EditDetails()
		d.Groups, d.Parameters = groups, parameters
	}
}

// readFunction reads a function record. Fields that older versions did not
// write count as 0.
func (r *moduleReader) readFunction(rec globalRecord, v *ir.GlobalValue) (fault string) {
	if rec.count < funcLeast {
		return fmt.Sprintf("function record of %d operands", rec.count)
	}
	v.Kind = ir.Function
	var ok bool
	if v.CallingConv, ok = r.module.CallingConvID(callingConv(rec.fieldAt(funcCC))); !ok {
		return "too many calling conventions"
	}
	v.AddressSpace = uint32(rec.fieldAt(funcAddrSpace))
	v.Declaration = rec.fieldAt(funcDeclaration) != 0
	r.readValueList(rec.fieldAt(funcLists), v)
	if fault := r.readCommon(rec, v, funcLinkage, funcComdat); fault != "" {
		return fault
	}
	if r.module.Types[v.Type].Kind != ir.TypeFunction {
		return "function whose type is not a function type"
	}
	return ""
}

// readIndirect reads an alias or ifunc record, whose value may be any constant
// address.
func (r *moduleReader) readIndirect(rec globalRecord, v *ir.GlobalValue) (fault string) {
	if rec.count < indirectLeast {
		return fmt.Sprintf("alias or ifunc record of %d operands", rec.count)
	}
	v.Kind = ir.Alias
	if rec.code == llvmschema.ModuleIFunc {
		v.Kind = ir.IFunc
	}
	v.AddressSpace = uint32(rec.fieldAt(aliasAddrSpace))
	return r.readCommon(rec, v, aliasLinkage, rec.count)
}

// readCommon reads the fields that all global values have. The type is operand 0.
func (r *moduleReader) readCommon(rec globalRecord, v *ir.GlobalValue, linkage, comdat int) (fault string) {
	t := rec.fieldAt(0)
	if t >= uint64(len(r.source.types)) {
		return fmt.Sprintf("global value of type %d of %d", t, len(r.source.types))
	}
	v.Type = ir.TypeID(t)
	l, ok := linkages.Get()[rec.fieldAt(linkage)]
	if !ok {
		return fmt.Sprintf("linkage %d is not known", rec.fieldAt(linkage))
	}
	v.Linkage, v.Comdat = l, ir.NoComdat
	if id := rec.fieldAt(comdat); id > uint64(len(r.module.Comdats)) {
		return fmt.Sprintf("global value in comdat %d of %d", id, len(r.module.Comdats))
	} else if id > 0 {
		v.Comdat = ir.ComdatID(id - 1)
	}
	return ""
}

// checkGlobals checks the numbers in the records of global values, once all tables that they
// number into have been read.
func (r *moduleReader) checkGlobals(*bitstream.Cursor) error {
	s := r.source
	for i := range s.values.count() {
		if fault := s.checkRecord(s.headerRecord(ir.ValueID(i))); fault != "" {
			bit, _ := s.records.openRecord(s.values.entryOf(ir.ValueID(i)).at)
			return errorAt(bit, "%s", fault)
		}
	}
	return nil
}

// checkRecord returns the fault of the numbers in a record, or "" if there is none.
func (s *source) checkRecord(rec globalRecord) (fault string) {
	total := uint64(s.values.count() + s.constants.count())
	for _, at := range rec.constantFields() {
		if id := rec.fieldAt(at); id > total {
			return fmt.Sprintf("global value names value %d of %d", id-1, total)
		}
	}
	if rec.isIndirect() && rec.fieldAt(aliasTarget) >= total {
		return fmt.Sprintf("alias of value %d of %d", rec.fieldAt(aliasTarget), total)
	}
	if section, gc := rec.tableFields(); section > uint64(len(s.sections)) || gc > uint64(len(s.gcs)) {
		return "global value names a section or garbage collector that the module does not have"
	}
	if lists := rec.attributeList(); lists > uint64(len(s.lists)) {
		return fmt.Sprintf("global value has attribute list %d of %d", lists, len(s.lists))
	}
	if at := rec.partitionField(); rec.count > at+1 {
		if _, ok := s.symbolName(rec.fieldAt(at), rec.fieldAt(at+1)); !ok {
			return "the name of a partition lies outside of the string table"
		}
	}
	return ""
}

func (v globalRecord) isIndirect() bool {
	return v.code == llvmschema.ModuleAlias || v.code == llvmschema.ModuleIFunc
}

// varConstants and funcConstants are the operands that are the number of a value plus one.
var (
	varConstants  = []int{varInit}
	funcConstants = []int{funcPrologue, funcPrefix, funcPersonality}
)

// constantFields returns the operands that name a value plus one.
func (v globalRecord) constantFields() []int {
	switch v.code {
	case llvmschema.ModuleVariable:
		return varConstants
	case llvmschema.ModuleFunction:
		return funcConstants
	}
	return nil
}

// tableFields returns the numbers of the section and of the garbage collector, each plus one.
func (v globalRecord) tableFields() (section, gc uint64) {
	switch v.code {
	case llvmschema.ModuleVariable:
		return v.fieldAt(varSection), 0
	case llvmschema.ModuleFunction:
		return v.fieldAt(funcSection), v.fieldAt(funcGC)
	}
	return 0, 0
}

// attributeList returns the number of the attribute list plus one, or 0 for none.
func (v globalRecord) attributeList() uint64 {
	switch v.code {
	case llvmschema.ModuleVariable:
		return v.fieldAt(varLists)
	case llvmschema.ModuleFunction:
		return v.fieldAt(funcLists)
	}
	return 0
}

// partitionField returns the index of the operand that is the offset of the partition's name; the
// size follows it.
func (v globalRecord) partitionField() int {
	switch v.code {
	case llvmschema.ModuleVariable:
		return varPartition
	case llvmschema.ModuleFunction:
		return funcPartition
	case llvmschema.ModuleAlias:
		return aliasPartition
	}
	return ifuncPartition
}
