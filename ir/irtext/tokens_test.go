package irtext

import (
	"fmt"
	"strings"
	"testing"
)

// kinds are the letters that stand for the kinds in tests.
const kinds = ".wns@%$!#p"

func tokens(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	for tokens := NewTokens("in.ll", []byte(text)); ; {
		token, err := tokens.Next()
		if err != nil {
			return b.String() + err.Error()
		}
		if token.Kind == TokenEnd {
			return b.String()
		}
		fmt.Fprintf(&b, "%c%s ", kinds[token.Kind], text[token.Start:token.End])
	}
}

func TestTokens(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{" ; only\n; comments", ""},
		{"define spir_func void @f(i32 %0) #1 {", "wdefine wspir_func wvoid @@f p( wi32 %%0 p) ##1 p{ "},
		{`@"a b" = c"x\22y", ...`, `@@"a b" p= wc s"x\22y" p, w... `},
		{"4: ; preds\n-1 0xH3C00 1.5e+10,", "n4 p: n-1 n0xH3C00 n1.5e+10 p, "},
		{"$c = comdat any", "$$c p= wcomdat wany "},
		{`!0 = !{!"s", !DIFile(a: -3), !x\20y}`, `!!0 p= p! p{ p! s"s" p, !!DIFile p( wa p: n-3 p) p, !!x\20y p} `},
		{"#dbg_value(ptr %a.b, !1)", `##dbg_value p( wptr %%a.b p, !!1 p) `},
		{"<4 x ptr> /* no */ @", "p< n4 wx wptr p> p@ "},
		{"a\n\"open", "wa in.ll:2:1: string without end"},
		{"a /* open", "wa in.ll:1:3: comment without end"},
	} {
		if got := tokens(t, c.text); got != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func FuzzTokens(f *testing.F) {
	f.Add([]byte("define void @f() #0 {\n ret void\n}\n!0 = !{!\"x\"}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		end := 0
		for tokens := NewTokens("in.ll", data); ; {
			token, err := tokens.Next()
			if err != nil {
				return
			}
			if token.Start < end || token.End > len(data) || (token.Kind != TokenEnd && token.End <= token.Start) {
				t.Fatalf("token %v after %d", token, end)
			}
			if token.Kind == TokenEnd {
				return
			}
			end = token.End
		}
	})
}

// The alignment of a function may stand among its attributes, as LLVM reads it.
func TestAlignmentAmongAttributes(t *testing.T) {
	for _, trailer := range []string{`align 4 section "x"`, `align 4 "k"`, "align 4 #0", "align 4 nounwind", `cold align 4 section "x"`, `section "x" align 4`, "#0 align 8 gc \"g\""} {
		if _, err := Parse("in.ll", []byte("define void @f() "+trailer+" { ret void }\nattributes #0 = { cold }\n")); err != nil {
			t.Errorf("%s: %v", trailer, err)
		}
	}
}
