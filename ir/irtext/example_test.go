package irtext_test

import (
	"errors"
	"fmt"
	"log"

	"offlink/ir"
	"offlink/ir/irtext"
)

// A module is read as a whole; errors have their place.
func ExampleParse() {
	module, err := irtext.Parse("app.ll", []byte(`
		target triple = "spir64-unknown-unknown"
		define spir_kernel void @fill() { ret void }`))
	if err != nil {
		log.Fatal(err)
	}
	id, _ := module.Lookup("fill")
	fmt.Println(module.Triple, module.Values[id].Kind, module.Values[id].Name)

	_, err = irtext.Parse("broken.ll", []byte("define void @f() {\n  ret i32 %x\n}"))
	if fault, ok := errors.AsType[*irtext.Error](err); ok {
		fmt.Println(fault.Line, fault.Column, fault.Msg)
	}
	// Output:
	// spir64-unknown-unknown function fill
	// 2 11 use of undefined value '%x'
}

// The tokens of a text are there for tools that do not need a module.
func ExampleTokens() {
	text := []byte("@x = global i32 7 ; seven")
	tokens := irtext.NewTokens("x.ll", text)
	for {
		token, err := tokens.Next()
		if err != nil {
			log.Fatal(err)
		}
		if token.Kind == irtext.TokenEnd {
			break
		}
		fmt.Printf("%s|", text[token.Start:token.End])
	}
	fmt.Println()
	// Output: @x|=|global|i32|7|
}

// A partition is written as text with the definitions of the module that it keeps.
func Example() {
	module, err := irtext.Parse("two.ll", []byte("define void @a() {\n  ret void\n}\n\ndefine void @b() {\n  call void @a()\n  ret void\n}\n"))
	if err != nil {
		log.Fatal(err)
	}
	a, _ := module.Lookup("a")
	b, _ := module.Lookup("b")
	part := &ir.Partition{Module: module, Definitions: []ir.ValueID{b}, Declarations: []ir.ValueID{a}}
	if err := module.Source.NewWriter().WritePartition(printer{}, part); err != nil {
		log.Fatal(err)
	}
	// Output:
	// declare void @a()
	//
	// define void @b() {
	//   call void @a()
	//   ret void
	// }
}

// printer writes to the standard output that an example checks.
type printer struct{}

func (printer) Write(text []byte) (int, error) { return fmt.Print(string(text)) }
