package derive

import (
	"fmt"
	"slices"
	"strings"

	"offlink/ir"
	"offlink/ir/sycl"
	"offlink/props"
)

// Kinds of metadata with a boolean for each argument of a kernel: true where
// the argument was optimised away.
var omittedKinds = []string{sycl.KindOmittedArgs, sycl.KindOldOmittedArgs}

// paramOpt gives for each function with the metadata, kernel or not, the
// arguments that it no longer takes, as a bit mask: bit 0 is the first argument.
// The set is written even if it is empty, and sorted by name.
func (i *image) paramOpt() error {
	set := i.sets.Open(props.SetKernelParamOpt)
	var functions []*ir.GlobalValue
	for _, v := range i.eachFunction {
		if len(v.Details().Attachments) > 0 {
			functions = append(functions, v)
		}
	}
	slices.SortFunc(functions, func(a, b *ir.GlobalValue) int { return strings.Compare(a.Name, b.Name) })
	for _, v := range functions {
		omitted, err := i.omittedArguments(v)
		if err != nil {
			return err
		}
		if len(omitted) > 0 {
			set.Put(v.Name, bitMask(omitted))
		}
	}
	return nil
}

// omittedArguments returns a boolean for each argument that the source declared.
func (i *image) omittedArguments(v *ir.GlobalValue) ([]bool, error) {
	for _, kind := range omittedKinds {
		operands, ok, err := sycl.Attached(i.Module, v, kind)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		omitted := make([]bool, len(operands))
		for n, o := range operands {
			if o.Kind != ir.OperandInt {
				return nil, fmt.Errorf("@%s: !%s: operand %d is not an i1", v.Name, kind, n)
			}
			omitted[n] = o.Int != 0
		}
		return omitted, nil
	}
	return nil, nil
}

// bitMask packs the bits from the lowest of the first byte on. The length in bits
// goes with them, as the last byte may have some too many.
func bitMask(bits []bool) props.Value {
	data := make([]byte, (len(bits)+7)/8)
	for n, bit := range bits {
		if bit {
			data[n/8] |= 1 << (n % 8)
		}
	}
	return props.Bits(data, uint64(len(bits)))
}
