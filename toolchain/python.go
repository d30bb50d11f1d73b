package toolchain

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
)

// wheelPackage is the folder of PyPI's dpcpp-llvm-spirv in site-packages.
const wheelPackage = "dpcpp_llvm_spirv"

// pythonTools returns the tools that Python environments hold: the one of
// VIRTUAL_ENV, then that of the python3 in PATH. python3 is started only
// where the folders beside it hold none.
func (f *Finder) pythonTools(ctx context.Context, name Name) []Tool {
	if name != LLVMSPIRV {
		return nil
	}
	var tools []Tool
	for _, prefix := range f.pythonPrefixes() {
		tools = append(tools, wheelTools(sitePackages(prefix))...)
	}
	if len(tools) == 0 {
		tools = wheelTools(f.askPython(ctx))
	}
	return tools
}

// pythonPrefixes returns where Python environments lie.
func (f *Finder) pythonPrefixes() []string {
	var prefixes []string
	if dir := f.getenv("VIRTUAL_ENV"); dir != "" {
		prefixes = append(prefixes, dir)
	}
	for _, dir := range f.searchPath() {
		if isExecutable(filepath.Join(dir, "python3"+exeSuffix)) {
			prefixes = append(prefixes, filepath.Dir(dir))
		}
	}
	return prefixes
}

// sitePackages returns the folders of packages below an environment's prefix.
func sitePackages(prefix string) []string {
	prefix = escapeGlob(prefix)
	var dirs []string
	for _, pattern := range []string{"lib/python3*/site-packages", "lib/python3*/dist-packages", "lib/python3/dist-packages", "Lib/site-packages"} {
		found, _ := filepath.Glob(filepath.Join(prefix, pattern))
		dirs = append(dirs, found...)
	}
	return dirs
}

// askPython asks the python3 of PATH for its folders of packages, for those
// that keep them elsewhere (a launcher such as pyenv's, a user's folder).
func (f *Finder) askPython(ctx context.Context) []string {
	for _, dir := range f.searchPath() {
		python := filepath.Join(dir, "python3"+exeSuffix)
		if !isExecutable(python) {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, probeTime)
		defer cancel()
		cmd := exec.CommandContext(ctx, python, "-c", `import site; print("\n".join(site.getsitepackages() + [site.getusersitepackages()]))`)
		ownGroup(cmd)
		out, err := runKeeping(cmd)
		if err != nil {
			return nil
		}
		return strings.Split(strings.TrimSpace(out.String()), "\n")
	}
	return nil
}

// wheelTools returns the llvm-spirv of each folder that has the package.
func wheelTools(dirs []string) []Tool {
	var tools []Tool
	for _, dir := range dirs {
		path := filepath.Join(dir, wheelPackage, "bin", "llvm-spirv"+exeSuffix)
		if isExecutable(path) {
			tools = append(tools, Tool{Name: LLVMSPIRV, Path: path, LLVM: wheelLLVM(wheelRelease(path)), Translator: DPCPP})
		}
	}
	return tools
}
