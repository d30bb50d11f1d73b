package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/ir"
	"offlink/ir/irfile"
)

// moduleDump lists the content of a module as the model has it.
type moduleDump struct {
	Path           string       `json:"path"`
	Format         string       `json:"format"`             // "text" or "bitcode"
	Producer       string       `json:"producer,omitempty"` // of bitcode
	Bytes          int64        `json:"bytes"`
	SourceFilename string       `json:"sourceFilename,omitempty"`
	Triple         string       `json:"triple,omitempty"`
	DataLayout     string       `json:"dataLayout,omitempty"`
	Comdats        []comdatDump `json:"comdats,omitempty"`
	Values         []valueDump  `json:"values"`
	Named          []namedDump  `json:"namedMetadata,omitempty"`
	Nodes          []nodeCount  `json:"metadataNodes,omitempty"`
	Types          int          `json:"types"`
	Groups         int          `json:"attributeGroups"`
}

// comdatDump is a comdat: the linker keeps one of the groups of that name.
type comdatDump struct {
	Name      string `json:"name"`
	Selection string `json:"selection"`
}

// valueDump is a function, variable, alias or ifunc.
type valueDump struct {
	Name         string         `json:"name"`
	Kind         string         `json:"kind"`
	Declaration  bool           `json:"declaration,omitempty"`
	Linkage      string         `json:"linkage"`
	CallingConv  string         `json:"callingConvention,omitempty"`
	AddressSpace uint32         `json:"addressSpace,omitempty"`
	Constant     bool           `json:"constant,omitempty"`
	Type         string         `json:"type"`
	Comdat       string         `json:"comdat,omitempty"`
	Bytes        int64          `json:"bytes,omitempty"` // of its definition in the input
	Attributes   []string       `json:"attributes,omitempty"`
	Metadata     []attachedDump `json:"metadata,omitempty"`
	Calls        []string       `json:"calls,omitempty"`
	Addresses    []string       `json:"addresses,omitempty"`     // named other than as the callee of a call
	Indirect     []string       `json:"indirectCalls,omitempty"` // types of calls without known callee
}

// attachedDump is metadata attached to a value.
type attachedDump struct {
	Kind string `json:"kind"`
	Node string `json:"node"`
}

// namedDump is named metadata, such as "llvm.ident".
type namedDump struct {
	Name  string   `json:"name"`
	Nodes []string `json:"nodes"`
}

// nodeCount counts the metadata nodes of a kind: "tuple", or a specialised name such as
// "DISubprogram".
type nodeCount struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// newDumpCommand makes "postlink dump".
func newDumpCommand(s cli.Streams) *cobra.Command {
	json := false
	c := &cobra.Command{
		Use:   "dump FILE",
		Short: "list the content of a module, bitcode or text, as postlink sees it",
		Long: "dump lists the functions, variables and aliases of a module with their references and\n" +
			"metadata, comdats and named metadata. It does not disassemble function bodies.",
		Args: exactArgs("FILE"),
	}
	c.Flags().BoolVar(&json, "json", false, "print JSON")
	c.RunE = func(_ *cobra.Command, args []string) error {
		f, err := irfile.Open(args[0], s.In)
		if err != nil {
			return err
		}
		defer f.Close()
		d, err := dumpModule(f)
		if err != nil {
			return locatedError(f.Module, err)
		}
		if json {
			return cli.WriteJSON(s.Out, d)
		}
		d.printText(s.Out)
		return nil
	}
	return c
}

// dumpModule collects the listing. This is the one place that decodes metadata:
// splitting leaves it packed.
func dumpModule(f *irfile.File) (*moduleDump, error) {
	m := f.Module
	d := &moduleDump{
		Path: m.Path, Format: f.Format.String(), Producer: m.Producer, Bytes: m.Size,
		SourceFilename: m.SourceFilename, Triple: m.Triple, DataLayout: m.DataLayout,
		Values: make([]valueDump, len(m.Values)), Types: len(m.Types), Groups: len(m.AttributeGroups),
	}
	for _, c := range m.Comdats {
		d.Comdats = append(d.Comdats, comdatDump{c.Name, c.Selection})
	}
	// One printer for all, as it remembers the first error: if any node cannot be
	// decoded, no listing is printed.
	p := metadataPrinter{module: m}
	for i := range m.Values {
		d.Values[i] = dumpValue(m, ir.ValueID(i), &p)
	}
	for _, n := range m.NamedMetadata {
		named := namedDump{Name: n.Name, Nodes: []string{}}
		for _, o := range n.Operands {
			named.Nodes = append(named.Nodes, p.operandText(o))
		}
		d.Named = append(d.Named, named)
	}
	d.Nodes = countNodes(&m.Nodes)
	return d, p.err
}

// dumpValue describes a global value.
func dumpValue(m *ir.Module, id ir.ValueID, p *metadataPrinter) valueDump {
	v := &m.Values[id]
	d := valueDump{
		Name: v.Name, Kind: v.Kind.String(), Declaration: v.Declaration, Linkage: v.Linkage.String(),
		CallingConv: m.CallingConv(v), AddressSpace: v.AddressSpace, Constant: v.Constant, Type: typeText(m, v.Type),
	}
	if v.Comdat != ir.NoComdat {
		d.Comdat = m.Comdats[v.Comdat].Name
	}
	if sizer, ok := m.Source.(ir.Sizer); ok && !v.Declaration {
		d.Bytes = sizer.ValueSize(id)
	}
	// String attributes only: SYCL's facts are among them, and the codecs keep the
	// others as they were read.
	add := func(a ir.Attribute) { d.Attributes = append(d.Attributes, attributeText(a)) }
	for _, g := range v.Details().Groups {
		for _, a := range m.AttributeGroups[g].Strings {
			add(a)
		}
	}
	for _, a := range v.Details().Attributes {
		add(a)
	}
	for _, a := range v.Details().Attachments {
		d.Metadata = append(d.Metadata, attachedDump{a.Kind, p.operandText(a.Operand)})
	}
	d.addRefs(m, m.Refs(v))
	return d
}

// addRefs sorts references by kind.
func (d *valueDump) addRefs(m *ir.Module, refs []ir.Ref) {
	for _, r := range refs {
		switch r.Kind() {
		case ir.RefCallee:
			d.Calls = append(d.Calls, valueName(m, ir.ValueID(r.Index())))
		case ir.RefAddress:
			d.Addresses = append(d.Addresses, valueName(m, ir.ValueID(r.Index())))
		case ir.RefIndirectCall:
			d.Indirect = append(d.Indirect, typeText(m, ir.TypeID(r.Index())))
		}
	}
}

// attributeText spells an attribute on one line.
func attributeText(a ir.Attribute) string {
	if a.Value == "" {
		return a.Key
	}
	return a.Key + "=" + a.Value
}

// countNodes counts the nodes of each kind. Strings and values are left out,
// because only bitcode numbers them.
func countNodes(t *ir.NodeTable) (list []nodeCount) {
	counts := make(map[string]int)
	for i := range t.Len() {
		counts[t.Kind(ir.NodeID(i))]++
	}
	for kind, n := range counts {
		switch kind {
		case "string", "value":
			continue
		case "":
			kind = "tuple"
		}
		list = append(list, nodeCount{kind, n})
	}
	slices.SortFunc(list, func(a, b nodeCount) int { return strings.Compare(a.Kind, b.Kind) })
	return list
}

// printText prints the listing for people.
func (d *moduleDump) printText(w io.Writer) {
	made := ""
	if d.Producer != "" {
		made = " by " + d.Producer
	}
	fmt.Fprintf(w, "%s: %s%s, %s\n", d.Path, d.Format, made, bytesText(d.Bytes))
	for _, line := range [][2]string{{"source", d.SourceFilename}, {"triple", d.Triple}, {"layout", d.DataLayout}} {
		if line[1] != "" {
			fmt.Fprintf(w, "  %s  %s\n", line[0], line[1])
		}
	}
	fmt.Fprintf(w, "  %s, %s\n", countNoun(d.Types, "type"), countNoun(d.Groups, "attribute group"))
	for _, c := range d.Comdats {
		fmt.Fprintf(w, "comdat %s  %s\n", c.Name, c.Selection)
	}
	for i := range d.Values {
		d.Values[i].printText(w)
	}
	for _, n := range d.Named {
		fmt.Fprintf(w, "named %s\n", n.Name)
		for _, node := range n.Nodes {
			fmt.Fprintf(w, "    %s\n", node)
		}
	}
	for _, n := range d.Nodes {
		fmt.Fprintf(w, "nodes %s  %d\n", n.Kind, n.Count)
	}
}

// printText prints one value: its header, then a line for each kind of
// reference.
func (d *valueDump) printText(w io.Writer) {
	words := []string{d.Kind, d.Name}
	if d.Name == "" {
		words[1] = "(no name)"
	}
	if d.Declaration {
		words[0] = "declared " + words[0]
	}
	fmt.Fprintf(w, "%s  %s", strings.Join(words, " "), d.Linkage)
	for _, word := range []string{d.CallingConv, map[bool]string{true: "constant"}[d.Constant], d.Type} {
		if word != "" {
			fmt.Fprintf(w, "  %s", word)
		}
	}
	if d.AddressSpace != 0 {
		fmt.Fprintf(w, "  addrspace %d", d.AddressSpace)
	}
	if d.Comdat != "" {
		fmt.Fprintf(w, "  comdat %s", d.Comdat)
	}
	fmt.Fprintln(w)
	printList(w, "attribute", d.Attributes)
	for _, a := range d.Metadata {
		fmt.Fprintf(w, "    metadata  %s %s\n", a.Kind, a.Node)
	}
	printList(w, "calls", d.Calls)
	printList(w, "calls a", d.Indirect)
	printList(w, "names", d.Addresses)
}

// printList prints a line for each text, under one label.
func printList(w io.Writer, label string, list []string) {
	for _, x := range list {
		fmt.Fprintf(w, "    %s  %s\n", label, x)
	}
}
