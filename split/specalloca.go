package split

import (
	"errors"
	"fmt"

	"offlink/ir"
	"offlink/ir/sycl"
)

// specAllocation is a call of llvm.sycl.alloca, which allocates memory for a
// number of elements that a specialization constant gives.
type specAllocation struct {
	element, pointer ir.TypeID
	align            uint64
}

// newSpecAllocation decodes the arguments after those that name the constant.
func newSpecAllocation(call *ir.Call) *specAllocation {
	return &specAllocation{element: call.Arguments[3].Type, pointer: call.Result, align: call.Arguments[4].Constant.Int}
}

// allocateOnce returns the allocation of that many elements.
func (a *specAllocation) allocateOnce(count ir.Expression) ir.Expression {
	return ir.Expression{Kind: ir.ExpressionAlloca, Type: a.pointer, Element: a.element, Align: a.align, Operands: []ir.Expression{count}}
}

// ErrEmulatedSize says that an allocation of private memory needs [SpecConstantsNative].
var ErrEmulatedSize = errors.New("the size of private memory cannot be an emulated specialization constant")

// checkAllocation reports why memory of such a size cannot be allocated.
// Where constants are emulated, the size would be known only when the kernel
// runs. Kernels that allocate are launched on SPIR devices alone, so that the
// default value serves on others, as with sycl-post-link.
func (g *Graph) checkAllocation(size ir.TypeID) error {
	if g.Module.Types[size].Kind != ir.TypeInteger {
		return fmt.Errorf("the size of private memory is not an integer")
	}
	if g.options.SpecConstants == SpecConstantsEmulated && sycl.IsSPIR(g.Module.Triple) {
		return ErrEmulatedSize
	}
	return nil
}
