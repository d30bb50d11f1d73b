package wrapper

import (
	"errors"
	"io"
)

func writeLLVM(w io.Writer, kinds []*kindImages, o *WrapOptions) error {
	return errors.New("no LLVM IR yet")
}
