package irtext

import "offlink/ir"

// declaration is a function that the slice adds because it calls it.
type declaration struct{ name string }

func (w *writer) writeDeclared() {}

func (w *writer) rewriteBody(id ir.ValueID, edit *ir.Edit, end int) {}
