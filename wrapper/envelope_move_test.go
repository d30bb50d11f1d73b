package wrapper

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/internal/testtool"
	"offlink/wrapper/devimg"
)

// pointedProgram prints the code that its registration records lead to: two fat
// binaries of CUDA and two bundles of HIP, each the first and the last of its
// section.
const pointedProgram = `#include <stdint.h>
#include <stdio.h>
#include <string.h>
__asm__(".section .nv_fatbin,\"a\"\n.p2align 3\n"
  "fat0: .incbin \"fat0\"\n.p2align 3\nfat1: .incbin \"fat1\"\n.p2align 3\n"
  ".section .hip_fatbin,\"a\"\n.p2align 12\n"
  "bundle0: .incbin \"bundle0\"\n.p2align 12\nbundle1: .incbin \"bundle1\"\n.p2align 12\n"
  ".section .nvFatBinSegment,\"aw\"\n.p2align 3\nrecords: .globl records\n"
  ".long 0x466243b1,1\n.quad fat0,0\n.long 0x466243b1,1\n.quad fat1,0\n"
  ".long 0x48495046,1\n.quad bundle0,0\n.long 0x48495046,1\n.quad bundle1,0\n.text\n");
struct record { uint32_t magic, version; const char *data; void *unused; };
extern struct record records[4];
static uint64_t word(const char *at) { uint64_t v; memcpy(&v, at, 8); return v; }
int main(void) {
  for (int i = 0; i < 2; i++)
    printf("fat %d: %.40s\n", (int)word(records[i].data + 8), records[i].data + 80);
  for (int i = 2; i < 4; i++) {
    const char *code = records[i].data + word(records[i].data + 32);
    printf("bundle %d %d: %.20s\n", (int)word(records[i].data + 40), (int)((uintptr_t)code % 4096), code);
  }
}
`

// fatBinaryOf is a CUDA fat binary of one PTX entry for sm_80.
func fatBinaryOf(text string) []byte {
	le := binary.LittleEndian
	text += strings.Repeat("\x00", 8-len(text)%8)
	entry := make([]byte, 64)
	le.PutUint16(entry, 1)
	le.PutUint32(entry[4:], 64)
	le.PutUint64(entry[8:], uint64(len(text)))
	le.PutUint32(entry[28:], 80)
	fat := append(le.AppendUint32(nil, 0xBA55ED50), 1, 0, 16, 0)
	fat = append(le.AppendUint64(fat, uint64(64+len(text))), entry...)
	return append(fat, text...)
}

// bundleOf is a bundle of one part, as HIP's compiler makes it.
func bundleOf(code string) []byte {
	const id = "hipv4-amdgcn-amd-amdhsa--gfx906"
	b := []byte("__CLANG_OFFLOAD_BUNDLE__")
	for _, n := range []uint64{1, 4096, uint64(len(code)), uint64(len(id))} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	b = append(b, id...)
	b = append(b, make([]byte, 4096-len(b))...)
	return append(b, code...)
}

// TestMovedEnvelope replaces code by larger code where registration records
// lead to the envelopes: in objects and in programs, first and last of their
// section, and again in the edited file.
func TestMovedEnvelope(t *testing.T) {
	testtool.Need(t, "gcc", "clang-19", "strip")
	inFolder(t, map[string][]byte{
		"main.c": []byte(pointedProgram),
		"fat0":   fatBinaryOf(".entry a(){}"), "fat1": fatBinaryOf(".entry b(){}"),
		"bundle0": bundleOf("\x7fELFcode of c"), "bundle1": bundleOf("\x7fELFcode of d"),
	})
	before := strings.Split("fat 80: .entry a(){}\nfat 80: .entry b(){}\nbundle 13 0: \x7fELFcode of c\nbundle 13 0: \x7fELFcode of d\n", "\n")
	bases := []string{".entry a(){}", ".entry b(){}", "\x7fELFcode of c", "\x7fELFcode of d"}
	run(t, "gcc", "-fPIE", "-c", "-o", "main.o", "main.c")
	for name, command := range map[string]string{
		"PIE": "gcc -pie", "no PIE": "gcc -no-pie", "lld": "clang-19 -fuse-ld=lld -pie", "stripped": "gcc -pie -s",
		"gold": "gcc -fuse-ld=gold -pie", "object": "",
	} {
		t.Run(name, func(t *testing.T) { testMovedEnvelope(t, name, command, bases, before) })
	}
}

// testMovedEnvelope makes the images of a program that was linked so grow three
// times, each after the others, or those of the object if no command is given.
func testMovedEnvelope(t *testing.T, name, command string, bases, before []string) {
	link := func(object, out string) string {
		words := strings.Fields(command)
		if command == "" {
			words = []string{"gcc"}
		}
		run(t, words[0], append(words[1:], "-o", out, object)...)
		return out
	}
	file := "main.o"
	if command != "" {
		file = link("main.o", "program")
	}
	if diff := cmp.Diff(bases, codes(t, file)); diff != "" {
		t.Fatalf("%s: images (-want +got):\n%s", name, diff)
	}
	for i := range bases {
		want, edited := slices.Clone(before), file
		for round := range 3 {
			code := fmt.Sprintf("%s round %d", bases[i], round) + strings.Repeat("//", 3000*(round+1))
			at := slices.IndexFunc(codes(t, edited), func(c string) bool { return strings.HasPrefix(c, bases[i]) })
			next := filepath.Join(t.TempDir(), "edited")
			if err := os.Rename(replaced(t, edited, at, []byte(code)), next); err != nil {
				t.Fatal(err)
			}
			edited, want[i] = next, expectedLine(i, code)
			if got := codes(t, edited); len(got) != len(bases) || !slices.Contains(got, code) {
				t.Fatalf("%s, image %d, round %d: %d images, or not the new code", name, i, round, len(got))
			}
			program := edited
			if command == "" {
				program = link(edited, filepath.Join(t.TempDir(), "program"))
			}
			checkPointed(t, fmt.Sprintf("%s, image %d, round %d", name, i, round), program, want)
			if round == 2 {
				run(t, "strip", program)
				checkPointed(t, fmt.Sprintf("%s, image %d, after strip", name, i), program, want)
			}
		}
	}
}

// expectedLine is the program's line about new code of an image.
func expectedLine(i int, code string) string {
	if i < 2 {
		padded := (len(code) + 8) &^ 7
		return fmt.Sprintf("fat %d: %.40s", 64+padded, code)
	}
	return fmt.Sprintf("bundle %d 0: %.20s", len(code), code)
}

func checkPointed(t *testing.T, name, program string, want []string) {
	t.Helper()
	path, err := filepath.Abs(program)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(path).Output()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if diff := cmp.Diff(strings.Join(want, "\n"), string(out)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// codes lists the code of a file's images.
func codes(t *testing.T, name string) (list []string) {
	t.Helper()
	f, err := Open(name, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range f.Images() {
		code, err := devimg.ReadCode(f.Images()[i].Code)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(code))
	}
	return list
}
