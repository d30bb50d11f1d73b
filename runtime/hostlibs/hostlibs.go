// Package hostlibs finds the shared libraries that the dynamic loader of Linux
// takes for a program, without running anything: the closure of DT_NEEDED by
// the rules of ld.so(8). Device code in a library is there only if the program
// loads the library.
package hostlibs

import "os"

// Loader is the environment of a search. The zero Loader takes files of this
// machine and no variable.
type Loader struct {
	// LibraryPath is the value of LD_LIBRARY_PATH, Preload that of LD_PRELOAD.
	LibraryPath, Preload string
	// CacheFile is the loader's cache; /etc/ld.so.cache if empty.
	CacheFile string
	// DefaultFolders are searched last; those of ld.so(8) if nil.
	DefaultFolders []string

	cache map[string][]string
	files map[string]*Module
}

// Module is a program or a library.
type Module struct {
	Path string
	*Dynamic
	// Needed are the libraries that it asks for, by the names of Dynamic.Needed.
	Needed []Dependency

	id     os.FileInfo
	origin string // the folder for which $ORIGIN stands, once it is loaded
}

// Dependency is a library that a module asks for.
type Dependency struct {
	Name string
	// Module is nil where no file was found.
	Module *Module
	// Path is that by which the file was found, if it was not loaded already.
	Path string
	// Refused is a file of that name with which the search ended, as the loader takes no
	// such file; "" if there is none.
	Refused string
}

// Missing is a library that was not found.
type Missing struct {
	Dependency
	By *Module
}

// Open reads the dynamic section of a file. A file is read once for a loader.
func (l *Loader) Open(path string) (*Module, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe could block for ever
		return nil, &os.PathError{Op: "read", Path: path, Err: os.ErrInvalid}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for _, known := range l.files {
		if os.SameFile(known.id, info) {
			return known, nil
		}
	}
	d, err := ReadDynamic(file)
	if err != nil {
		return nil, &os.PathError{Op: "read", Path: path, Err: err}
	}
	m := &Module{Path: path, Dynamic: d, id: info}
	if l.files == nil {
		l.files = make(map[string]*Module)
	}
	l.files[path] = m
	return m, nil
}
