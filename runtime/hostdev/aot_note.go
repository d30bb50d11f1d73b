package hostdev

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"offlink/runtime/hostdev/internal/emitc"
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// The note of a native image: an ELF note of the owner "offlink" in the section
// .note.offlink whose descriptor is JSON. The device takes an image only if it
// understands the note and all that is said there holds.

const (
	noteSection = ".note.offlink"
	noteOwner   = "offlink"
	noteType    = 1
	maxNote     = 64 << 20

	// nativeVersion is that of the interface between native code and the device.
	// It changes with the meaning of anything that recordLayout cannot show.
	nativeVersion = 2
)

// nativeNote is the descriptor.
type nativeNote struct {
	Version int
	Layout  string // recordLayout
	SPIRV   string // SHA-256 of the module, as hexadecimal digits
	Arch    string
	// Kernels are those with a function; Refused run out of the SPIR-V.
	Kernels []noteKernel
	Refused []RefusedKernel
	// Strings are the names that sites have, by number.
	Strings []string
}

// noteKernel is the facts about a kernel's function that a launch needs.
type noteKernel struct {
	Name     string
	Symbol   string
	Width    int
	Subgroup int
	Record   int64 // bytes, without the variables
	Local    int64 // bytes of local variables
	Context  int
	Private  int
	Frame    int
	Scratch  int
	Items    bool
	// Variables are the program-scope variables, in the order of their addresses in
	// the record.
	Variables []noteVariable
	Sites     []noteSite
}

type noteVariable struct {
	ID   uint32
	Name string
	Size int64
}

// noteSite is a place where the code may stop, for messages: an access, its kind
// of memory and its origin. Names are numbers of strings.
type noteSite [10]int

// The fields of a site.
const (
	siteSize     = iota // bytes; 0: an element of an array
	siteFlags           // store, table
	siteMemory          // a string
	siteFunction        // a string
	siteOp              // a string
	siteFile            // a string
	siteLine
	siteFar   // lanes.FarKind
	siteScale // of an index
	siteShift
)

const (
	siteStore = 1 << iota
	siteTable
)

// recordLayout tells apart versions of the code between which the record of a
// launch, or the table of allocations, differs.
func recordLayout() string {
	numbers := []uint64{
		lanes.RecordLocal, lanes.RecordGroups, lanes.RecordItem, lanes.RecordGroup, lanes.RecordMemory, lanes.RecordRoom,
		lanes.RecordPrivate, lanes.RecordFrame, lanes.RecordContext, lanes.RecordCall, lanes.RecordBase, lanes.RecordFrames,
		lanes.RecordTrap, lanes.RecordFault, lanes.RecordScratch, lanes.RecordGlobal, lanes.RecordOffset, lanes.RecordDims,
		lanes.RecordStop, lanes.RecordBudget, lanes.RecordTicks, lanes.RecordFar, lanes.RecordFirst, lanes.RecordStart, lanes.RecordEnqueued, lanes.RecordAllGroups, lanes.RecordWords,
		lanes.FaultDistance, lanes.FaultStride, lanes.FaultLanes, lanes.FaultLen, lanes.FaultSite,
		uint64(lanes.TrapUnreachable), uint64(lanes.TrapBarrier), uint64(lanes.TrapUnaligned), uint64(lanes.TrapBounds), uint64(lanes.TrapSubgroup), uint64(lanes.TrapCallee), uint64(lanes.TrapDivision),
		lanes.TableAddress, lanes.TableSize, lanes.TableShift, lanes.TableReadOnly, lanes.TableDivided, lanes.Foreign,
		emitc.StopTrap, emitc.StopAsked, localAlign, maxGroup, fuelStep,
	}
	sum := sha256.New()
	for _, n := range numbers {
		_ = binary.Write(sum, binary.LittleEndian, n) // a hash takes everything
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

func newNativeNote(code []byte) nativeNote {
	sum := sha256.Sum256(code)
	return nativeNote{Version: nativeVersion, Layout: recordLayout(), SPIRV: hex.EncodeToString(sum[:]), Kernels: []noteKernel{}}
}

// stringNumber keeps each string once, as the sites of a kernel share few names.
func (n *nativeNote) stringNumber(s string) int {
	at := slices.Index(n.Strings, s)
	if at < 0 {
		at = len(n.Strings)
		n.Strings = append(n.Strings, s)
	}
	return at
}

// addKernel describes a kernel.
func (n *nativeNote) addKernel(k *kernel, l *lowering, code *lanes.Code, symbol string) {
	row := noteKernel{
		Name: k.name, Symbol: symbol, Width: code.Width, Subgroup: k.subgroup, Record: k.recordSize(), Local: k.localSize(l),
		Context: code.ContextSize, Private: code.PrivateSize, Frame: code.FrameSize, Scratch: code.ScratchSize, Items: code.Items,
	}
	for _, v := range l.globals {
		row.Variables = append(row.Variables, noteVariable{uint32(v.id), v.name, v.memory.Size()})
	}
	for _, v := range code.Sites {
		row.Sites = append(row.Sites, n.siteOf(v, l.sites[v.Site]))
	}
	n.Kernels = append(n.Kernels, row)
}

func (n *nativeNote) siteOf(v *lanes.Value, from site) noteSite {
	s := noteSite{siteLine: int(from.line)}
	s[siteFunction], s[siteOp], s[siteFile] = n.stringNumber(from.function), n.stringNumber(from.op), n.stringNumber(from.file)
	if v.Bounds == nil {
		return s
	}
	size, store := v.Access()
	s[siteSize], s[siteMemory] = int(size), n.stringNumber(v.Bounds.Memory)
	if store {
		s[siteFlags] |= siteStore
	}
	if v.Bounds.Table {
		s[siteFlags] |= siteTable
	}
	kind, scale, shift := v.Far()
	s[siteFar], s[siteScale], s[siteShift] = int(kind), int(scale), int(shift)
	return s
}

// localSize is the bytes of the kernel's local variables.
func (k *kernel) localSize(l *lowering) (size int64) {
	for _, v := range k.locals {
		size = max(size, l.locals[v.index]+v.t.size)
	}
	return size
}

// sourceText is the note as C.
func (n *nativeNote) sourceText() (string, error) {
	descriptor, err := json.Marshal(n)
	if err != nil {
		return "", err
	}
	var s strings.Builder
	fmt.Fprintf(&s, "/* The note of the native image: %d bytes of JSON. */\n", len(descriptor))
	size := alignUp(int64(len(descriptor)), 4)
	fmt.Fprintf(&s, "static const struct {\n  unsigned int owner_size, size, type;\n  char owner[%d];\n  unsigned char descriptor[%d];\n", len(noteOwner)+1, size)
	fmt.Fprintf(&s, "} note __attribute__((section(\"%s\"), used, aligned(4))) = {\n  %d, %d, %d, \"%s\", {", noteSection, len(noteOwner)+1, len(descriptor), noteType, noteOwner)
	for i, b := range descriptor {
		if i%24 == 0 {
			s.WriteString("\n    ")
		}
		fmt.Fprintf(&s, "%d,", b)
	}
	s.WriteString("\n  }\n};\n")
	return s.String(), nil
}

// NativeImage is the facts about a native image.
type NativeImage struct {
	Arch    string   // one of [Processors]
	SPIRV   [32]byte // SHA-256 of the module that it was made of
	Kernels []string
	Refused []RefusedKernel // kernels of the module without native code

	note    *nativeNote
	machine elf.Machine
}

// ReadNativeImage reads the note of a native image. The bytes are not trusted.
func ReadNativeImage(code io.ReaderAt) (*NativeImage, error) {
	f, err := elf.NewFile(code)
	if err != nil {
		return nil, fmt.Errorf("not an ELF file: %w", err)
	}
	defer f.Close()
	if f.Class != elf.ELFCLASS64 || f.Type != elf.ET_DYN {
		return nil, fmt.Errorf("not a shared library of 64 bits but %v, %v", f.Class, f.Type)
	}
	section := f.Section(noteSection)
	if section == nil || section.Type == elf.SHT_NOBITS {
		return nil, fmt.Errorf("not a native image of offlink: it has no section %s", noteSection)
	}
	if section.Size > maxNote {
		return nil, fmt.Errorf("its note has %d bytes", section.Size)
	}
	data, err := section.Data()
	if err != nil {
		return nil, fmt.Errorf("its note: %w", err)
	}
	note, err := parseNote(f.ByteOrder, data)
	if err != nil {
		return nil, fmt.Errorf("its note: %w", err)
	}
	return note.describe(f.Machine)
}

// parseNote reads an ELF note: the sizes of owner and descriptor, the type, and
// both, at multiples of four bytes.
func parseNote(order binary.ByteOrder, data []byte) (*nativeNote, error) {
	const header = 12
	if len(data) < header+len(noteOwner)+1 {
		return nil, errors.New("it is cut off")
	}
	owner, size, kind := order.Uint32(data), order.Uint32(data[4:]), order.Uint32(data[8:])
	if owner != uint32(len(noteOwner)+1) || string(data[header:header+len(noteOwner)+1]) != noteOwner+"\x00" || kind != noteType {
		return nil, errors.New("it is not offlink's")
	}
	rest := data[header+len(noteOwner)+1:]
	if uint64(size) > uint64(len(rest)) {
		return nil, errors.New("it is cut off")
	}
	note := new(nativeNote)
	d := json.NewDecoder(bytes.NewReader(rest[:size]))
	if err := d.Decode(note); err != nil {
		return nil, err
	}
	return note, nil
}

func (n *nativeNote) describe(machine elf.Machine) (*NativeImage, error) {
	image := &NativeImage{Arch: n.Arch, Refused: n.Refused, note: n, machine: machine}
	if sum, err := hex.DecodeString(n.SPIRV); err != nil || copy(image.SPIRV[:], sum) != len(image.SPIRV) {
		return nil, errors.New("its note: the digest of the SPIR-V is not one")
	}
	for i := range n.Kernels {
		if err := n.checkKernel(&n.Kernels[i]); err != nil {
			return nil, fmt.Errorf("its note: kernel %s: %w", n.Kernels[i].Name, err)
		}
		image.Kernels = append(image.Kernels, n.Kernels[i].Name)
	}
	return image, nil
}

// checkKernel checks the numbers that a launch takes for sizes and indexes.
func (n *nativeNote) checkKernel(k *noteKernel) error {
	if !slices.Contains([]int{1, 4, 8, 16, 32}, k.Width) {
		return fmt.Errorf("steps of %d work-items", k.Width)
	}
	for _, size := range []int64{int64(k.Context), int64(k.Private), int64(k.Frame), int64(k.Scratch), k.Local, k.Record} {
		if size < 0 || size > maxPrivate {
			return fmt.Errorf("a size of %d bytes", size)
		}
	}
	if len(k.Variables) > maxHostWords {
		return fmt.Errorf("%d variables", len(k.Variables))
	}
	for _, s := range k.Sites {
		for _, field := range []int{siteMemory, siteFunction, siteOp, siteFile} {
			if s[field] < 0 || s[field] >= max(1, len(n.Strings)) {
				return fmt.Errorf("string %d of %d", s[field], len(n.Strings))
			}
		}
		if s[siteSize] < 0 || s[siteSize] > 1<<10 {
			return fmt.Errorf("an access of %d bytes", s[siteSize])
		}
	}
	return nil
}

// kernelRow finds a kernel.
func (n *nativeNote) kernelRow(name string) *noteKernel {
	at := slices.IndexFunc(n.Kernels, func(k noteKernel) bool { return k.Name == name })
	if at < 0 {
		return nil
	}
	return &n.Kernels[at]
}

func (n *nativeNote) text(number int) string {
	if number >= len(n.Strings) {
		return ""
	}
	return n.Strings[number]
}

// sitesOf are the sites as a launch reads them.
func (n *nativeNote) sitesOf(k *noteKernel) (values []*lanes.Value, sites []site) {
	for i, s := range k.Sites {
		v := &lanes.Value{Op: lanes.OpLoad, Imm: uint64(s[siteSize]), Site: i}
		v.Bounds = &lanes.Bounds{Table: s[siteFlags]&siteTable != 0, Memory: n.text(s[siteMemory])}
		v.SetFar(lanes.FarKind(s[siteFar]), uint32(s[siteScale]), int64(s[siteShift]))
		switch store := s[siteFlags]&siteStore != 0; {
		case s[siteSize] == 0 && store:
			v.Op = lanes.OpPrivateStore
		case s[siteSize] == 0:
			v.Op = lanes.OpPrivateLoad
		case store:
			v.Op = lanes.OpStore
		}
		values = append(values, v)
		from := where{op: n.text(s[siteOp]), file: n.text(s[siteFile]), line: uint32(s[siteLine])}
		sites = append(sites, site{from, n.text(s[siteFunction])})
	}
	return values, sites
}

// variablesOf finds the variables in a program.
func (k *noteKernel) variablesOf(p *program) ([]uint64, error) {
	var list []uint64
	for _, row := range k.Variables {
		v := p.variables[spirv.ID(row.ID)]
		if v == nil || v.memory == nil || v.name != row.Name || v.memory.Size() != row.Size {
			return nil, fmt.Errorf("the program's variable %d is not %s of %d bytes", row.ID, row.Name, row.Size)
		}
		list = append(list, v.memory.Address())
	}
	return list, nil
}
