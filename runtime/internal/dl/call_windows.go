package dl

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// Supported reports whether this build can open shared libraries.
const Supported = true

// openLibrary looks a bare name up in the application's and the system's
// folders only: the current folder is not the user's choice of a driver.
func openLibrary(name string) (uintptr, error) {
	flags := uintptr(windows.LOAD_LIBRARY_SEARCH_DEFAULT_DIRS)
	if isPath(name) {
		flags |= windows.LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR
	}
	handle, err := windows.LoadLibraryEx(name, 0, flags)
	return uintptr(handle), err
}

func isPath(name string) bool {
	for _, c := range name {
		if c == '/' || c == '\\' {
			return true
		}
	}
	return false
}

func isLoaded(name string) bool {
	const keepCount = 2 // GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT
	wide, err := windows.UTF16PtrFromString(name)
	var module windows.Handle
	return err == nil && windows.GetModuleHandleEx(keepCount, wide, &module) == nil
}

func closeLibrary(handle uintptr) error { return windows.FreeLibrary(windows.Handle(handle)) }

func findSymbol(handle uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(handle), name)
}

// Call calls a C function whose arguments are integers and pointers, and
// returns its result. Go memory that an argument points to
// (uintptr(unsafe.Pointer(p)) in the argument list) stays in place until the
// function returns.
//
//go:uintptrescapes
func Call(function uintptr, args ...uintptr) uintptr {
	result, _, _ := syscall.SyscallN(function, args...)
	return result
}

// NewCallback returns a C function pointer for a Go function with arguments
// and result of the size of a pointer. It is never freed, and a process has at
// most 2000: make them once. Threads of the driver may call it.
func NewCallback(f any) uintptr { return windows.NewCallback(f) }

func fileOfAddress(address uintptr) string {
	const fromAddress, keepCount = 4, 2 // GET_MODULE_HANDLE_EX_FLAG_...
	var module windows.Handle
	name := (*uint16)(pointerAt(address))
	if windows.GetModuleHandleEx(fromAddress|keepCount, name, &module) != nil {
		return ""
	}
	path := make([]uint16, windows.MAX_LONG_PATH)
	n, err := windows.GetModuleFileName(module, &path[0], uint32(len(path)))
	if err != nil {
		return ""
	}
	return windows.UTF16ToString(path[:n])
}

// FlushStreams does nothing: each library may have its own C runtime.
func FlushStreams() {}
