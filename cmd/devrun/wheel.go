package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"offlink/cmd/internal/cli"
	"offlink/wrapper"
)

// wheels are the Python wheels of a command line. They are unpacked into one environment, as an
// installer does, because the RPATHs of their libraries lead to the NAME.libs folder of the wheel
// and to other wheels. Other zip archives are unpacked as they are.
type wheels struct {
	root    string              // of the environment; "" before the first wheel
	cleanUp func()              // removes it
	members map[string]string   // files of the environment: WHEEL!MEMBER
	paths   map[string][]string // of each wheel
	left    int64               // bytes that may still be unpacked
}

// maxUnpacked bounds the libraries of all wheels together.
const maxUnpacked = 16 << 30

// sitePackages is the folder of packages in the environment.
const sitePackages = "lib/python3/site-packages"

// unpack unpacks the files of a wheel that may be libraries or hold images, and returns their
// paths, in the order of the wheel.
func (w *wheels) unpack(name string) (paths []string, err error) {
	if paths, known := w.paths[name]; known {
		return paths, nil
	}
	archive, err := zip.OpenReader(name)
	if err != nil {
		return nil, fmt.Errorf("%s: malformed zip archive: %w", name, err)
	}
	defer archive.Close()
	if err := w.makeRoot(); err != nil {
		return nil, err
	}
	for _, member := range archive.File {
		place := installedPath(member.Name)
		if !member.Mode().IsRegular() || !filepath.IsLocal(filepath.FromSlash(member.Name)) || !filepath.IsLocal(filepath.FromSlash(place)) {
			continue
		}
		to := filepath.Join(w.root, filepath.FromSlash(place))
		written, err := w.unpackMember(member, to)
		if err != nil {
			return nil, fmt.Errorf("%s%s%s: %w", name, cli.MemberMark, member.Name, err)
		}
		if written {
			w.members[to] = name + cli.MemberMark + member.Name
			paths = append(paths, to)
		}
	}
	w.paths[name] = paths
	return paths, nil
}

func (w *wheels) makeRoot() (err error) {
	if w.root != "" {
		return nil
	}
	root, cleanUp, err := cli.TempDir("devrun-wheel")
	if err != nil {
		return err
	}
	w.root, w.cleanUp, w.members, w.left = root, cleanUp, make(map[string]string), maxUnpacked
	w.paths = make(map[string][]string)
	if resolved, err := filepath.EvalSymlinks(root); err == nil {
		w.root = resolved // as the loader spells it
	}
	return nil
}

// installedPath is the path of a wheel's file in an environment. Files below NAME.data are in a
// folder for each installation scheme (Python's binary distribution format).
func installedPath(member string) string {
	head, rest, _ := strings.Cut(member, "/")
	if !strings.HasSuffix(head, ".data") {
		return path.Join(sitePackages, member)
	}
	scheme, rest, _ := strings.Cut(rest, "/")
	switch scheme {
	case "data":
		return rest
	case "scripts":
		return path.Join("bin", rest)
	case "headers":
		return path.Join("include", rest)
	}
	return path.Join(sitePackages, rest) // purelib, platlib
}

// unpackMember writes a file, unless its first bytes show that it holds no images and is not a
// library, or an earlier wheel had a file of that path.
func (w *wheels) unpackMember(member *zip.File, to string) (written bool, err error) {
	contents, err := wrapper.OpenMember(member)
	if contents == nil || err != nil {
		return false, err
	}
	defer closeInto(&err, contents.Close)
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return false, err
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer closeInto(&err, f.Close)
	size, err := io.Copy(f, io.LimitReader(contents, w.left+1))
	if w.left -= size; w.left < 0 {
		return false, fmt.Errorf("the libraries of the wheels have more than %d bytes", int64(maxUnpacked))
	}
	return err == nil, err
}

// shownName is the name of a file in messages: WHEEL!MEMBER for a file of a wheel.
func (w *wheels) shownName(file string) string {
	if name, ok := w.members[filepath.Clean(file)]; ok {
		return name
	}
	return file
}

// remove removes the environment; on Unix, files that are open stay readable.
func (w *wheels) remove() {
	if w.root != "" {
		w.cleanUp()
	}
}
