//go:build !unix

package irfile

func allocate(size int) ([]byte, error) { return make([]byte, size), nil }

func release([]byte) error { return nil }
