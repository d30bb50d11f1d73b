//go:build !unix

package irfile

func allocateMemory(size int) ([]byte, error) { return make([]byte, size), nil }

func releaseMemory([]byte) error { return nil }
