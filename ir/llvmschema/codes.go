package llvmschema

// The numbers below are those of LLVM's LLVMBitCodes.h.

// Top-level blocks and the blocks of a module.
const (
	BlockModule         = 8
	BlockAttributeList  = 9
	BlockAttributeGroup = 10
	BlockConstants      = 11
	BlockFunction       = 12
	BlockIdentification = 13
	BlockSymbolTable    = 14
	BlockMetadata       = 15
	BlockAttachment     = 16
	BlockType           = 17
	BlockUseList        = 18
	BlockModuleStrtab   = 19
	BlockSummary        = 20
	BlockBundleTag      = 21
	BlockMetadataKind   = 22
	BlockStrtab         = 23
	BlockLTOSummary     = 24
	BlockSymtab         = 25
	BlockSyncScope      = 26
)

// Records of the identification block.
const (
	IdentificationString = 1
	IdentificationEpoch  = 2
)

// UseListDefault is the record of a block of use-list orders for values other than basic blocks.
const UseListDefault = 1

// StrtabBlob is the record of the string table.
const StrtabBlob = 1

// Records of the module block.
const (
	ModuleVersion    = 1
	ModuleTriple     = 2
	ModuleDataLayout = 3
	ModuleAsm        = 4
	ModuleSection    = 5
	ModuleDepLib     = 6
	ModuleVariable   = 7
	ModuleFunction   = 8
	ModuleAliasOld   = 9 // before LLVM 3.8
	ModuleGC         = 11
	ModuleComdat     = 12
	ModuleVSTOffset  = 13
	ModuleAlias      = 14
	ModuleSource     = 16
	ModuleHash       = 17
	ModuleIFunc      = 18
	ModuleGUIDs      = 21
)

// Records of the attribute blocks.
const (
	AttributeListEntry  = 2
	AttributeGroupEntry = 3
)

// The forms of attributes in a group.
const (
	AttributeEnum        = 0 // kind
	AttributeInt         = 1 // kind, value
	AttributeString      = 3 // key, 0
	AttributeStringValue = 4 // key, 0, value, 0
	AttributeNoType      = 5 // kind
	AttributeTyped       = 6 // kind, type
	AttributeRange       = 7 // kind, width, range (LLVM 19)
	AttributeRanges      = 8 // kind, number, width, ranges (LLVM 19)
)

// FunctionIndex is the index of an attribute group that is about the function
// itself; 0 is the result, parameters follow.
const FunctionIndex = 1<<32 - 1

// Records of the type block.
const (
	TypeNumEntries    = 1
	TypeVoid          = 2
	TypeFloat         = 3
	TypeDouble        = 4
	TypeLabel         = 5
	TypeOpaque        = 6
	TypeInteger       = 7
	TypePointer       = 8
	TypeHalf          = 10
	TypeArray         = 11
	TypeVector        = 12
	TypeX86FP80       = 13
	TypeFP128         = 14
	TypePPCFP128      = 15
	TypeMetadata      = 16
	TypeX86MMX        = 17
	TypeStructAnon    = 18
	TypeStructName    = 19
	TypeStructNamed   = 20
	TypeFunction      = 21
	TypeToken         = 22
	TypeBFloat        = 23
	TypeX86AMX        = 24
	TypeOpaquePointer = 25
	TypeTarget        = 26
	TypeByte          = 27
)

// Records of symbol tables.
const (
	SymbolEntry    = 1
	SymbolBlock    = 2
	SymbolFunction = 3
)

// Records of the metadata blocks.
const (
	MetadataStringOld       = 1
	MetadataValue           = 2
	MetadataNode            = 3
	MetadataName            = 4
	MetadataDistinctNode    = 5
	MetadataKind            = 6
	MetadataLocation        = 7
	MetadataNamedNode       = 10
	MetadataAttachment      = 11
	MetadataGenericDebug    = 12
	MetadataSubrange        = 13
	MetadataEnumerator      = 14
	MetadataBasicType       = 15
	MetadataFile            = 16
	MetadataDerivedType     = 17
	MetadataCompositeType   = 18
	MetadataSubroutineType  = 19
	MetadataCompileUnit     = 20
	MetadataSubprogram      = 21
	MetadataLexicalBlock    = 22
	MetadataLexicalFile     = 23
	MetadataNamespace       = 24
	MetadataTemplateType    = 25
	MetadataTemplateValue   = 26
	MetadataGlobalVar       = 27
	MetadataLocalVar        = 28
	MetadataExpression      = 29
	MetadataObjCProperty    = 30
	MetadataImportedEntity  = 31
	MetadataModule          = 32
	MetadataMacro           = 33
	MetadataMacroFile       = 34
	MetadataStrings         = 35
	MetadataDeclAttachment  = 36
	MetadataGlobalVarExpr   = 37
	MetadataIndexOffset     = 38
	MetadataIndex           = 39
	MetadataLabel           = 40
	MetadataStringType      = 41
	MetadataCommonBlock     = 44
	MetadataGenericSubrange = 45
	MetadataArgList         = 46
	MetadataAssignID        = 47
	MetadataSubrangeType    = 48
	MetadataFixedPointType  = 49
)

// Records of the constants blocks.
const (
	ConstantSetType           = 1
	ConstantNull              = 2
	ConstantUndef             = 3
	ConstantInteger           = 4
	ConstantWideInteger       = 5
	ConstantFloat             = 6
	ConstantAggregate         = 7
	ConstantString            = 8
	ConstantCString           = 9
	ConstantBinop             = 10
	ConstantCast              = 11
	ConstantGEPOld            = 12
	ConstantSelect            = 13
	ConstantExtractElement    = 14
	ConstantInsertElement     = 15
	ConstantShuffle           = 16
	ConstantCompare           = 17
	ConstantInlineAsmOld      = 18
	ConstantShuffleEx         = 19
	ConstantInboundsGEP       = 20
	ConstantBlockAddress      = 21
	ConstantData              = 22
	ConstantInlineAsmOld2     = 23
	ConstantGEPInrangeOld     = 24
	ConstantUnop              = 25
	ConstantPoison            = 26
	ConstantDSOLocal          = 27
	ConstantInlineAsmOld3     = 28
	ConstantNoCFI             = 29
	ConstantInlineAsm         = 30
	ConstantGEPInrange        = 31
	ConstantGEP               = 32
	ConstantPtrAuth           = 33
	ConstantPtrAuthDeactivate = 34
	ConstantByte              = 35
	ConstantWideByte          = 36
)

// Casts, as constants and instructions number them.
const (
	CastPtrToInt      = 9
	CastIntToPtr      = 10
	CastBitCast       = 11
	CastAddrSpaceCast = 12
	CastPtrToAddr     = 13
)

// Records of function blocks.
const (
	FunctionDeclareBlocks      = 1
	FunctionBinop              = 2
	FunctionCast               = 3
	FunctionSelectOld          = 5
	FunctionExtractElement     = 6
	FunctionInsertElement      = 7
	FunctionShuffle            = 8
	FunctionCompareOld         = 9
	FunctionRet                = 10
	FunctionBr                 = 11
	FunctionSwitch             = 12
	FunctionInvoke             = 13
	FunctionUnreachable        = 15
	FunctionPhi                = 16
	FunctionAlloca             = 19
	FunctionLoad               = 20
	FunctionVAArg              = 23
	FunctionExtractValue       = 26
	FunctionInsertValue        = 27
	FunctionCompare            = 28
	FunctionSelect             = 29
	FunctionIndirectBr         = 31
	FunctionDebugLocAgain      = 33
	FunctionCall               = 34
	FunctionDebugLoc           = 35
	FunctionFence              = 36
	FunctionResume             = 39
	FunctionLoadAtomic         = 41
	FunctionGEP                = 43
	FunctionStore              = 44
	FunctionStoreAtomic        = 45
	FunctionCmpXchg            = 46
	FunctionLandingPad         = 47
	FunctionCleanupRet         = 48
	FunctionCatchRet           = 49
	FunctionCatchPad           = 50
	FunctionCleanupPad         = 51
	FunctionCatchSwitch        = 52
	FunctionOperandBundle      = 55
	FunctionUnop               = 56
	FunctionCallBr             = 57
	FunctionFreeze             = 58
	FunctionAtomicRMW          = 59
	FunctionBlockAddrUsers     = 60
	FunctionRecordValue        = 61
	FunctionRecordDeclare      = 62
	FunctionRecordAssign       = 63
	FunctionRecordValueSimple  = 64
	FunctionRecordLabel        = 65
	FunctionRecordDeclareValue = 66
)

// Bits of the calling-convention operand of calls.
const (
	CallExplicitType   = 1 << 15
	CallFMF            = 1 << 17
	InvokeExplicitType = 1 << 13
)

// BundleMetadata marks a metadata operand of an operand bundle.
const BundleMetadata = 0x80000000

// The fourth operand of ALLOCA: the logarithm of the alignment plus one in two
// pieces, of which the lower has five bits, and flags.
const (
	AllocaAlignLowBits   = 5
	AllocaAlignLow       = 1<<AllocaAlignLowBits - 1
	AllocaExplicitType   = 1 << 6
	AllocaAlignHighShift = 8
)
