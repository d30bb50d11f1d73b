package abi

import (
	"strconv"

	"offlink/wrapper/devimg"
)

// Record is a form of the image record.
type Record uint16

// The records in use. DPC++ looks at no field of them to tell them apart: 2022
// to 2025 read the first, 2026 reads the second. LLVM's own libsycl reads the
// third and refuses others.
const (
	Record2 Record = 2 // 96 bytes on 64-bit hosts, with a manifest
	Record3 Record = 3 // 80 bytes, without
	// RecordLLVM is Record3 as upstream LLVM 22 writes it
	// (llvm/lib/Frontend/Offloading/OffloadWrapper.cpp): kind and format have
	// the numbers of OffloadBinaries, and the entries are of the newer struct.
	RecordLLVM Record = 3 | 1<<8
)

// Version returns the record's first field as a writer sets it.
func (r Record) Version() uint16 { return uint16(r) & 0xff }

// String returns the version, the size on 64-bit hosts and the runtimes that
// read it.
func (r Record) String() string {
	switch r {
	case Record2:
		return "version 2 (96 bytes, DPC++ to 2025)"
	case Record3:
		return "version 3 (80 bytes, DPC++ 2026)"
	case RecordLLVM:
		return "version 3 of LLVM (80 bytes, kind 8)"
	}
	return "version " + strconv.Itoa(int(r))
}

// KindLLVM is the kind of SYCL in RecordLLVM and in the newer entries
// (llvm/Object/OffloadBinary.h, OFK_SYCL).
const KindLLVM = 8

// formatsLLVM are the formats of RecordLLVM: the image kinds of OffloadBinary.
var formatsLLVM = [...]devimg.Format{
	0: devimg.FormatNone,
	1: devimg.FormatNative, // object
	2: devimg.FormatLLVMBitcode,
	3: devimg.FormatNative, // cubin
	4: devimg.FormatNative, // fatbinary
	5: devimg.FormatNone,   // PTX
	6: devimg.FormatSPIRV,
}

// FormatLLVM returns the format that a number in RecordLLVM stands for, and
// whether there is such a number.
func FormatLLVM(number uint8) (devimg.Format, bool) {
	if int(number) >= len(formatsLLVM) {
		return devimg.FormatNone, false
	}
	return formatsLLVM[number], true
}

// DescriptorVersion is the version of pi_device_binaries_struct.
const DescriptorVersion = 1

// NewEntryVersion and NewEntryKind mark the newer entry struct
// (llvm/Frontend/Offloading/Utility.h, __tgt_offload_entry since LLVM 21).
const (
	NewEntryVersion = 1
	NewEntryKind    = KindLLVM
)

// Absent is the offset of a field that a layout does not have.
const Absent = -1

// Layout tells where each field lies, in bytes from the start of its struct, for one pointer size
// and one record. 64-bit integers are aligned to the pointer size, as on 64-bit hosts and in i386
// ELF.
type Layout struct {
	Pointer    int // 4 or 8
	Record     Record
	Descriptor DescriptorLayout
	Image      ImageLayout
	Entry      EntryLayout
	NewEntry   NewEntryLayout
	Property   PropertyLayout
	Set        SetLayout
}

// DescriptorLayout is pi_device_binaries_struct.
type DescriptorLayout struct {
	Version, Count          int // u16
	Images                  int
	HostBegin, HostEnd, Len int
}

// ImageLayout is pi_device_binary_struct.
type ImageLayout struct {
	Version                             int // u16
	Kind, Format                        int // u8
	Target, CompileOptions, LinkOptions int
	ManifestBegin, ManifestEnd          int // in Record2 only, else Absent
	CodeBegin, CodeEnd                  int
	EntriesBegin, EntriesEnd            int
	PropertySetsBegin, PropertySetsEnd  int
	Len                                 int
}

// EntryLayout is _pi_offload_entry_struct.
type EntryLayout struct {
	Address, Name   int
	Size            int // size_t
	Flags, Reserved int // i32
	Len             int
}

// NewEntryLayout is the entry struct of LLVM 21.
type NewEntryLayout struct {
	Reserved      int // u64
	Version, Kind int // u16
	Flags         int // u32
	Address, Name int
	Size, Data    int // u64
	Auxiliary     int
	Len           int
}

// PropertyLayout is _pi_device_binary_property_struct.
type PropertyLayout struct {
	Name, Value int
	Type        int // u32
	Size        int // u64
	Len         int
}

// SetLayout is _pi_device_binary_property_set_struct.
type SetLayout struct{ Name, Begin, End, Len int }

// NewLayout returns the layout for pointers of 4 or 8 bytes.
func NewLayout(pointer int, record Record) *Layout {
	p := pointer
	l := &Layout{
		Pointer: p, Record: record,
		Descriptor: DescriptorLayout{Version: 0, Count: 2, Images: p, HostBegin: 2 * p, HostEnd: 3 * p, Len: 4 * p},
		Image:      imageLayout(p, record),
		Entry:      EntryLayout{Address: 0, Name: p, Size: 2 * p, Flags: 3 * p, Reserved: 3*p + 4, Len: 3*p + 8},
		NewEntry: NewEntryLayout{
			Reserved: 0, Version: 8, Kind: 10, Flags: 12, Address: 16, Name: 16 + p,
			Size: 16 + 2*p, Data: 24 + 2*p, Auxiliary: 32 + 2*p, Len: 32 + 3*p,
		},
		Property: PropertyLayout{Name: 0, Value: p, Type: 2 * p, Size: 2*p + max(4, p), Len: 2*p + max(4, p) + 8},
		Set:      SetLayout{Name: 0, Begin: p, End: 2 * p, Len: 3 * p},
	}
	return l
}

// imageLayout counts the pointers of the record off, one after another.
func imageLayout(p int, record Record) ImageLayout {
	next := 0
	pointer := func() int { next += p; return next }
	l := ImageLayout{Version: 0, Kind: 2, Format: 3, ManifestBegin: Absent, ManifestEnd: Absent}
	l.Target, l.CompileOptions, l.LinkOptions = pointer(), pointer(), pointer()
	if record == Record2 {
		l.ManifestBegin, l.ManifestEnd = pointer(), pointer()
	}
	l.CodeBegin, l.CodeEnd = pointer(), pointer()
	l.EntriesBegin, l.EntriesEnd = pointer(), pointer()
	l.PropertySetsBegin, l.PropertySetsEnd = pointer(), pointer()
	l.Len = next + p
	return l
}
