//go:build !linux

package dl

// checkFile leaves all files to the system's loader.
func checkFile(string) error { return nil }
