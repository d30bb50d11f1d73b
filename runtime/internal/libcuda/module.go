package libcuda

import (
	"bytes"
	"errors"
	"runtime"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
)

// InputKind is the form of code that a linker takes (CUjitInputType).
type InputKind int

// The kinds of input.
const (
	InputCubin InputKind = 0
	InputPTX   InputKind = 1
)

// Input is code for a linker.
type Input struct {
	Name string // for the log
	Kind InputKind
	Code []byte
}

// Options of the compiler (CUjit_option).
const (
	jitInfoLog      = 3
	jitInfoLogSize  = 4
	jitErrorLog     = 5
	jitErrorLogSize = 6
	largeLog        = 16 << 20
)

// logs are the buffers that the driver writes its messages to, which it truncates when
// they are full. They take up to a quarter of the time of a link, so that a call is made
// without them, and repeated with them if it fails.
type logs struct {
	info, errors []byte
	names        [4]uint32
	values       [4]uintptr
}

func newLogs() *logs {
	const size = largeLog
	g := &logs{info: make([]byte, size), errors: make([]byte, size)}
	g.names = [4]uint32{jitInfoLog, jitInfoLogSize, jitErrorLog, jitErrorLogSize}
	g.values = [4]uintptr{
		uintptr(unsafe.Pointer(&g.info[0])), uintptr(size), uintptr(unsafe.Pointer(&g.errors[0])), uintptr(size),
	}
	return g
}

// logText is the driver's words.
func (g *logs) logText() string {
	var parts []string
	for _, log := range [][]byte{g.errors, g.info} {
		log, _, _ = bytes.Cut(log, []byte{0})
		parts = append(parts, string(log))
	}
	return parts[0] + parts[1]
}

// options returns the arguments of a call for the logs: number, names, values. They are 0
// for nil logs.
func (g *logs) options() (count, names, values uintptr) {
	if g == nil {
		return 0, 0, 0
	}
	return uintptr(len(g.names)), uintptr(unsafe.Pointer(&g.names[0])), uintptr(unsafe.Pointer(&g.values[0]))
}

// Link links code to a cubin. A failure is a *driver.BuildError without a
// device, with the log.
func (l *Library) Link(inputs []Input) (cubin []byte, err error) {
	if cubin, err = l.linkOnce(inputs, nil); err == nil {
		return cubin, nil
	}
	g := newLogs()
	_, _ = l.linkOnce(inputs, g) // for the log alone
	return nil, buildError(err, g)
}

// buildError adds the log to an error.
func buildError(err error, g *logs) error {
	return &driver.BuildError{Err: err, Log: g.logText()}
}

func (l *Library) linkOnce(inputs []Input, g *logs) (cubin []byte, err error) {
	defer runtime.KeepAlive(g)
	linker := new(Linker)
	count, names, values := g.options()
	err = l.callFunction(fnLinkCreate, count, names, values, uintptr(unsafe.Pointer(linker)))
	if err = checkMade(fnLinkCreate, *linker, err); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.callFunction(fnLinkDestroy, uintptr(*linker))) }()
	for _, in := range inputs {
		if err := l.addInput(*linker, in); err != nil {
			return nil, err
		}
	}
	var code uintptr
	var size uint64
	if err := l.callFunction(fnLinkComplete, uintptr(*linker), uintptr(unsafe.Pointer(&code)), uintptr(unsafe.Pointer(&size))); err != nil {
		return nil, err
	}
	if size == 0 {
		return nil, errors.New("the driver's link returned no code")
	}
	return bytes.Clone(dl.Bytes(code, int(size))), nil // it is the linker's memory
}

// addInput adds one module. PTX must end with a zero byte, which the size includes.
func (l *Library) addInput(linker Linker, in Input) error {
	code, name := in.Code, append([]byte(in.Name), 0)
	if in.Kind == InputPTX && !bytes.HasSuffix(code, []byte{0}) {
		code = make([]byte, len(in.Code)+1)
		copy(code, in.Code)
	}
	return l.callFunction(fnLinkAddData, uintptr(linker), uintptr(in.Kind), uintptr(unsafe.Pointer(unsafe.SliceData(code))), uintptr(len(code)),
		uintptr(unsafe.Pointer(&name[0])), 0, 0, 0)
}

// Load loads a cubin or a fat binary: no size is passed, as their headers have it. A
// failure is a *driver.BuildError as that of Link.
func (l *Library) Load(code []byte) (Module, error) {
	m, err := l.loadOnce(code, nil)
	if err == nil {
		return m, nil
	}
	g := newLogs()
	if m, again := l.loadOnce(code, g); again == nil { // for the log alone
		err = errors.Join(err, l.Unload(m))
	}
	return 0, buildError(err, g)
}

func (l *Library) loadOnce(code []byte, g *logs) (Module, error) {
	defer runtime.KeepAlive(g)
	m := new(Module)
	count, names, values := g.options()
	err := l.callFunction(fnModuleLoadDataEx, uintptr(unsafe.Pointer(m)), uintptr(unsafe.Pointer(unsafe.SliceData(code))), count, names, values)
	return *m, checkMade(fnModuleLoadDataEx, *m, err)
}

// Unload unloads a module.
func (l *Library) Unload(m Module) error { return l.callFunction(fnModuleUnload, uintptr(m)) }

// Function returns a kernel of the module.
func (l *Library) Function(m Module, name string) (Function, error) {
	text := append([]byte(name), 0)
	var f Function
	err := l.callFunction(fnModuleGetFunction, uintptr(unsafe.Pointer(&f)), uintptr(m), uintptr(unsafe.Pointer(&text[0])))
	return f, checkMade(fnModuleGetFunction, f, err)
}

// Global returns the address and size of a variable of the module.
func (l *Library) Global(m Module, name string) (address uint64, size int64, err error) {
	text := append([]byte(name), 0)
	err = l.callFunction(fnModuleGetGlobal, uintptr(unsafe.Pointer(&address)), uintptr(unsafe.Pointer(&size)), uintptr(m), uintptr(unsafe.Pointer(&text[0])))
	return address, size, checkMade(fnModuleGetGlobal, address, err)
}

// FunctionAttribute is an attribute of a kernel (CUfunction_attribute).
type FunctionAttribute int

// The attributes of kernels.
const (
	FunctionMaxThreads    FunctionAttribute = 0
	FunctionSharedSize    FunctionAttribute = 1 // static, of a block
	FunctionLocalSize     FunctionAttribute = 3 // private memory of a thread
	FunctionMaxDynamic    FunctionAttribute = 8 // dynamic shared memory that launches may ask for
	maxFunctionParameters                   = 1 << 12
)

// FunctionAttribute returns an attribute of a kernel.
func (l *Library) FunctionAttribute(f Function, a FunctionAttribute) (int, error) {
	var value int32
	err := l.callFunction(fnFuncGetAttribute, uintptr(unsafe.Pointer(&value)), uintptr(a), uintptr(f))
	return int(value), err
}

// SetFunctionAttribute changes one.
func (l *Library) SetFunctionAttribute(f Function, a FunctionAttribute, value int) error {
	return l.callFunction(fnFuncSetAttribute, uintptr(f), uintptr(a), uintptr(value))
}

// ParamInfo is where a parameter lies in the block of arguments.
type ParamInfo struct{ Offset, Size int }

// ErrNoParams is the error of Params where the driver lacks the query (before CUDA 12.4).
var ErrNoParams = errors.New("the driver does not describe the parameters of kernels in cubins: use a driver for CUDA 12.4 or later, or PTX")

// Params asks the driver for a kernel's parameters.
func (l *Library) Params(f Function) (params []ParamInfo, err error) {
	if !l.hasFunction(fnFuncGetParamInfo) {
		return nil, ErrNoParams
	}
	for i := range maxFunctionParameters {
		var offset, size uint64
		err := l.callFunction(fnFuncGetParamInfo, uintptr(f), uintptr(i), uintptr(unsafe.Pointer(&offset)), uintptr(unsafe.Pointer(&size)))
		if hasCode(err, codeInvalidValue) {
			break // that was the last
		}
		if err != nil {
			return nil, err
		}
		params = append(params, ParamInfo{int(offset), int(size)})
	}
	return params, nil
}
