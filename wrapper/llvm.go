package wrapper

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"

	"offlink/lazy"
	"offlink/wrapper/abi"
	"offlink/wrapper/devimg"
	"offlink/wrapper/internal/objfile"
)

// writeLLVM writes the trees as textual LLVM IR, as the module that clang-offload-wrapper makes,
// with opaque pointers. A compiler makes the object from it, for hosts that objfile does not write.
func writeLLVM(w io.Writer, kinds []*kindImages, o *WrapOptions) error {
	m := &irModule{Writer: bufio.NewWriterSize(w, 256<<10), o: o, externals: map[string]bool{}}
	m.printf("; ModuleID = 'offload.wrapper.object'\nsource_filename = \"offload.wrapper.object\"\ntarget triple = %s\n\n", irString(o.Host.Triple))
	m.defineTypes(kinds)
	large := o.Host.wantsLarge(imageBytes(kinds, o))
	for _, k := range kinds {
		if err := m.writeKind(k, large); err != nil {
			return err
		}
	}
	m.writeList("llvm.used", `section "llvm.metadata"`, "ptr", m.used, "ptr %s")
	m.writeRegistrations(kinds)
	if o.Host.machine == objfile.RISCV64 {
		// The ABI of every Linux distribution; without it llc makes an object
		// that does not link with theirs.
		m.printf("\n!llvm.module.flags = !{!0}\n!0 = !{i32 1, !\"target-abi\", !\"lp64d\"}\n")
	}
	return m.Flush()
}

// irModule is a module on its way into a file. The bufio.Writer keeps the
// first error.
type irModule struct {
	*bufio.Writer
	o         *WrapOptions
	externals map[string]bool // declared already
	used      []string        // of llvm.used
}

func (m *irModule) printf(format string, args ...any) { fmt.Fprintf(m, format, args...) }

// irField is the IR type of a field, or irSize.
type irField string

// irSize is an integer of a pointer's size.
const irSize irField = "size"

// irStructs are the structs of the descriptor tree (see package abi). Their
// layout in IR follows from the fields, by the same rules as in C.
var irStructs = lazy.Map[abi.Type, irStructRow]{New: func() map[abi.Type]irStructRow {
	return map[abi.Type]irStructRow{
		abi.EntryArray:             {"%__tgt_offload_entry", []irField{"ptr", "ptr", irSize, "i32", "i32"}},
		abi.NewEntryArray:          {"%struct.__sycl_offload_entry", []irField{"i64", "i16", "i16", "i32", "ptr", "ptr", "i64", "i64", "ptr"}},
		abi.PropertyArray:          {"%_pi_device_binary_property_struct", []irField{"ptr", "ptr", "i32", "i64"}},
		abi.PropertySetArray:       {"%_pi_device_binary_property_set_struct", []irField{"ptr", "ptr", "ptr"}},
		abi.ImageArray:             {"%__sycl.tgt_device_image", []irField{"i16", "i8", "i8", "ptr", "ptr", "ptr", "ptr", "ptr", "ptr", "ptr", "ptr", "ptr", "ptr", "ptr"}},
		abi.DescriptorStruct:       {"%__sycl.tgt_bin_desc", []irField{"i16", "i16", "ptr", "ptr", "ptr"}},
		abi.TargetImageArray:       {"%__tgt_device_image", []irField{"ptr", "ptr", "ptr", "ptr"}},
		abi.TargetDescriptorStruct: {"%__tgt_bin_desc", []irField{"i32", "ptr", "ptr", "ptr"}},
		abi.InfoArray:              {"", []irField{irSize, irSize}}, // arrays: writeInfos
		abi.NativeKernelArray:      {"%__nativecpu_entry", []irField{"ptr", "ptr"}},
	}
}}

// irStructRow is a row of irStructs.
type irStructRow struct {
	name   string
	fields []irField
}

// structFields returns the fields of a struct. The later image records lack the two bounds of the
// manifest; all fields near them are pointers, so that it does not matter which two are cut off.
func (m *irModule) structFields(t abi.Type) []irField {
	fields := irStructs.Get()[t].fields
	if t == abi.ImageArray && m.o.Record > abi.Record2 {
		fields = fields[:len(fields)-2]
	}
	return fields
}

// typeName is the type of a field in IR.
func (m *irModule) typeName(f irField) string {
	if f == irSize {
		return "i" + strconv.Itoa(8*m.o.Host.pointer)
	}
	return string(f)
}

// defineTypes defines the structs that the trees have.
func (m *irModule) defineTypes(kinds []*kindImages) {
	has := map[abi.Type]bool{}
	for _, k := range kinds {
		has[abi.EntryArray] = has[abi.EntryArray] || k.kind != devimg.KindSYCL
		for i := range k.tree.Blocks {
			has[k.tree.Blocks[i].Type] = true
		}
	}
	for t := abi.Type(0); t <= abi.NativeKernelArray; t++ {
		if s, ok := irStructs.Get()[t]; ok && s.name != "" && has[t] {
			var fields []string
			for _, f := range m.structFields(t) {
				fields = append(fields, m.typeName(f))
			}
			m.printf("%s = type { %s }\n", s.name, strings.Join(fields, ", "))
		}
	}
	m.printf("\n")
}

// writeKind writes the images of one kind and their tree.
func (m *irModule) writeKind(k *kindImages, large bool) error {
	for i, image := range k.images {
		if m.o.NativeCPU {
			break
		}
		section := ""
		if image.Target != "" {
			name, _ := m.o.Host.imageSection(k.kind, sectionTarget(image), large)
			section = ", section " + irString(name)
		}
		m.printf("%s = internal unnamed_addr constant [%d x i8] c\"", k.imageName(i), image.Code.Size())
		if err := m.writeCode(image.Code); err != nil {
			return err
		}
		m.printf("\"%s, align %d\n", section, imageAlign)
	}
	m.declareExternals(k)
	for i := range k.tree.Blocks {
		m.writeBlock(k, i)
	}
	m.printf("\n")
	return nil
}

// imageName returns the name of the global that has an image's bytes.
func (k *kindImages) imageName(i int) string {
	return irName("." + k.kind.String() + "_offloading." + strconv.Itoa(i) + ".data")
}

// declareExternals declares the symbols outside the tree that it refers to.
func (m *irModule) declareExternals(k *kindImages) {
	for _, name := range k.tree.Externals {
		if !m.externals[name] {
			m.externals[name] = true
			m.declareExternal(k, name)
		}
	}
}

// declareExternal declares the function of a native CPU's entry point, or a bound of the host's
// table of OpenMP entries. An empty array in the section of that table makes the linker define the
// bounds even if the host has no entries.
func (m *irModule) declareExternal(k *kindImages, name string) {
	if strings.HasSuffix(name, abi.NativeSuffix) {
		m.printf("declare void %s(ptr, ptr)\n", irName(name))
		return
	}
	m.printf("%s = external hidden constant %%__tgt_offload_entry\n", irName(name))
	if !m.externals[hostEntriesDummy] && k.kind != devimg.KindSYCL {
		m.externals[hostEntriesDummy] = true
		m.used = append(m.used, irName(hostEntriesDummy))
		m.printf("%s = hidden constant [0 x %%__tgt_offload_entry] zeroinitializer, section %q\n", irName(hostEntriesDummy), abi.HostEntriesSection)
	}
}

// writeBlock writes a C object of the tree.
func (m *irModule) writeBlock(k *kindImages, i int) {
	b := &k.tree.Blocks[i]
	linkage, rest := "internal unnamed_addr", ""
	switch {
	case i == k.tree.Descriptor:
		linkage = "internal"
		if m.o.DescriptorName != "" {
			linkage = ""
		}
	case i == k.tree.Infos:
		m.writeInfos(k, b)
		return
	}
	if b.Type == abi.Blob {
		rest = ", align 8"
	}
	m.printf("%s = %s constant ", irName(b.Name), linkage)
	switch b.Type {
	case abi.Text, abi.Blob:
		m.printf("[%d x i8] c\"", len(b.Data))
		m.writeEscaped(b.Data)
		m.printf("\"")
	default:
		m.writeStructs(k, b, i == k.tree.Descriptor)
	}
	m.printf("%s\n", rest)
}

// writeInfos writes the address and the size of each image as a global of its own: the linker joins
// those of all objects.
func (m *irModule) writeInfos(k *kindImages, b *abi.Block) {
	size, word := k.tree.Layout.Size(b.Type), m.typeName(irSize)
	pointers := b.Pointers
	for i := range len(b.Data) / size {
		name := irName("." + k.kind.String() + "_offloading." + strconv.Itoa(i) + ".info")
		m.used = append(m.used, name)
		m.printf("%s = internal local_unnamed_addr constant [2 x %s] [", name, word)
		pointers = m.fieldValues(k, b, i*size, pointers)
		m.printf("], section %q, align %d\n", m.o.Host.format.sections.info, k.tree.Layout.Align(b.Type))
	}
}

// writeStructs writes an array of structs, or one struct that is not in an array.
func (m *irModule) writeStructs(k *kindImages, b *abi.Block, single bool) {
	name, size := irStructs.Get()[b.Type].name, k.tree.Layout.Size(b.Type)
	pointers := b.Pointers
	if !single {
		m.printf("[%d x %s] [", len(b.Data)/size, name)
	}
	for at := 0; at < len(b.Data); at += size {
		if at > 0 {
			m.printf(", ")
		}
		m.printf("%s { ", name)
		pointers = m.fieldValues(k, b, at, pointers)
		m.printf(" }")
	}
	if !single {
		m.printf("]")
	}
}

// fieldValues writes the values of the struct at an offset of a block. It
// returns the pointers that come after the struct.
func (m *irModule) fieldValues(k *kindImages, b *abi.Block, at int, pointers []abi.Pointer) []abi.Pointer {
	p, start := m.o.Host.pointer, at
	for i, f := range m.structFields(b.Type) {
		if i > 0 {
			m.printf(", ")
		}
		width := f.width(p)
		at = start + alignTo(at-start, min(width, p))
		m.printf("%s ", m.typeName(f))
		switch {
		case len(pointers) > 0 && pointers[0].Offset == at:
			m.writeAddress(k, f, pointers[0].To)
			pointers = pointers[1:]
		case f == "ptr":
			m.printf("null")
		default:
			m.printf("%d", littleEndian(b.Data[at:at+width]))
		}
		at += width
	}
	return pointers
}

func alignTo(n, align int) int { return (n + align - 1) / align * align }

// width is the size of a field in bytes.
func (f irField) width(pointer int) int {
	switch f {
	case "i8":
		return 1
	case "i16":
		return 2
	case "i32":
		return 4
	case "i64":
		return 8
	}
	return pointer
}

// littleEndian decodes up to eight bytes.
func littleEndian(b []byte) uint64 {
	var wide [8]byte
	copy(wide[:], b)
	return binary.LittleEndian.Uint64(wide[:])
}

// writeAddress writes an address. Ends of arrays are counted in elements, as the sizes of structs
// are up to the compiler.
func (m *irModule) writeAddress(k *kindImages, f irField, to abi.Target) {
	name, element, count, length := "", "i8", to.Offset, int64(0)
	switch to.In {
	case abi.InBlock:
		b := &k.tree.Blocks[to.Index]
		name, length = irName(b.Name), int64(len(b.Data))
		if s, ok := irStructs.Get()[b.Type]; ok {
			element = s.name
			count /= int64(k.tree.Layout.Size(b.Type))
			length /= int64(k.tree.Layout.Size(b.Type))
		}
	case abi.InImage:
		name, length = k.imageName(int(to.Index)), k.images[to.Index].Code.Size()
	case abi.InExternal:
		name = irName(k.tree.Externals[to.Index])
	}
	switch {
	case count == 0:
	case count == length: // as LLVM spells the end of an array
		name = fmt.Sprintf("getelementptr inbounds ([%d x %s], ptr %s, i64 1, i64 0)", length, element, name)
	default:
		name = fmt.Sprintf("getelementptr (%s, ptr %s, i64 %d)", element, name, count)
	}
	if f != "ptr" {
		name = fmt.Sprintf("ptrtoint (ptr %s to %s)", name, m.typeName(f))
	}
	m.WriteString(name)
}

// writeRegistrations writes the constructors and the destructors.
func (m *irModule) writeRegistrations(kinds []*kindImages) {
	if m.o.NoRegister {
		return
	}
	var constructors, destructors []string
	for _, k := range kinds {
		constructors = append(constructors, irName(k.kind.String()+".descriptor_reg"))
		destructors = append(destructors, irName(k.kind.String()+".descriptor_unreg"))
	}
	const entry = "{ i32, ptr, ptr } { i32 1, ptr %s, ptr null }"
	m.writeList("llvm.global_ctors", "", "{ i32, ptr, ptr }", constructors, entry)
	m.writeList("llvm.global_dtors", "", "{ i32, ptr, ptr }", destructors, entry)
	declared := map[string]bool{}
	for i, k := range kinds {
		names := registrationOf(k.kind)
		descriptor := irName(k.tree.Blocks[k.tree.Descriptor].Name)
		m.writeFunction(constructors[i], names.register, descriptor, declared)
		m.writeFunction(destructors[i], names.unregister, descriptor, declared)
	}
}

// writeList writes one of the arrays that the linker appends to.
func (m *irModule) writeList(name, attributes, element string, items []string, format string) {
	if len(items) == 0 {
		return
	}
	if attributes != "" {
		attributes = ", " + attributes
	}
	var values []string
	for _, item := range items {
		values = append(values, fmt.Sprintf(format, item))
	}
	m.printf("@%s = appending global [%d x %s] [%s]%s\n", name, len(items), element, strings.Join(values, ", "), attributes)
}

// writeFunction writes a constructor or destructor that calls the runtime with
// a descriptor.
func (m *irModule) writeFunction(name, callee, descriptor string, declared map[string]bool) {
	section := ""
	if name := m.o.Host.format.sections.irCode; name != "" {
		section = fmt.Sprintf(" section %q", name)
	}
	m.printf("\ndefine internal void %s()%s {\nentry:\n  call void @%s(ptr %s)\n  ret void\n}\n", name, section, callee, descriptor)
	if !declared[callee] {
		declared[callee] = true
		m.printf("\ndeclare void @%s(ptr)\n", callee)
	}
}
