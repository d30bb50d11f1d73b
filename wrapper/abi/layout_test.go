package abi

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The numbers are those of the C structs, counted by a C compiler.
func TestLayout(t *testing.T) {
	property64 := PropertyLayout{Name: 0, Value: 8, Type: 16, Size: 24, Len: 32}
	property32 := PropertyLayout{Name: 0, Value: 4, Type: 8, Size: 12, Len: 20}
	for _, test := range []struct {
		pointer  int
		record   Record
		image    ImageLayout
		entry    EntryLayout
		property PropertyLayout
	}{
		{8, Record2, ImageLayout{0, 2, 3, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96}, EntryLayout{0, 8, 16, 24, 28, 32}, property64},
		{8, Record3, ImageLayout{0, 2, 3, 8, 16, 24, Absent, Absent, 32, 40, 48, 56, 64, 72, 80}, EntryLayout{0, 8, 16, 24, 28, 32}, property64},
		{4, Record2, ImageLayout{0, 2, 3, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48}, EntryLayout{0, 4, 8, 12, 16, 20}, property32},
	} {
		l := NewLayout(test.pointer, test.record)
		if diff := cmp.Diff(test.image, l.Image); diff != "" {
			t.Errorf("image record %d, %d-byte pointers (-want +got):\n%s", test.record, test.pointer, diff)
		}
		if diff := cmp.Diff(test.entry, l.Entry); diff != "" {
			t.Errorf("entry, %d-byte pointers (-want +got):\n%s", test.pointer, diff)
		}
		if diff := cmp.Diff(test.property, l.Property); diff != "" {
			t.Errorf("property, %d-byte pointers (-want +got):\n%s", test.pointer, diff)
		}
	}
	l := NewLayout(8, Record2)
	if want := (NewEntryLayout{0, 8, 10, 12, 16, 24, 32, 40, 48, 56}); l.NewEntry != want {
		t.Errorf("new entry = %v, want %v", l.NewEntry, want)
	}
	if want := (DescriptorLayout{0, 2, 8, 16, 24, 32}); l.Descriptor != want {
		t.Errorf("descriptor = %v, want %v", l.Descriptor, want)
	}
}
