package abi

// Record is the version of the image record, as a writer puts it into the
// record's first field.
type Record uint16

// The two records in use. No runtime looks at the field: DPC++ 2022 to 2025
// read the first, DPC++ 2026 reads the second.
const (
	Record2 Record = 2 // 96 bytes on 64-bit hosts, with a manifest
	Record3 Record = 3 // 80 bytes, without
)

// DescriptorVersion is the version of pi_device_binaries_struct.
const DescriptorVersion = 1

// NewEntryVersion and NewEntryKind mark the newer entry struct
// (llvm/Frontend/Offloading/Utility.h, __tgt_offload_entry since LLVM 21).
const (
	NewEntryVersion = 1
	NewEntryKind    = 8 // OFK_SYCL
)

// Absent is the offset of a field that a layout does not have.
const Absent = -1

// Layout is where each field lies, in bytes from the start of its struct,
// for one pointer size and one record. 64-bit integers are aligned to the
// pointer size, which is what 64-bit hosts and i386 ELF do.
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
	ManifestBegin, ManifestEnd          int // Absent in Record3
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
		NewEntry: NewEntryLayout{Reserved: 0, Version: 8, Kind: 10, Flags: 12, Address: 16, Name: 16 + p,
			Size: 16 + 2*p, Data: 24 + 2*p, Auxiliary: 32 + 2*p, Len: 32 + 3*p},
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
	if record != Record3 {
		l.ManifestBegin, l.ManifestEnd = pointer(), pointer()
	}
	l.CodeBegin, l.CodeEnd = pointer(), pointer()
	l.EntriesBegin, l.EntriesEnd = pointer(), pointer()
	l.PropertySetsBegin, l.PropertySetsEnd = pointer(), pointer()
	l.Len = next + p
	return l
}
