package backends

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"offlink/runtime"
	"offlink/runtime/internal/dl"
	"offlink/runtime/piplugin"
)

// configVariable names the configuration file of plugins.
const configVariable = "SYCL_PI_CONFIG"

// maxPlugins bounds the libraries of a configuration file.
const maxPlugins = 256

// openPlugins opens the libraries that the configuration file names, a line
// each.
func (d *Discovery) openPlugins(o *Options, t *tracer) []*Found {
	file, explicit := configFile(o)
	names, err := o.readPlugins(file)
	if err != nil && (explicit || !errors.Is(err, os.ErrNotExist)) {
		f := &Found{Name: file, Plugin: true, Part: Plugins}
		f.recordFailure(t, fmt.Errorf("%s: %w", orElse(map[bool]string{true: configVariable}[explicit], "plugins"), err))
		return []*Found{f}
	}
	var list []*Found
	only := o.onlyPlugin()
	for _, name := range names {
		if only == "" || only == name {
			list = append(list, d.openPlugin(o, t, name))
		}
	}
	return list
}

// pluginParts returns the parts of the plugins, one for each. If none is named it is a
// single part, whose process reports a configuration file that cannot be read.
func pluginParts(o *Options) (parts []string) {
	file, _ := configFile(o)
	names, err := o.readPlugins(file)
	if err != nil || len(names) == 0 {
		return []string{Plugins}
	}
	for _, name := range names {
		if part := pluginPart(name); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return parts
}

// pluginNames returns the names of the plugins' back ends. A file that cannot be read is
// reported when they are opened.
func pluginNames(o *Options) (names []string) {
	file, _ := configFile(o)
	libraries, err := o.readPlugins(file)
	if err != nil {
		return nil
	}
	for _, library := range libraries {
		names = append(names, piplugin.BackendName(library))
	}
	return names
}

// configFile is the file that SYCL_PI_CONFIG names, or the first of the
// documented places that exists.
func configFile(o *Options) (path string, explicit bool) {
	if path := o.readVariable(configVariable); path != "" {
		return path, true
	}
	home := o.readVariable("XDG_CONFIG_HOME")
	if home == "" && o.readVariable("HOME") != "" {
		home = filepath.Join(o.readVariable("HOME"), ".config")
	}
	const system = "/etc/offlink/plugins.conf"
	if home == "" {
		return system, false
	}
	own := filepath.Join(home, "offlink", "plugins.conf")
	if _, err := os.Stat(own); err != nil {
		return system, false
	}
	return own, false
}

// readConfig reads a configuration file. A pipe is refused: opening one waits for somebody to
// write to it.
func readConfig(path string) ([]string, error) {
	if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
		return nil, fmt.Errorf("%s is a pipe: name a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseConfig(path, f)
}

// parseConfig reads names, one a line; # begins a comment.
func parseConfig(path string, r io.Reader) (names []string, err error) {
	lines := bufio.NewScanner(r)
	number := 1
	for ; lines.Scan(); number++ {
		name, _, _ := strings.Cut(lines.Text(), "#")
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if strings.ContainsRune(name, 0) {
			return nil, fmt.Errorf("%s:%d: a name with a NUL byte", path, number)
		}
		if len(names) == maxPlugins {
			return nil, fmt.Errorf("%s:%d: more than %d plugins", path, number, maxPlugins)
		}
		names = append(names, name)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s:%d: a line of %d bytes or more", path, number, bufio.MaxScanTokenSize)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return names, nil
}

// readPlugins lists the libraries of a configuration file, each once: two names of one file
// would give its devices twice.
func (o *Options) readPlugins(path string) (names []string, err error) {
	listed, err := readConfig(path)
	var files []os.FileInfo
	for _, name := range listed {
		file := o.pluginFile(name)
		same := func(other os.FileInfo) bool { return os.SameFile(file, other) }
		if slices.Contains(names, name) || file != nil && slices.ContainsFunc(files, same) {
			continue
		}
		names = append(names, name)
		if file != nil {
			files = append(files, file)
		}
	}
	return names, err
}

// pluginFile is the first file of a name's candidates that is there, nil if the loader alone may
// find one.
func (o *Options) pluginFile(name string) os.FileInfo {
	for _, path := range candidates(o, name) {
		if !strings.ContainsRune(path, filepath.Separator) {
			break
		}
		if info, err := os.Stat(path); err == nil {
			return info
		}
	}
	return nil
}

// candidates returns the paths to try for a name: in the folders of LD_LIBRARY_PATH, in
// that of our own file, and then the name, which the system's loader looks up. A name with
// a folder is a path.
func candidates(o *Options, name string) (list []string) {
	if strings.ContainsRune(name, filepath.Separator) {
		return []string{name}
	}
	folders := filepath.SplitList(o.readVariable("LD_LIBRARY_PATH"))
	if own := dl.OwnFolder(); own != "" {
		folders = append(folders, own)
	}
	for _, folder := range folders {
		if folder != "" {
			list = append(list, filepath.Join(folder, name))
		}
	}
	return append(list, name)
}

// advisePath adds to the error of a library that was looked for by its name, and not found, that
// its path finds it.
func advisePath(o *Options, name string, err error) error {
	if _, ok := errors.AsType[*dl.OpenError](err); !ok || strings.ContainsRune(name, filepath.Separator) {
		return err
	}
	file, _ := configFile(o)
	beside, unknown := filepath.Abs(filepath.Join(filepath.Dir(file), name))
	if _, missing := os.Stat(beside); unknown != nil || missing != nil {
		return fmt.Errorf("%w; write its path in %s, or put its folder into LD_LIBRARY_PATH", err, file)
	}
	return fmt.Errorf("%w; a name is not looked for beside the configuration file: write the path %s in %s", err, beside, file)
}

// openPlugin opens one library. The name of its back end is made from that of the file, so
// that the environment may exclude it before it is opened.
func (d *Discovery) openPlugin(o *Options, t *tracer, name string) *Found {
	f := &Found{Name: name, Plugin: true, Part: pluginPart(name)}
	if !d.Filter.MayChoose(piplugin.BackendName(name)) {
		f.Filtered = strings.Join(d.Filter.Variables(), " ")
		return f
	}
	if o.Ending != nil && o.Ending() && dl.IsLoaded(name) {
		f.recordFailure(t, runtime.ErrDriverEnded)
		return f
	}
	enter, after := t.nativeCalls(piplugin.ResultName)
	opened, err := piplugin.Open(piplugin.Options{Libraries: candidates(o, name), Enter: enter, Trace: after})
	if err != nil {
		f.recordFailure(t, advisePath(o, name, err))
		return f
	}
	f.Attempts = opened.Attempts()
	d.keepChosen(f, t, opened)
	if len(f.All) > 0 {
		if d.replaced == nil {
			d.replaced = map[string]string{}
		}
		d.replaced[f.Name] = f.Path
	}
	return f
}
