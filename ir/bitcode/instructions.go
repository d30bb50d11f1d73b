package bitcode

import (
	"offlink/ir/llvmschema"
	"offlink/lazy"
)

// specialInstructions reads the records whose operands depend on one another.
var specialInstructions = lazy.Map[uint32, func(*bodyReader) (defines bool, err error)]{New: func() map[uint32]func(*bodyReader) (defines bool, err error) {
	return map[uint32]func(*bodyReader) (defines bool, err error){
		llvmschema.FunctionBr:            (*bodyReader).readBranch,
		llvmschema.FunctionInvoke:        (*bodyReader).readInvoke,
		llvmschema.FunctionPhi:           (*bodyReader).readPhi,
		llvmschema.FunctionCall:          (*bodyReader).readCall,
		llvmschema.FunctionOperandBundle: (*bodyReader).readBundle,
		llvmschema.FunctionCallBr:        (*bodyReader).callBr,
		llvmschema.FunctionDeclareBlocks: (*bodyReader).declareBlocks,
	}
}}
