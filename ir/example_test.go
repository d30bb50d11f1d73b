package ir_test

import (
	"fmt"
	"log"
	"os"

	"offlink/ir"
	"offlink/ir/irtext"
)

const exampleModule = `@counter = internal global i32 0

define spir_kernel void @increment(i32 %by) #0 {
  %1 = call i32 @load()
  %2 = add i32 %1, %by
  store i32 %2, ptr @counter
  ret void
}

define i32 @load() {
  %1 = load i32, ptr @counter
  ret i32 %1
}

define spir_kernel void @other() {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
`

func parseExample() *ir.Module {
	m, err := irtext.Parse("example.ll", []byte(exampleModule))
	if err != nil {
		log.Fatal(err)
	}
	return m
}

// The model has the values of a module, their attributes, and the references
// among them.
func ExampleModule() {
	m := parseExample()
	for id := range m.Values {
		v := &m.Values[id]
		source, _ := m.Attribute(ir.ValueID(id), "sycl-module-id")
		fmt.Printf("%s %s %q %q\n", v.Kind, v.Name, m.CallingConv(v), source)
	}
	// Output:
	// variable counter "" ""
	// function increment "spir_kernel" "a.cpp"
	// function load "" ""
	// function other "spir_kernel" ""
}

// The direct callees of a function are references of the kind RefCallee.
func ExampleRef() {
	m := parseExample()
	id, _ := m.Lookup("increment")
	for _, ref := range m.Refs(&m.Values[id]) {
		switch ref.Kind() {
		case ir.RefCallee:
			fmt.Println("calls", m.Values[ref.Index()].Name)
		case ir.RefAddress:
			fmt.Println("uses", m.Values[ref.Index()].Name)
		}
	}
	// Output:
	// calls load
	// uses counter
}

// A partition is a part of a module with changes of its own. It is written in
// the format that the module was read in.
func ExamplePartition() {
	m := parseExample()
	load, _ := m.Lookup("load")
	counter, _ := m.Lookup("counter")
	p := &ir.Partition{Module: m, Definitions: []ir.ValueID{counter, load}}
	edit := p.Edit(load)
	edit.Linkage, edit.SetLinkage = ir.Internal, true
	if err := m.Source.NewWriter().WritePartition(os.Stdout, p); err != nil {
		log.Fatal(err)
	}
	// Output:
	// @counter = internal global i32 0
	//
	// define internal i32 @load() {
	//   %1 = load i32, ptr @counter
	//   ret i32 %1
	// }
}

// Bodies are decoded on demand.
func ExampleBodyReader() {
	m := parseExample()
	id, _ := m.Lookup("increment")
	bodies := m.Source.(ir.BodySource).NewBodyReader()
	var body ir.Body
	if err := bodies.ReadBody(id, &body); err != nil {
		log.Fatal(err)
	}
	for _, in := range body.Instructions {
		fmt.Println(in.Op, len(in.Operands))
	}
	// Output:
	// call 1
	// add 2
	// store 2
	// ret 0
}
