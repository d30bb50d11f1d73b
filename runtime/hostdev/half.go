package hostdev

import "offlink/runtime/hostdev/internal/half"

// rounding is the mode of rounding to a narrower type.
type rounding = half.Rounding

const (
	roundEven = half.Even
	roundZero = half.Zero
	roundUp   = half.Up
	roundDown = half.Down
)

func halfToFloat(h uint16) float32 { return half.ToFloat(h) }

func floatToHalf(f float32, mode rounding) uint16 { return half.FromFloat(f, mode) }

func doubleToHalf(f float64, mode rounding) uint16 { return half.FromDouble(f, mode) }
