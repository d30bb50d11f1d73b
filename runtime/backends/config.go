package backends

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// configFile is the file that SYCL_PI_CONFIG names, or the first of the documented places that
// exists. Another failure than that a file is not there is left to the reader of the file.
func configFile(o *Options) (path string, explicit bool) {
	if path := o.readVariable(configVariable); path != "" {
		return path, true
	}
	// The specification of the variable has relative paths ignored.
	home := o.readVariable("XDG_CONFIG_HOME")
	if !filepath.IsAbs(home) {
		home = ""
	}
	if home == "" && o.readVariable("HOME") != "" {
		home = filepath.Join(o.readVariable("HOME"), ".config")
	}
	const system = "/etc/offlink/plugins.conf"
	if home == "" {
		return system, false
	}
	own := filepath.Join(home, "offlink", "plugins.conf")
	if _, err := os.Stat(own); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return system, false
	}
	return own, false
}

// configEntry is a library that a configuration file names.
type configEntry struct {
	name  string
	place string // "FILE:LINE"
}

// readConfig reads a configuration file. A pipe is refused: opening one waits for somebody to
// write to it; so is a terminal, which waits for the user.
func readConfig(path string) ([]configEntry, error) {
	if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
		return nil, fmt.Errorf("%s is a pipe: name a file", path)
	} else if err == nil && info.Mode()&os.ModeCharDevice != 0 && path != os.DevNull {
		return nil, fmt.Errorf("%s is a device: name a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseConfig(path, f)
}

// byteOrderMark begins files of some editors.
const byteOrderMark = "\ufeff"

// parseConfig reads names, one a line; # begins a comment.
func parseConfig(path string, r io.Reader) (entries []configEntry, err error) {
	lines := bufio.NewScanner(r)
	number := 1
	for ; lines.Scan(); number++ {
		text := lines.Text()
		if number == 1 {
			text = strings.TrimPrefix(text, byteOrderMark)
		}
		place := fmt.Sprintf("%s:%d", path, number)
		name, _, _ := strings.Cut(text, "#")
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if err := checkName(name); err != nil {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
		if len(entries) == maxPlugins {
			return nil, fmt.Errorf("%s: more than %d plugins", place, maxPlugins)
		}
		entries = append(entries, configEntry{name, place})
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s:%d: a line of %d bytes or more", path, number, bufio.MaxScanTokenSize)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return entries, nil
}

// checkName refuses names that cannot pass between processes and to a terminal as they are.
func checkName(name string) error {
	if strings.HasPrefix(name, "\xff\xfe") || strings.HasPrefix(name, "\xfe\xff") {
		return errors.New("the file is UTF-16: save it as UTF-8")
	}
	if strings.ContainsRune(name, 0) {
		return errors.New("a name with a NUL byte")
	}
	if !utf8.ValidString(name) {
		return fmt.Errorf("the name %q is not UTF-8", name)
	}
	if strings.ContainsFunc(name, unicode.IsControl) {
		return fmt.Errorf("the name %q has a control character", name)
	}
	return nil
}

// readPlugins lists the libraries of a configuration file, each once: two names of one file
// would give its devices twice.
func (o *Options) readPlugins(path string) (entries []configEntry, err error) {
	listed, err := readConfig(path)
	var files []os.FileInfo
	for _, entry := range listed {
		file := o.pluginFile(entry.name)
		same := func(other os.FileInfo) bool { return os.SameFile(file, other) }
		known := func(other configEntry) bool { return other.name == entry.name }
		if slices.ContainsFunc(entries, known) || file != nil && slices.ContainsFunc(files, same) {
			continue
		}
		entries = append(entries, entry)
		if file != nil {
			files = append(files, file)
		}
	}
	return entries, err
}
