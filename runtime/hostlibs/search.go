package hostlibs

import (
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// findLibrary searches one library in the order of ld.so(8): a name with a slash as a path,
// RPATH of the modules given, LD_LIBRARY_PATH, RUNPATH, the cache, the folders of the system.
func (l *Loader) findLibrary(name string, m *Module, rpaths []*Module) Dependency {
	d := Dependency{Name: name}
	for _, path := range l.candidates(name, m, rpaths) {
		switch lib, err := l.Open(path); {
		case err != nil && !isFile(path):
			continue
		case err != nil || lib.Kind != Library && lib.Kind != Program:
			d.Refused = path
			return d
		case lib.Class == m.Class && lib.Machine == m.Machine: // the loader skips those for other machines
			d.Module, d.Path = lib, path
			return d
		}
	}
	return d
}

// isFile reports whether the loader would open a file that cannot be read as ELF.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// candidates are the paths at which the loader looks for a library.
func (l *Loader) candidates(name string, m *Module, rpaths []*Module) (paths []string) {
	if strings.ContainsRune(name, '/') {
		return []string{name}
	}
	for _, folder := range l.searchFolders(m, rpaths) {
		paths = append(paths, filepath.Join(folder, name))
	}
	system := l.systemFolders(m)
	for _, path := range l.loaderCache(name) {
		if !m.OwnFoldersOnly || !slices.Contains(system, filepath.Dir(path)) {
			paths = append(paths, path)
		}
	}
	if m.OwnFoldersOnly {
		return paths
	}
	for _, folder := range system {
		paths = append(paths, filepath.Join(folder, name))
	}
	return paths
}

// searchFolders are the folders that are not the system's.
func (l *Loader) searchFolders(m *Module, rpaths []*Module) (list []string) {
	for _, by := range rpaths {
		if by.Runpath == nil {
			list = append(list, l.expandFolders(by, by.Rpath)...)
		}
	}
	if l.LibraryPath != "" {
		list = append(list, l.expandFolders(m, splitPath(l.LibraryPath, ":;"))...)
	}
	return append(list, l.expandFolders(m, m.Runpath)...)
}

// Folders returns the folders in which the libraries of a module that was loaded are looked for
// before those of the system.
func (l *Loader) Folders(m *Module) []string { return l.searchFolders(m, []*Module{m}) }

// splitPath splits a search path at any of the separators. A part that is empty stands for the
// current folder, unless the whole is.
func splitPath(s, separators string) []string {
	list := []string{}
	for s != "" {
		end := strings.IndexAny(s, separators)
		if end < 0 {
			return append(list, s)
		}
		list = append(list, s[:end])
		if s = s[end+1:]; s == "" {
			list = append(list, "")
		}
	}
	return list
}

func (l *Loader) expandFolders(m *Module, folders []string) []string {
	list := make([]string, len(folders))
	for i, folder := range folders {
		list[i] = filepath.Clean(l.expandTokens(m, folder))
	}
	return list
}

// expandTokens replaces the dynamic string tokens of ld.so(8), but for $PLATFORM, which depends on
// the processor.
func (l *Loader) expandTokens(m *Module, s string) string {
	if !strings.ContainsRune(s, '$') {
		return s
	}
	origin, lib := m.origin, l.libFolder(m)
	return strings.NewReplacer("$ORIGIN", origin, "${ORIGIN}", origin, "$LIB", lib, "${LIB}", lib).Replace(s)
}

// loaders are the paths of glibc's loaders, which programs name.
var loaders = map[elf.Machine]string{
	elf.EM_X86_64:  "/lib64/ld-linux-x86-64.so.2",
	elf.EM_386:     "/lib/ld-linux.so.2",
	elf.EM_AARCH64: "/lib/ld-linux-aarch64.so.1",
}

// libFolder is the folder for which $LIB stands, where the distribution has its libraries and
// the loader: lib64, lib, or lib/x86_64-linux-gnu.
func (l *Loader) libFolder(m *Module) string {
	if real, err := filepath.EvalSymlinks(loaders[m.Machine]); err == nil {
		return strings.TrimPrefix(strings.TrimPrefix(filepath.Dir(real), "/usr"), "/")
	}
	if is64(m) {
		return "lib64"
	}
	return "lib"
}

func (l *Loader) loaderCache(name string) []string {
	if l.cache == nil {
		l.cache = make(map[string][]string)
		file := l.CacheFile
		if file == "" {
			file = "/etc/ld.so.cache"
		}
		// A cache that is not there or not readable has no entries, as for
		// the loader.
		if data, err := os.ReadFile(file); err == nil {
			if paths, err := parseCache(data); err == nil {
				l.cache = paths
			}
		}
	}
	return l.cache[name]
}

func (l *Loader) systemFolders(m *Module) []string {
	if l.DefaultFolders != nil {
		return l.DefaultFolders
	}
	lib := l.libFolder(m)
	list := []string{"/" + lib, "/usr/" + lib}
	if is64(m) {
		list = append(list, "/lib64", "/usr/lib64")
	}
	return append(list, "/lib", "/usr/lib")
}
