package llvmschema_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/ir/bitcode/bitstream"
	"offlink/ir/llvmschema"
)

// The tests below hold the schema against LLVM's own assemblers, of the
// versions that this system has. Rows of LLVM 20 and later are held to be refused by
// 19.
var installedVersions = []int{14, 15, 16, 17, 18, 19}

// eachVersion runs the test with the assembler of every version that is
// installed. LLVM 14 to 19 are not on one system together; one suffices.
func eachVersion(t *testing.T, test func(t *testing.T, version int)) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short runs no external tools")
	}
	var found bool
	for _, version := range installedVersions {
		if _, err := exec.LookPath(fmt.Sprintf("llvm-as-%d", version)); err == nil {
			found = true
			t.Run(strconv.Itoa(version), func(t *testing.T) {
				t.Parallel()
				test(t, version)
			})
		}
	}
	if !found {
		testtool.Path(t, "llvm-as-19")
	}
}

// assemble gives the text to an assembler without its verifier, and returns the
// bitcode or the message.
func assemble(t *testing.T, version int, text string) (bitcode []byte, message string) {
	t.Helper()
	args := []string{"-disable-verify", "-o", "-", "-"}
	if version == 14 {
		args = append(args, "-opaque-pointers")
	}
	cmd := exec.Command(testtool.Path(t, fmt.Sprintf("llvm-as-%d", version)), args...)
	var out, errors bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), &out, &errors
	if cmd.Run() != nil {
		return nil, errors.String()
	}
	return out.Bytes(), ""
}

// probe is text that only versions with one construct of the schema assemble.
type probe struct {
	name, text string
	since      int
	refusal    string // a regular expression that the message of older versions has
}

// checkProbes assembles in one module all that the version must read, and each
// of the others alone. NUMBER in the text is replaced.
func checkProbes(t *testing.T, version int, probes []probe) {
	var accepted []string
	for i, p := range probes {
		text := strings.ReplaceAll(p.text, "NUMBER", strconv.Itoa(i+10))
		if p.since <= version {
			accepted = append(accepted, text)
			continue
		}
		_, message := assemble(t, version, common+text)
		switch {
		case message == "":
			t.Errorf("%s: LLVM %d reads it; the schema says that LLVM %d brought it", p.name, version, p.since)
		case !regexp.MustCompile(p.refusal).MatchString(message):
			t.Errorf("%s: LLVM %d refuses it for another reason than its age: %s", p.name, version, message)
		}
	}
	if _, message := assemble(t, version, common+strings.Join(accepted, "")); message != "" {
		t.Errorf("LLVM %d does not read what the schema says that it reads: %s", version, message)
	}
}

const common = "!0 = !{}\n"

// arguments are those that attributes need in text.
var arguments = map[string]string{
	"align": " 8", "alignstack": "(8)", "allocsize": "(0)", "vscale_range": "(1,2)", "dereferenceable": "(8)",
	"dereferenceable_or_null": "(8)", "byval": "(i32)", "byref": "(i32)", "sret": "(i32)", "inalloca": "(i32)",
	"preallocated": "(i32)", "elementtype": "(i32)", "allockind": `("alloc")`, "memory": "(none)", "nofpclass": "(nan)",
	"range": "(i32 0, 4)", "initializes": "((0, 4))", "captures": "(none)",
}

// attributeText is a function that has the attribute, where text lets it stand.
func attributeText(a *llvmschema.Attribute) string {
	word := a.Name + arguments[a.Name]
	switch {
	case a.Name == "builtin": // of calls only
		return "define void @fNUMBER() {\n  call void @fNUMBER() builtin\n  ret void\n}\n"
	case a.Name == "align":
		return "declare void @fNUMBER(ptr align 8)\n"
	case a.Name == "preallocated" || !a.Function:
		typ := "ptr"
		if slices.Contains([]string{"signext", "zeroext", "range", "immarg", "noext"}, a.Name) {
			typ = "i32"
		}
		return "declare void @fNUMBER(" + typ + " " + word + ")\n"
	}
	return "declare void @fNUMBER(i32) " + word + "\n"
}

func TestAttributeVersions(t *testing.T) {
	eachVersion(t, func(t *testing.T, version int) {
		var probes []probe
		for i := 1; i < len(llvmschema.Attributes); i++ {
			a := &llvmschema.Attributes[i]
			probes = append(probes, probe{a.Name, attributeText(a), a.Since, "expected|unknown|unterminated"})
		}
		checkProbes(t, version, probes)
	})
}

// The number of each attribute is the one that LLVM's writer gives it; those
// that have gone are numbered by the versions that wrote them.
func TestAttributeNumbers(t *testing.T) {
	eachVersion(t, func(t *testing.T, version int) {
		var want, last []uint64
		var text strings.Builder
		for i := 1; i < len(llvmschema.Attributes); i++ {
			a := &llvmschema.Attributes[i]
			written := a.Last == 0 || version <= a.Last
			// Since LLVM 16, readnone and its kin of functions are written as memory(...).
			if version >= llvmschema.MemoryEffects && a.Function && slices.Contains([]string{"readnone", "readonly", "writeonly"}, a.Name) {
				written = false
			}
			if a.Since <= version && written {
				if a.Name == "builtin" { // of a call, and bodies are numbered after declarations
					last = append(last, uint64(i))
				} else {
					want = append(want, uint64(i))
				}
				text.WriteString(strings.ReplaceAll(attributeText(a), "NUMBER", strconv.Itoa(i)))
			}
		}
		bitcode, message := assemble(t, version, text.String())
		if message != "" {
			t.Fatal(message)
		}
		var got []uint64
		eachRecord(t, bitcode, llvmschema.BlockAttributeGroup, func(c *bitstream.Cursor) {
			got = append(got, c.Operands[3])
		})
		if want = append(want, last...); !slices.Equal(got, want) {
			t.Errorf("LLVM %d numbers the attributes %v, the schema has %v", version, got, want)
		}
	})
}

func TestWordVersions(t *testing.T) {
	texts := map[string]string{
		"target":      `@gNUMBER = global target("spirv.x") poison` + "\n",
		"splat":       "@gNUMBER = global <2 x i8> splat (i8 1)\n",
		"ptrauth":     "@hNUMBER = global i8 0\n@gNUMBER = global ptr ptrauth (ptr @hNUMBER, i32 0)\n",
		"ptrtoaddr":   "@hNUMBER = global i8 0\n@gNUMBER = global i64 ptrtoaddr (ptr @hNUMBER to i64)\n",
		"elementwise": atomicText("elementwise fadd", "<2 x float>"),
		"fmaximumnum": atomicText("fmaximumnum", "float"),
		"fminimumnum": atomicText("fminimumnum", "float"),
	}
	flagTypes := map[string]string{
		"zext": "zext FLAG i8 %x to i32", "uitofp": "uitofp FLAG i8 %x to float", "sitofp": "sitofp FLAG i8 %x to float",
		"or": "or FLAG i8 %x, %x", "icmp": "icmp FLAG eq i8 %x, %x", "trunc": "trunc FLAG i8 %x to i1",
		"getelementptr": "getelementptr FLAG i8, ptr %p, i8 %x", "fpext": "fpext FLAG float %f to double",
		"fptrunc": "fptrunc FLAG float %f to half",
	}
	eachVersion(t, func(t *testing.T, version int) {
		var probes []probe
		for word, since := range llvmschema.Words.Get() {
			probes = append(probes, probe{word, texts[word], since, "expected"})
		}
		for _, o := range llvmschema.AtomicOperations {
			typ := "i32"
			if strings.HasPrefix(o.Name, "f") {
				typ = "float"
			}
			probes = append(probes, probe{o.Name, atomicText(o.Name, typ), o.Since, "expected"})
		}
		for _, f := range llvmschema.Flags {
			flag, text := f.Name, flagTypes[f.Opcode]
			switch flag {
			case llvmschema.FastMath:
				flag = "nnan"
			case "inrange":
				text = "select i1 true, ptr getelementptr FLAG (i8, ptr null, i8 0), ptr null"
				flag = "inrange(-8, 16)"
			}
			text = "define void @fNUMBER(i8 %x, float %f, ptr %p) {\n  %r = " + strings.ReplaceAll(text, "FLAG", flag) + "\n  ret void\n}\n"
			probes = append(probes, probe{f.Opcode + " " + f.Name, text, f.Since, "expected"})
		}
		for part, since := range llvmschema.MemoryParts.Get() {
			probes = append(probes, probe{part, "declare void @fNUMBER() memory(" + part + ": none)\n", since, "expected"})
		}
		probes = append(
			probes,
			probe{"uwtable(sync)", "declare void @fNUMBER() uwtable(sync)\n", llvmschema.UnwindTableKind, "expected"},
			probe{"#dbg_value", "define void @fNUMBER() {\n  #dbg_value(i8 0, !0, !DIExpression(), !0)\n  ret void\n}\n", llvmschema.DebugRecords, "expected"},
			probe{"#dbg_declare_value", "define void @fNUMBER() {\n  #dbg_declare_value(i8 0, !0, !DIExpression(), !0)\n  ret void\n}\n", llvmschema.DeclareValueRecord, "expected"},
		)
		checkProbes(t, version, probes)
	})
}

func atomicText(operation, typ string) string {
	return "define void @fNUMBER(ptr %p, " + typ + " %x) {\n  %r = atomicrmw " + operation + " ptr %p, " + typ + " %x seq_cst\n  ret void\n}\n"
}

// nodeTexts are nodes with the fields that text must have.
var nodeTexts = map[string]string{
	"DILocation": "scope: !0", "GenericDINode": "tag: 1", "DISubrange": "count: 1", "DIGenericSubrange": "lowerBound: !0",
	"DIEnumerator": `name: "a", value: 1`, "DIBasicType": `name: "a"`, "DIStringType": `name: "a"`,
	"DIFile": `filename: "a", directory: "b", source: "c"`, "DIDerivedType": "tag: DW_TAG_member, baseType: null",
	"DICompositeType": "tag: DW_TAG_array_type", "DISubroutineType": "types: null", "DICompileUnit": "language: DW_LANG_C, file: !0",
	"DISubprogram": `name: "a", spFlags: 0`, "DILexicalBlock": "scope: !0", "DILexicalBlockFile": "scope: !0, discriminator: 0",
	"DICommonBlock": "scope: !0, declaration: null", "DINamespace": "scope: !0", "DITemplateTypeParameter": "type: !0",
	"DITemplateValueParameter": "value: !0", "DIGlobalVariable": `name: "a"`, "DILocalVariable": "scope: !0",
	"DIObjCProperty": `name: "a"`, "DIImportedEntity": "tag: 8, scope: !0", "DIModule": `scope: !0, name: "a"`,
	"DIMacro": `type: 1, name: "a"`, "DIMacroFile": "file: !0", "DIGlobalVariableExpression": "var: !0, expr: !0",
	"DILabel": `scope: !0, name: "a", file: !0, line: 1`, "DIAssignID": "", "DIExpression": "",
	"DISubrangeType": `name: "a"`, "DIFixedPointType": `name: "a"`,
}

// nodeText is a node of the kind with a further field.
func nodeText(kind, field string) string {
	fields := nodeTexts[kind]
	if fields != "" && field != "" {
		fields += ", "
	}
	distinct := ""
	if kind == "DIAssignID" || kind == "DICompileUnit" {
		distinct = "distinct "
	}
	return "!NUMBER = " + distinct + "!" + kind + "(" + fields + field + ")\n!nNUMBER = !{!NUMBER}\n"
}

func TestFieldVersions(t *testing.T) {
	values := map[string]string{
		"ptrAuthIsAddressDiscriminated": "true", "ptrAuthIsaPointer": "true", "ptrAuthAuthenticatesNullValues": "true",
		"targetFuncName": `"a"`, "specification": "!0", "isArtificial": "true",
	}
	eachVersion(t, func(t *testing.T, version int) {
		var probes []probe
		for _, f := range llvmschema.TextFields() {
			value := values[f.Name]
			if value == "" {
				value = "1"
			}
			probes = append(probes, probe{f.Node + "(" + f.Name + ":)", nodeText(f.Node, f.Name+": "+value), f.Since, "invalid field '" + f.Name + "'"})
		}
		for _, n := range llvmschema.Nodes.Get() {
			if n.Since > 0 {
				probes = append(probes, probe{n.Kind, nodeText(n.Kind, ""), n.Since, "expected metadata type"})
			}
		}
		for name, l := range llvmschema.Languages.Get() {
			text := "!NUMBER = distinct !DICompileUnit(language: " + name + ", file: !0)\n!nNUMBER = !{!NUMBER}\n"
			probes = append(probes, probe{name, text, l.Since, "invalid DWARF language"})
		}
		checkProbes(t, version, probes)
	})
}

// Each version writes as many operands of a node as the schema has fields of
// it, and no record that the schema lacks.
func TestNodeLengths(t *testing.T) {
	eachVersion(t, func(t *testing.T, version int) {
		text, kinds := common, 0
		for code, n := range llvmschema.Nodes.Get() {
			if n.Kind != "" && n.Kind != "DIArgList" && n.Since <= version {
				text += strings.ReplaceAll(nodeText(n.Kind, ""), "NUMBER", strconv.Itoa(int(code)))
				kinds++
			}
		}
		bitcode, message := assemble(t, version, text)
		if message != "" {
			t.Fatal(message)
		}
		seen := map[uint32]bool{}
		eachRecord(t, bitcode, llvmschema.BlockMetadata, func(c *bitstream.Cursor) {
			n, known := llvmschema.Nodes.Get()[c.Code]
			if !known || n.Kind == "" {
				return
			}
			seen[c.Code] = true
			layout, err := n.Layout(c.Operands)
			if err != nil {
				t.Error(err)
			}
			want, got := layout.Length(version), len(c.Operands)
			if got != want && (layout.Rest == llvmschema.FormNone || got < want) {
				t.Errorf("LLVM %d writes %s with %d operands, the schema has %d", version, n.Kind, got, want)
			}
		})
		if len(seen) != kinds {
			t.Errorf("LLVM %d wrote %d kinds of nodes of %d", version, len(seen), kinds)
		}
	})
}

// eachRecord calls visit for the records of all blocks of that number.
func eachRecord(t *testing.T, data []byte, block uint32, visit func(*bitstream.Cursor)) {
	t.Helper()
	var walk func(c *bitstream.Cursor, wanted bool)
	walk = func(c *bitstream.Cursor, wanted bool) {
		for {
			e, err := c.Next()
			switch {
			case err != nil:
				t.Fatal(err)
			case e.Kind == bitstream.End:
				return
			case e.Kind == bitstream.SubBlock:
				if e.Block.ID == bitstream.InfoBlock {
					err = c.Open(e.Block).ReadInfo()
				} else {
					walk(c.Open(e.Block), e.Block.ID == block)
				}
				if err != nil {
					t.Fatal(err)
				}
			case wanted && e.Kind == bitstream.Record:
				visit(c)
			}
		}
	}
	walk(bitstream.NewCursor(data, 32, bitstream.Info{}), false)
}
