package bitcode

import "offlink/ir/llvmschema"

// specialInstructions reads the records whose operands depend on one another.
var specialInstructions = map[uint32]func(*bodyReader) (defines bool, err error){
	llvmschema.FunctionBr:            (*bodyReader).branch,
	llvmschema.FunctionInvoke:        (*bodyReader).invoke,
	llvmschema.FunctionPhi:           (*bodyReader).phi,
	llvmschema.FunctionCall:          (*bodyReader).call,
	llvmschema.FunctionOperandBundle: (*bodyReader).bundle,
	llvmschema.FunctionCallBr:        (*bodyReader).callBr,
	llvmschema.FunctionDeclareBlocks: (*bodyReader).declareBlocks,
}
