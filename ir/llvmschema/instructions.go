package llvmschema

import "offlink/lazy"

// Instruction is a record of a function block. Its operands are spelt a letter
// each:
//
//	p  a value, and its type if it is a forward reference
//	v  a value whose type follows from the others
//	s  the same as a signed number
//	a  a value that is not relative
//	g  a function of the module that is not relative and is a mere hint
//	t  a type
//	l  an attribute list
//	b  a basic block
//	n  metadata plus one
//	N  metadata
//	.  a plain number
//
// Operands after the fixed ones repeat Rest; "" if nothing may follow.
type Instruction struct {
	Name       string
	Fixed      string
	Rest       string
	Defines    bool // a value
	Terminates bool // a basic block
	Counts     bool // among the instructions that attachments are numbered by
	Special    bool // its operands depend on one another: code reads them, not the letters
	// Since is the LLVM version that brought the record, 0 if [Oldest] has it.
	Since int
}

// Instructions holds the records of function blocks by their codes.
var Instructions = [...]*Instruction{
	FunctionBinop:          {Name: "BINOP", Fixed: "pv.", Rest: ".", Defines: true, Counts: true},
	FunctionCast:           {Name: "CAST", Fixed: "pt.", Rest: ".", Defines: true, Counts: true},
	FunctionSelectOld:      {Name: "SELECT", Fixed: "pvv", Defines: true, Counts: true},
	FunctionExtractElement: {Name: "EXTRACTELT", Fixed: "pp", Defines: true, Counts: true},
	FunctionInsertElement:  {Name: "INSERTELT", Fixed: "pvp", Defines: true, Counts: true},
	FunctionShuffle:        {Name: "SHUFFLEVEC", Fixed: "pvp", Defines: true, Counts: true},
	FunctionCompareOld:     {Name: "CMP", Fixed: "pv.", Rest: ".", Defines: true, Counts: true},
	FunctionCompare:        {Name: "CMP2", Fixed: "pv.", Rest: ".", Defines: true, Counts: true},
	FunctionRet:            {Name: "RET", Rest: "p", Terminates: true, Counts: true},
	FunctionBr:             {Name: "BR", Terminates: true, Counts: true, Special: true},
	FunctionSwitch:         {Name: "SWITCH", Fixed: "tvb", Rest: "ab", Terminates: true, Counts: true},
	FunctionIndirectBr:     {Name: "INDIRECTBR", Fixed: "tv", Rest: "b", Terminates: true, Counts: true},
	FunctionInvoke:         {Name: "INVOKE", Terminates: true, Counts: true, Special: true},
	FunctionUnreachable:    {Name: "UNREACHABLE", Terminates: true, Counts: true},
	FunctionPhi:            {Name: "PHI", Defines: true, Counts: true, Special: true},
	FunctionAlloca:         {Name: "ALLOCA", Fixed: "tta.", Rest: ".", Defines: true, Counts: true},
	FunctionLoad:           {Name: "LOAD", Fixed: "pt..", Defines: true, Counts: true},
	FunctionVAArg:          {Name: "VAARG", Fixed: "tvt", Defines: true, Counts: true},
	FunctionExtractValue:   {Name: "EXTRACTVAL", Fixed: "p.", Rest: ".", Defines: true, Counts: true},
	FunctionInsertValue:    {Name: "INSERTVAL", Fixed: "pp.", Rest: ".", Defines: true, Counts: true},
	FunctionSelect:         {Name: "VSELECT", Fixed: "pvp", Rest: ".", Defines: true, Counts: true},
	FunctionCall:           {Name: "CALL", Counts: true, Special: true},
	FunctionFence:          {Name: "FENCE", Fixed: "..", Counts: true},
	FunctionResume:         {Name: "RESUME", Fixed: "p", Terminates: true, Counts: true},
	FunctionLoadAtomic:     {Name: "LOADATOMIC", Fixed: "pt....", Rest: ".", Defines: true, Counts: true},
	FunctionGEP:            {Name: "GEP", Fixed: ".tp", Rest: "p", Defines: true, Counts: true},
	FunctionStore:          {Name: "STORE", Fixed: "pp..", Counts: true},
	FunctionStoreAtomic:    {Name: "STOREATOMIC", Fixed: "pp....", Counts: true},
	FunctionCmpXchg:        {Name: "CMPXCHG", Fixed: "ppv.....", Rest: ".", Defines: true, Counts: true},
	FunctionLandingPad:     {Name: "LANDINGPAD", Fixed: "t..", Rest: ".p", Defines: true, Counts: true},
	FunctionCleanupRet:     {Name: "CLEANUPRET", Fixed: "v", Rest: "b", Terminates: true, Counts: true},
	FunctionCatchRet:       {Name: "CATCHRET", Fixed: "vb", Terminates: true, Counts: true},
	FunctionCatchPad:       {Name: "CATCHPAD", Fixed: "v.", Rest: "p", Defines: true, Counts: true},
	FunctionCleanupPad:     {Name: "CLEANUPPAD", Fixed: "v.", Rest: "p", Defines: true, Counts: true},
	FunctionCatchSwitch:    {Name: "CATCHSWITCH", Fixed: "v.", Rest: "b", Defines: true, Terminates: true, Counts: true},
	FunctionOperandBundle:  {Name: "OPERAND_BUNDLE", Special: true},
	FunctionUnop:           {Name: "UNOP", Fixed: "p.", Rest: ".", Defines: true, Counts: true},
	FunctionCallBr:         {Name: "CALLBR", Terminates: true, Counts: true, Special: true},
	FunctionFreeze:         {Name: "FREEZE", Fixed: "p", Defines: true, Counts: true},
	FunctionAtomicRMW:      {Name: "ATOMICRMW", Fixed: "pp....", Rest: ".", Defines: true, Counts: true},

	FunctionDeclareBlocks:      {Name: "DECLAREBLOCKS", Special: true},
	FunctionBlockAddrUsers:     {Name: "BLOCKADDR_USERS", Rest: "g", Since: 15},
	FunctionDebugLoc:           {Name: "DEBUG_LOC", Fixed: "..nn", Rest: "."},
	FunctionDebugLocAgain:      {Name: "DEBUG_LOC_AGAIN"},
	FunctionRecordValue:        {Name: "DEBUG_RECORD_VALUE", Fixed: "NNNN", Since: DebugRecords},
	FunctionRecordDeclare:      {Name: "DEBUG_RECORD_DECLARE", Fixed: "NNNN", Since: DebugRecords},
	FunctionRecordDeclareValue: {Name: "DEBUG_RECORD_DECLARE_VALUE", Fixed: "NNNN", Since: DeclareValueRecord},
	FunctionRecordAssign:       {Name: "DEBUG_RECORD_ASSIGN", Fixed: "NNNNNNN", Since: DebugRecords},
	FunctionRecordValueSimple:  {Name: "DEBUG_RECORD_VALUE_SIMPLE", Fixed: "NNNp", Since: DebugRecords},
	FunctionRecordLabel:        {Name: "DEBUG_RECORD_LABEL", Fixed: "NN", Since: DebugRecords},
}

// OldInstructions names records that LLVM 14 and later do not write, for the
// error.
var OldInstructions = lazy.Map[uint32, string]{New: func() map[uint32]string {
	return map[uint32]string{
		4: "GEP_OLD", 24: "STORE_OLD", 30: "INBOUNDS_GEP_OLD", 37: "CMPXCHG_OLD", 38: "ATOMICRMW_OLD",
		40: "LANDINGPAD_OLD", 42: "STOREATOMIC_OLD",
	}
}}

// InstructionOf returns the record of that code, or nil if no supported LLVM writes it.
func InstructionOf(code uint32) *Instruction {
	if code < uint32(len(Instructions)) {
		return Instructions[code]
	}
	return nil
}
