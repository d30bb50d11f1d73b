package filemap

import "os"

// Open is [os.Open] by [OpenFile].
func Open(name string) (*os.File, error) { return OpenFile(name, os.O_RDONLY, 0) }
