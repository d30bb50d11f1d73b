package spirv

import "testing"

// TestOperandCount: there is no upper bound where operands may be repeated, and where a literal may have parameters.
func TestOperandCount(t *testing.T) {
	for _, test := range []struct {
		op          Opcode
		least, most int
	}{
		{OpImageSampleExplicitLod, 3, -1},
		{OpImageSampleImplicitLod, 2, -1},
		{OpLoad, 1, -1},
		{OpControlBarrier, 3, 3},
		{OpGroupIAdd, 3, 3},
		{OpFunctionCall, 1, -1},
	} {
		if least, most := test.op.OperandCount(); least != test.least || most != test.most {
			t.Errorf("%v: %d to %d, want %d to %d", test.op, least, most, test.least, test.most)
		}
	}
}
