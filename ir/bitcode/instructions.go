package bitcode

// instructionLayout says what the operands of a record of a function block
// are, a letter each:
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
// What follows the fixed operands repeats rest; "" if nothing may follow.
type instructionLayout struct {
	name       string
	fixed      string
	rest       string
	defines    bool // a value
	terminates bool // a basic block
	counts     bool // among the instructions that attachments are numbered by
	special    func(*bodyReader) (defines bool, err error)
}

var instructionLayouts = map[uint32]instructionLayout{
	funBinop:          {name: "BINOP", fixed: "pv.", rest: ".", defines: true, counts: true},
	funCast:           {name: "CAST", fixed: "pt.", rest: ".", defines: true, counts: true},
	funSelectOld:      {name: "SELECT", fixed: "pvv", defines: true, counts: true},
	funExtractElement: {name: "EXTRACTELT", fixed: "pp", defines: true, counts: true},
	funInsertElement:  {name: "INSERTELT", fixed: "pvp", defines: true, counts: true},
	funShuffle:        {name: "SHUFFLEVEC", fixed: "pvp", defines: true, counts: true},
	funCompareOld:     {name: "CMP", fixed: "pv.", rest: ".", defines: true, counts: true},
	funCompare:        {name: "CMP2", fixed: "pv.", rest: ".", defines: true, counts: true},
	funRet:            {name: "RET", rest: "p", terminates: true, counts: true},
	funBr:             {name: "BR", terminates: true, counts: true, special: (*bodyReader).branch},
	funSwitch:         {name: "SWITCH", fixed: "tvb", rest: "ab", terminates: true, counts: true},
	funIndirectBr:     {name: "INDIRECTBR", fixed: "tv", rest: "b", terminates: true, counts: true},
	funInvoke:         {name: "INVOKE", terminates: true, counts: true, special: (*bodyReader).invoke},
	funUnreachable:    {name: "UNREACHABLE", terminates: true, counts: true},
	funPhi:            {name: "PHI", defines: true, counts: true, special: (*bodyReader).phi},
	funAlloca:         {name: "ALLOCA", fixed: "tta.", rest: ".", defines: true, counts: true},
	funLoad:           {name: "LOAD", fixed: "pt..", defines: true, counts: true},
	funVAArg:          {name: "VAARG", fixed: "tvt", defines: true, counts: true},
	funExtractValue:   {name: "EXTRACTVAL", fixed: "p.", rest: ".", defines: true, counts: true},
	funInsertValue:    {name: "INSERTVAL", fixed: "pp.", rest: ".", defines: true, counts: true},
	funSelect:         {name: "VSELECT", fixed: "pvp", rest: ".", defines: true, counts: true},
	funCall:           {name: "CALL", counts: true, special: (*bodyReader).call},
	funFence:          {name: "FENCE", fixed: "..", counts: true},
	funResume:         {name: "RESUME", fixed: "p", terminates: true, counts: true},
	funLoadAtomic:     {name: "LOADATOMIC", fixed: "pt....", rest: ".", defines: true, counts: true},
	funGEP:            {name: "GEP", fixed: ".tp", rest: "p", defines: true, counts: true},
	funStore:          {name: "STORE", fixed: "pp..", counts: true},
	funStoreAtomic:    {name: "STOREATOMIC", fixed: "pp....", counts: true},
	funCmpXchg:        {name: "CMPXCHG", fixed: "ppv.....", rest: ".", defines: true, counts: true},
	funLandingPad:     {name: "LANDINGPAD", fixed: "t..", rest: ".p", defines: true, counts: true},
	funCleanupRet:     {name: "CLEANUPRET", fixed: "v", rest: "b", terminates: true, counts: true},
	funCatchRet:       {name: "CATCHRET", fixed: "vb", terminates: true, counts: true},
	funCatchPad:       {name: "CATCHPAD", fixed: "v.", rest: "p", defines: true, counts: true},
	funCleanupPad:     {name: "CLEANUPPAD", fixed: "v.", rest: "p", defines: true, counts: true},
	funCatchSwitch:    {name: "CATCHSWITCH", fixed: "v.", rest: "b", defines: true, terminates: true, counts: true},
	funOperandBundle:  {name: "OPERAND_BUNDLE", special: (*bodyReader).bundle},
	funUnop:           {name: "UNOP", fixed: "p.", rest: ".", defines: true, counts: true},
	funCallBr:         {name: "CALLBR", terminates: true, counts: true, special: (*bodyReader).callBr},
	funFreeze:         {name: "FREEZE", fixed: "p", defines: true, counts: true},
	funAtomicRMW:      {name: "ATOMICRMW", fixed: "pp....", rest: ".", defines: true, counts: true},

	funDeclareBlocks:      {name: "DECLAREBLOCKS", special: (*bodyReader).declareBlocks},
	funBlockAddrUsers:     {name: "BLOCKADDR_USERS", rest: "g"},
	funDebugLoc:           {name: "DEBUG_LOC", fixed: "..nn", rest: "."},
	funDebugLocAgain:      {name: "DEBUG_LOC_AGAIN"},
	funRecordValue:        {name: "DEBUG_RECORD_VALUE", fixed: "NNNN"},
	funRecordDeclare:      {name: "DEBUG_RECORD_DECLARE", fixed: "NNNN"},
	funRecordDeclareValue: {name: "DEBUG_RECORD_DECLARE_VALUE", fixed: "NNNN"},
	funRecordAssign:       {name: "DEBUG_RECORD_ASSIGN", fixed: "NNNNNNN"},
	funRecordValueSimple:  {name: "DEBUG_RECORD_VALUE_SIMPLE", fixed: "NNNp"},
	funRecordLabel:        {name: "DEBUG_RECORD_LABEL", fixed: "NN"},
}

// oldInstructions names records that LLVM 14 to 23 do not write any more, for
// the error.
var oldInstructions = map[uint32]string{
	4: "GEP_OLD", 24: "STORE_OLD", 30: "INBOUNDS_GEP_OLD", 37: "CMPXCHG_OLD", 38: "ATOMICRMW_OLD",
	40: "LANDINGPAD_OLD", 42: "STOREATOMIC_OLD",
}

// instructions is instructionLayouts by code.
var instructions = func() (table [funRecordDeclareValue + 1]*instructionLayout) {
	for code, l := range instructionLayouts {
		table[code] = &l
	}
	return table
}()
