package cli

import (
	"io"
	"os"
)

// folderListings holds the names in folders that get many outputs, so that the system is not
// asked for each of thousands whether its name is free. A file that another program makes
// after the listing is replaced, as is one that it makes between such a query and Commit.
type folderListings struct {
	counts map[string]int             // outputs so far, by folder
	names  map[string]map[string]bool // of listed folders; nil for one whose names must be asked for
}

const (
	// listingFrom is the number of outputs in a folder at which it is listed.
	listingFrom = 32
	// listingLimit is the most names of a folder that are listed.
	listingLimit = 1 << 16
)

// knowsFree reports whether a folder is known to have nothing of that name; false says
// nothing.
func (l *folderListings) knowsFree(path string) bool {
	folder := folderOf(path)
	name, plain := foldPlainName(path[len(folder):])
	if !plain {
		return false
	}
	names, listed := l.names[folder]
	if !listed {
		if l.counts == nil {
			l.counts, l.names = make(map[string]int), make(map[string]map[string]bool)
		}
		if l.counts[folder]++; l.counts[folder] < listingFrom {
			return false
		}
		names = listFolder(folder)
		l.names[folder] = names
	}
	return names != nil && !names[name]
}

// listFolder returns the names in a folder without their case, nil if one of them
// could also be reached by a name that differs in more than that.
func listFolder(folder string) map[string]bool {
	if folder == "" {
		folder = "."
	}
	f, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer f.Close()
	names := make(map[string]bool)
	for {
		list, err := f.Readdirnames(1 << 10)
		for _, name := range list {
			folded, plain := foldPlainName(name)
			if !plain || len(names) == listingLimit {
				return nil
			}
			names[folded] = true
		}
		if err == io.EOF {
			return names
		}
		if err != nil {
			return nil
		}
	}
}

// foldPlainName returns a name without its case. Names that are not plain (beyond
// ASCII, with a tilde as the short names of FAT, with a dot or a space at the end) may
// be another spelling of a file's name in some file systems.
func foldPlainName(name string) (folded string, plain bool) {
	if name == "" || name[len(name)-1] == '.' || name[len(name)-1] == ' ' {
		return "", false
	}
	lower := -1
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 0x80 || c < ' ' || c == '~':
			return "", false
		case 'A' <= c && c <= 'Z' && lower < 0:
			lower = i
		}
	}
	if lower < 0 {
		return name, true
	}
	out := []byte(name)
	for i := lower; i < len(out); i++ {
		if 'A' <= out[i] && out[i] <= 'Z' {
			out[i] += 'a' - 'A'
		}
	}
	return string(out), true
}
