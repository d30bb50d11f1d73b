package bitcode

// The numbers below are those of LLVM's LLVMBitCodes.h, LLVM 14 to 23.

// Top-level blocks and the blocks of a module.
const (
	moduleBlock         = 8
	attributeListBlock  = 9
	attributeGroupBlock = 10
	constantsBlock      = 11
	functionBlock       = 12
	identificationBlock = 13
	symbolTableBlock    = 14
	metadataBlock       = 15
	attachmentBlock     = 16
	typeBlock           = 17
	useListBlock        = 18
	moduleStrtabBlock   = 19
	summaryBlock        = 20
	bundleTagBlock      = 21
	metadataKindBlock   = 22
	strtabBlock         = 23
	ltoSummaryBlock     = 24
	symtabBlock         = 25
	syncScopeBlock      = 26
)

// Records of the identification block.
const (
	identificationString = 1
	identificationEpoch  = 2
)

// Records of the module block.
const (
	moduleVersion    = 1
	moduleTriple     = 2
	moduleDataLayout = 3
	moduleAsm        = 4
	moduleSection    = 5
	moduleDepLib     = 6
	moduleVariable   = 7
	moduleFunction   = 8
	moduleGC         = 11
	moduleComdat     = 12
	moduleVSTOffset  = 13
	moduleAlias      = 14
	moduleSource     = 16
	moduleHash       = 17
	moduleIFunc      = 18
	moduleGUIDs      = 21
)

// Records of the attribute blocks.
const (
	attributeListEntry  = 2
	attributeGroupEntry = 3
)

// Records of the type block.
const (
	typeNumEntries    = 1
	typeVoid          = 2
	typeFloat         = 3
	typeDouble        = 4
	typeLabel         = 5
	typeOpaque        = 6
	typeInteger       = 7
	typePointer       = 8
	typeHalf          = 10
	typeArray         = 11
	typeVector        = 12
	typeX86FP80       = 13
	typeFP128         = 14
	typePPCFP128      = 15
	typeMetadata      = 16
	typeX86MMX        = 17
	typeStructAnon    = 18
	typeStructName    = 19
	typeStructNamed   = 20
	typeFunction      = 21
	typeToken         = 22
	typeBFloat        = 23
	typeX86AMX        = 24
	typeOpaquePointer = 25
	typeTarget        = 26
	typeByte          = 27
)

// Records of symbol tables.
const (
	symbolEntry    = 1
	symbolBlock    = 2
	symbolFunction = 3
)

// Records of the metadata blocks.
const (
	mdStringOld       = 1
	mdValue           = 2
	mdNode            = 3
	mdName            = 4
	mdDistinctNode    = 5
	mdKind            = 6
	mdLocation        = 7
	mdNamedNode       = 10
	mdAttachment      = 11
	mdGenericDebug    = 12
	mdSubrange        = 13
	mdEnumerator      = 14
	mdBasicType       = 15
	mdFile            = 16
	mdDerivedType     = 17
	mdCompositeType   = 18
	mdSubroutineType  = 19
	mdCompileUnit     = 20
	mdSubprogram      = 21
	mdLexicalBlock    = 22
	mdLexicalFile     = 23
	mdNamespace       = 24
	mdTemplateType    = 25
	mdTemplateValue   = 26
	mdGlobalVar       = 27
	mdLocalVar        = 28
	mdExpression      = 29
	mdObjCProperty    = 30
	mdImportedEntity  = 31
	mdModule          = 32
	mdMacro           = 33
	mdMacroFile       = 34
	mdStrings         = 35
	mdDeclAttachment  = 36
	mdGlobalVarExpr   = 37
	mdIndexOffset     = 38
	mdIndex           = 39
	mdLabel           = 40
	mdStringType      = 41
	mdCommonBlock     = 44
	mdGenericSubrange = 45
	mdArgList         = 46
	mdAssignID        = 47
	mdSubrangeType    = 48
	mdFixedPointType  = 49
)

// Records of the constants blocks.
const (
	cstSetType           = 1
	cstNull              = 2
	cstUndef             = 3
	cstInteger           = 4
	cstWideInteger       = 5
	cstFloat             = 6
	cstAggregate         = 7
	cstString            = 8
	cstCString           = 9
	cstBinop             = 10
	cstCast              = 11
	cstGEPOld            = 12
	cstSelect            = 13
	cstExtractElement    = 14
	cstInsertElement     = 15
	cstShuffle           = 16
	cstCompare           = 17
	cstInlineAsmOld      = 18
	cstShuffleEx         = 19
	cstInboundsGEP       = 20
	cstBlockAddress      = 21
	cstData              = 22
	cstInlineAsmOld2     = 23
	cstGEPInrangeOld     = 24
	cstUnop              = 25
	cstPoison            = 26
	cstDSOLocal          = 27
	cstInlineAsmOld3     = 28
	cstNoCFI             = 29
	cstInlineAsm         = 30
	cstGEPInrange        = 31
	cstGEP               = 32
	cstPtrAuth           = 33
	cstPtrAuthDeactivate = 34
	cstByte              = 35
	cstWideByte          = 36
)

// Casts, as constants and instructions number them.
const (
	castPtrToInt      = 9
	castIntToPtr      = 10
	castBitCast       = 11
	castAddrSpaceCast = 12
	castPtrToAddr     = 13
)

// Records of function blocks.
const (
	funDeclareBlocks      = 1
	funBinop              = 2
	funCast               = 3
	funSelectOld          = 5
	funExtractElement     = 6
	funInsertElement      = 7
	funShuffle            = 8
	funCompareOld         = 9
	funRet                = 10
	funBr                 = 11
	funSwitch             = 12
	funInvoke             = 13
	funUnreachable        = 15
	funPhi                = 16
	funAlloca             = 19
	funLoad               = 20
	funVAArg              = 23
	funExtractValue       = 26
	funInsertValue        = 27
	funCompare            = 28
	funSelect             = 29
	funIndirectBr         = 31
	funDebugLocAgain      = 33
	funCall               = 34
	funDebugLoc           = 35
	funFence              = 36
	funResume             = 39
	funLoadAtomic         = 41
	funGEP                = 43
	funStore              = 44
	funStoreAtomic        = 45
	funCmpXchg            = 46
	funLandingPad         = 47
	funCleanupRet         = 48
	funCatchRet           = 49
	funCatchPad           = 50
	funCleanupPad         = 51
	funCatchSwitch        = 52
	funOperandBundle      = 55
	funUnop               = 56
	funCallBr             = 57
	funFreeze             = 58
	funAtomicRMW          = 59
	funBlockAddrUsers     = 60
	funRecordValue        = 61
	funRecordDeclare      = 62
	funRecordAssign       = 63
	funRecordValueSimple  = 64
	funRecordLabel        = 65
	funRecordDeclareValue = 66
)

// Bits of the calling-convention operand of calls.
const (
	callExplicitType   = 1 << 15
	callFMF            = 1 << 17
	invokeExplicitType = 1 << 13
)

// bundleMetadata marks a metadata operand of an operand bundle.
const bundleMetadata = 0x80000000

// The fourth operand of ALLOCA: the logarithm of the alignment plus one in two
// pieces, of which the lower has five bits, and flags.
const (
	allocaAlignLowBits   = 5
	allocaAlignLow       = 1<<allocaAlignLowBits - 1
	allocaExplicitType   = 1 << 6
	allocaAlignHighShift = 8
)
