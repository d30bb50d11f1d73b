//go:build !(linux && amd64)

package dl

type frame struct{ arguments [FrameArguments]uintptr }

func (f *frame) callFunction(function uintptr) uintptr { return Call(function, f.arguments[:]...) }
