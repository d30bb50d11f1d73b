package dl

// Loader is a few functions of this package as methods, for packages that take
// them as an interface: a program that only reads native code does not depend on
// this package then.
type Loader struct{}

// Open opens a library by its path.
func (Loader) Open(path string) (library uintptr, err error) { return openLibrary(path) }

// Symbol is the address of a function of the library.
func (Loader) Symbol(library uintptr, name string) (function uintptr, err error) {
	return findSymbol(library, name)
}

// Call is [Call] of a function of four arguments.
func (Loader) Call(function, a, b, c, d uintptr) uintptr { return Call(function, a, b, c, d) }

// Callback is [NewCallback] of a function of three arguments.
func (Loader) Callback(f func(a, b, c uintptr) uintptr) uintptr { return NewCallback(f) }

// Close releases the library.
func (Loader) Close(library uintptr) error { return closeLibrary(library) }
