package runtime

import (
	"strings"
	"testing"

	"offlink/spirv"
	"offlink/wrapper/devimg"
)

// TestTranslatedImage: images of LLVM IR for SPIR become SPIR-V when they are read,
// and those that cannot say why.
func TestTranslatedImage(t *testing.T) {
	const text = "target triple = \"spir64-unknown-unknown\"\ndefine spir_kernel void @k() {\n  ret void\n}\n"
	img := &devimg.Image{Format: devimg.FormatLLVMBitcode, Target: "spir64", Code: devimg.Bytes([]byte(text))}
	translated := translatedImage(img, "app")
	code, err := devimg.ReadCode(translated.Code)
	if err != nil || translated.Format != devimg.FormatSPIRV || img.Format != devimg.FormatLLVMBitcode {
		t.Fatal(err, translated.Format, img.Format)
	}
	m, err := spirv.Parse(code)
	if err != nil || len(m.EntryPoints()) != 1 {
		t.Errorf("%v: %d entry points", err, len(m.EntryPoints()))
	}
	bad := *img
	bad.Code = devimg.Bytes([]byte(strings.Replace(text, "ret void", "invoke void @k() to label %a unwind label %a\na:\n  ret void", 1)))
	if _, err = devimg.ReadCode(translatedImage(&bad, "app").Code); err == nil || !strings.Contains(err.Error(), "app: ") {
		t.Errorf("error %v", err)
	}
	native := &devimg.Image{Format: devimg.FormatLLVMBitcode, Target: "nvptx64"}
	if translatedImage(native, "app") != native {
		t.Error("code for another target is taken")
	}
}
