package dl

// FrameArguments is the number of arguments that a Frame has room for.
const FrameArguments = 12

// Frame is the memory of one call after another of functions with integer and
// pointer arguments, for callers that make so many of them that a Call's own
// memory shows. It lies on the heap and is used by one goroutine at a time. Its
// zero value is ready.
type Frame struct{ frame frame }

// Arguments are those of the next call. The caller keeps Go memory that they point to
// alive, on the heap, until that call returns.
func (f *Frame) Arguments() *[FrameArguments]uintptr { return &f.frame.arguments }

// Call calls a C function, which takes as many of the arguments as it has
// parameters.
func (f *Frame) Call(function uintptr) uintptr { return f.frame.callFunction(function) }
