package toolchain

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// Finder finds tools. The zero value looks in the process's environment.
//
// A Finder may be used from several goroutines once its fields are set.
type Finder struct {
	// Paths are tools that the user named. If a name has a path, no other tool of
	// that name is considered.
	Paths map[Name]string
	// Getenv reads the environment; nil means os.Getenv.
	Getenv func(string) string
}

func (f *Finder) getenv(key string) string {
	if f.Getenv != nil {
		return f.Getenv(key)
	}
	return os.Getenv(key)
}

// All returns the tools of that name: those with a version in their name, the newest first,
// then the plain name in each folder of PATH, then those in Python environments. A file
// that is found by several names is listed once. It fails if the user named a tool that
// cannot be run.
func (f *Finder) All(ctx context.Context, name Name) ([]Tool, error) {
	if path := f.Paths[name]; path != "" {
		t, err := userTool(ctx, name, path)
		if err != nil {
			return nil, err
		}
		return []Tool{t}, nil
	}
	found := &collection{seen: map[string]bool{}}
	for _, t := range f.versioned(name) {
		found.addTool(t)
	}
	f.unversioned(ctx, name, found)
	for _, t := range f.pythonTools(ctx, name) {
		found.addTool(t)
	}
	return found.tools, nil
}

// userTool returns the tool that the user named.
func userTool(ctx context.Context, name Name, path string) (Tool, error) {
	found, err := exec.LookPath(path)
	if err != nil {
		return Tool{}, fmt.Errorf("--%s=%s: %w", name, path, lookError(err))
	}
	if found, err = filepath.Abs(found); err != nil {
		return Tool{}, fmt.Errorf("--%s=%s: %w", name, path, err)
	}
	t, err := probeTool(ctx, name, found)
	if err != nil {
		return Tool{}, fmt.Errorf("--%s=%s: %w", name, path, err)
	}
	return t, nil
}

// lookError returns the fault of a path without the path, which the message
// names already.
func lookError(err error) error {
	if e, ok := err.(*exec.Error); ok {
		err = e.Err
	}
	if e, ok := err.(*fs.PathError); ok {
		err = e.Err
	}
	return err
}

// The versions of Debian's names that are looked for.
const (
	oldestLLVM = 14
	newestLLVM = 29
)

// versioned returns the tools in PATH whose name ends in a version, newest
// first.
func (f *Finder) versioned(name Name) []Tool {
	var tools []Tool
	for _, dir := range f.searchPath() {
		entries, err := filepath.Glob(filepath.Join(escapeGlob(dir), string(name)+"-[0-9][0-9]"))
		if err != nil {
			continue
		}
		for _, path := range entries {
			version, err := strconv.Atoi(path[len(path)-2:])
			if err == nil && version >= oldestLLVM && version <= newestLLVM && isExecutable(path) {
				tools = append(tools, Tool{Name: name, Path: path, LLVM: version})
			}
		}
	}
	sort.SliceStable(tools, func(i, j int) bool { return tools[i].LLVM > tools[j].LLVM })
	return tools
}

// unversioned finds the tools in PATH of exactly that name. One that does not
// print its version is left out; one that was found by another name is not run
// again.
func (f *Finder) unversioned(ctx context.Context, name Name, found *collection) {
	for _, dir := range f.searchPath() {
		path := filepath.Join(dir, string(name)+exeSuffix)
		if !isExecutable(path) || found.hasFile(path) {
			continue
		}
		if t, err := probeTool(ctx, name, path); err == nil {
			found.addTool(t)
		}
	}
}

// searchPath returns the folders of PATH. Relative ones are left out, as os/exec
// leaves them out.
func (f *Finder) searchPath() []string {
	var dirs []string
	for _, dir := range filepath.SplitList(f.getenv("PATH")) {
		if filepath.IsAbs(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// escapeGlob quotes the characters that filepath.Glob takes for patterns.
func escapeGlob(path string) string {
	if os.PathSeparator == '\\' {
		return path // no quoting there; such names are rare
	}
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(path)
}

// isExecutable reports whether a file can be run.
func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (exeSuffix != "" || info.Mode()&0o111 != 0)
}

// collection is a list of tools in which no file is twice: /bin and /usr/bin
// are often one folder, and llvm-as is a link to llvm-as-14.
type collection struct {
	tools []Tool
	seen  map[string]bool
}

func (c *collection) addTool(t Tool) {
	if !c.hasFile(t.Path) {
		c.seen[realPath(t.Path)] = true
		c.tools = append(c.tools, t)
	}
}

func (c *collection) hasFile(path string) bool { return c.seen[realPath(path)] }

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
