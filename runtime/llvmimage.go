package runtime

import (
	"strings"
	"sync"

	"offlink/ir/irfile"
	"offlink/spirv/fromir"
	"offlink/wrapper/devimg"
)

// translatedImage returns an image of LLVM bitcode for SPIR as one of SPIR-V, which more
// devices take, and other images unchanged. The code is translated when it is first read,
// and that read fails where the translation does.
func translatedImage(img *devimg.Image, owner string) *devimg.Image {
	if img.Format != devimg.FormatLLVMBitcode || !strings.HasPrefix(img.Target, "spir") {
		return img
	}
	translated := *img
	translated.Format = devimg.FormatSPIRV
	translated.Code = &translatedCode{read: sync.OnceValues(func() (devimg.Code, error) { return translateBitcode(img, owner) })}
	return &translated
}

// translatedCode is code that is made when it is first read.
type translatedCode struct {
	read func() (devimg.Code, error)
}

// ReadAt implements [io.ReaderAt].
func (c *translatedCode) ReadAt(b []byte, at int64) (int, error) {
	code, err := c.read()
	if err != nil {
		return 0, err
	}
	return code.ReadAt(b, at)
}

// Size implements [devimg.Code]. Of code that cannot be translated it is one byte,
// so that somebody reads it and gets the error.
func (c *translatedCode) Size() int64 {
	code, err := c.read()
	if err != nil {
		return 1
	}
	return code.Size()
}

func translateBitcode(img *devimg.Image, owner string) (devimg.Code, error) {
	bitcode, err := devimg.ReadCode(img.Code)
	if err != nil {
		return nil, err
	}
	module, err := irfile.Parse(owner, bitcode)
	if err != nil {
		return nil, err
	}
	code, err := fromir.Translate(module, fromir.PortableOptions())
	if err != nil {
		return nil, err
	}
	return devimg.Bytes(code), nil
}
