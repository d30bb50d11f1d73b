package bitcode_test

import (
	"slices"
	"testing"
)

// LLVM states the order of uses of a function that text declares after its uses, in the last body
// that uses it. Orders of functions that are defined, and of other values, are left out.
func TestUseOrders(t *testing.T) {
	const text = `@g = global i32 0
define void @a() {
  call void @late(i32 1)
  call void @late(i32 2)
  call void @defined()
  store i32 1, ptr @g
  ret void
}
define void @b() {
  call void @late(i32 3)
  call void @defined()
  call void @early()
  store i32 2, ptr @g
  ret void
}
declare void @late(i32)
define void @defined() {
  call void @early()
  ret void
}
declare void @early()
`
	m := assemble(t, "orders.ll", "19", false, []byte(text))
	if m == nil {
		t.Fatal("LLVM refuses it")
	}
	read := m.read(t)
	late, _ := read.Lookup("late")
	if got := read.UseOrders[late]; !slices.Equal(got, []uint32{2, 1, 0}) {
		t.Errorf("the order of the uses of @late = %v, want 2 1 0", got)
	}
	early, _ := read.Lookup("early")
	if got := read.UseOrders[early]; !slices.Equal(got, []uint32{1, 0}) {
		t.Errorf("the order of the uses of @early = %v, want 1 0", got)
	}
	if n := len(read.UseOrders); n != 2 {
		t.Errorf("%d orders, want 2: %v", n, read.UseOrders)
	}
}

// Functions of which a blockaddress names a block are marked, whether a constant of the module or of
// a function has it.
func TestLabelTaken(t *testing.T) {
	const text = `@table = global ptr blockaddress(@a, %next)
define void @a() {
  br label %next
next:
  ret void
}
define void @b(ptr %p) {
  store ptr blockaddress(@c, %next), ptr %p
  ret void
}
define void @c() {
  br label %next
next:
  ret void
}
`
	m := assemble(t, "labels.ll", "19", false, []byte(text))
	if m == nil {
		t.Fatal("LLVM refuses it")
	}
	read := m.read(t)
	for name, want := range map[string]bool{"a": true, "b": false, "c": true} {
		id, _ := read.Lookup(name)
		if got := read.Values[id].Details().LabelTaken; got != want {
			t.Errorf("LabelTaken of @%s = %v, want %v", name, got, want)
		}
	}
}
