package backends

import (
	"errors"
	"fmt"
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
	entries, err := o.readPlugins(file)
	if err != nil && (explicit || !errors.Is(err, os.ErrNotExist)) {
		f := &Found{Name: file, Plugin: true, Part: Plugins}
		f.recordFailure(t, fmt.Errorf("%s: %w", orElse(map[bool]string{true: configVariable}[explicit], "plugins"), err))
		return []*Found{f}
	}
	var list []*Found
	only := o.onlyPlugin()
	for _, entry := range entries {
		if only == "" || only == entry.name {
			list = append(list, d.openPlugin(o, t, entry))
		}
	}
	return list
}

// pluginParts returns the parts of the plugins, one for each. If none is named it is a
// single part, whose process reports a configuration file that cannot be read.
func pluginParts(o *Options) (parts []string) {
	file, _ := configFile(o)
	entries, err := o.readPlugins(file)
	if err != nil || len(entries) == 0 {
		return []string{Plugins}
	}
	for _, entry := range entries {
		if part := pluginPart(entry.name); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return parts
}

// pluginNames returns the names of the plugins' back ends. A file that cannot be read is
// reported when they are opened.
func pluginNames(o *Options) (names []string) {
	file, _ := configFile(o)
	entries, err := o.readPlugins(file)
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		names = append(names, piplugin.BackendName(entry.name))
	}
	return names
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
func (d *Discovery) openPlugin(o *Options, t *tracer, entry configEntry) *Found {
	name := entry.name
	f := &Found{Name: name, Plugin: true, Part: pluginPart(name)}
	if !d.Filter.MayChoose(piplugin.BackendName(name)) {
		f.Filtered = strings.Join(d.Filter.Variables(), " ")
		return f
	}
	if o.Ending != nil && o.Ending() && dl.IsLoaded(name) {
		f.recordFailure(t, runtime.ErrDriverEnded)
		return f
	}
	if err := o.refuseChoice(choosingVariables()); err != nil {
		f.recordFailure(t, fmt.Errorf("%s: %w", entry.place, err))
		return f
	}
	enter, after := t.nativeCalls(piplugin.ResultName)
	opened, err := piplugin.Open(piplugin.Options{Libraries: candidates(o, name), Enter: enter, Trace: after})
	if err != nil {
		f.recordFailure(t, fmt.Errorf("%s: %w", entry.place, advisePath(o, name, err)))
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
