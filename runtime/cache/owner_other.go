//go:build !unix

package cache

import "io/fs"

// Access lists, which are not read here, say who may write to the folder; by
// default it is the user alone.
func isOwn(fs.FileInfo) bool     { return true }
func isPrivate(fs.FileInfo) bool { return true }
