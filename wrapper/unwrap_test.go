package wrapper

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/props"
	"offlink/wrapper/devimg"
)

const goldenDir = "../testdata/wrapper"

// TestUnwrapGolden compares the images of the reference tool's objects, and of
// the files that GNU ld made of them, with the output of the dumper, which was
// given their tables.
func TestUnwrapGolden(t *testing.T) {
	for _, dir := range []string{"bare", "one_image", "batch_of_three", "two_targets", "windows_one_image", "windows_batch"} {
		expected := dir
		switch dir { // the dumper does not run there: the ELF cases have the same inputs
		case "windows_one_image":
			expected = "one_image"
		case "windows_batch":
			expected = "batch_of_three"
		}
		want, err := os.ReadFile(filepath.Join(goldenDir, expected, "expected.txt"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"wrapped.o", "wrapped.pic.o", "wrapped.obj", "libwrapped.so", "program.pie"} {
			name := filepath.Join(goldenDir, dir, name)
			if _, err := os.Stat(name); err != nil {
				continue
			}
			t.Run(name, func(t *testing.T) { testDump(t, name, string(want)) })
		}
	}
}

func testDump(t *testing.T, name, want string) {
	f, err := Open(name, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if diff := cmp.Diff(want, dump(f.Images())); diff != "" {
		t.Errorf("images of %s (-dumper +read):\n%s", name, diff)
	}
}

// dump prints images as testdata/wrapper/dumper.c prints their tables.
func dump(images []Located) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "register version 1 images %d host entries null null\n", len(images))
	for i := range images {
		dumpImage(&b, i, &images[i].Image)
	}
	b.WriteString("main\nunregister what was registered\n")
	return b.String()
}

func dumpImage(b *bytes.Buffer, i int, img *devimg.Image) {
	fmt.Fprintf(b, "  image %d version %d kind %d format %d\n", i, img.Version, img.Kind, img.Format)
	fmt.Fprintf(b, "    target %s\n    compile %s\n    link %s\n", cText(img.Target), cText(img.CompileOptions), cText(img.LinkOptions))
	if img.Manifest == nil {
		b.WriteString("    manifest null null\n")
	} else {
		dumpBytes(b, "manifest", img.Manifest)
	}
	code, _ := devimg.ReadCode(img.Code)
	dumpBytes(b, "code", code)
	if !img.HasEntries {
		b.WriteString("    entries null null\n")
	} else {
		fmt.Fprintf(b, "    entries %d\n", len(img.Entries))
	}
	for i, e := range img.Entries {
		fmt.Fprintf(b, "    entry %d addr null size 0 flags 0 reserved 0\n      name %s\n", i, cText(e))
	}
	if img.Properties == nil {
		b.WriteString("    sets null null\n")
		return
	}
	fmt.Fprintf(b, "    sets %d\n", len(img.Properties.All))
	for _, set := range img.Properties.All {
		dumpSet(b, set)
	}
}

func dumpSet(b *bytes.Buffer, set *props.Set) {
	fmt.Fprintf(b, "    set %s\n", cText(set.Name))
	if len(set.Properties) == 0 {
		b.WriteString("      properties null null\n")
	}
	for _, p := range set.Properties {
		fmt.Fprintf(b, "      property %s\n", cText(p.Name))
		if p.Value.Type() == props.TypeUint32 {
			fmt.Fprintf(b, "        type 1 size %d value null\n", p.Value.Uint32())
		} else {
			fmt.Fprintf(b, "        type 2 size %d value %x\n", len(p.Value.Raw()), p.Value.Raw())
		}
	}
}

func dumpBytes(b *bytes.Buffer, label string, data []byte) {
	h := fnv.New64a()
	h.Write(data)
	fmt.Fprintf(b, "    %s %d bytes fnv1a %016x first", label, len(data), h.Sum64())
	for _, c := range data[:min(8, len(data))] {
		fmt.Fprintf(b, " %02x", c)
	}
	b.WriteByte('\n')
}

// cText quotes as the dumper does.
func cText(s string) string {
	var b bytes.Buffer
	b.WriteByte('"')
	for _, c := range []byte(s) {
		if c == '"' || c == '\\' || c < ' ' || c > '~' {
			fmt.Fprintf(&b, `\x%02x`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}
