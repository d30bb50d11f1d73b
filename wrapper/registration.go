package wrapper

import (
	"offlink/wrapper/abi"
	"offlink/wrapper/devimg"
	"offlink/wrapper/internal/objfile"
)

// addRegistration adds the functions that register and unregister the images, and arranges that
// they are called.
func (b *objectBuilder) addRegistration(kind devimg.Kind, descriptor *objfile.ObjectSymbol) {
	names := registrationOf(kind)
	register, unregister := b.externalSymbol(names.register), b.externalSymbol(names.unregister)
	undo := b.addFunction(kind.String()+".descriptor_unreg", b.handOver(unregister, descriptor))
	var do *code
	if b.names.destructors == "" {
		do = b.handOverAtExit(register, descriptor, undo)
	} else {
		b.addToList(b.names.destructors, objfile.UseDestructors, undo)
		do = b.handOver(register, descriptor)
	}
	b.addToList(b.names.constructors, objfile.UseConstructors, b.addFunction(kind.String()+".descriptor_reg", do))
}

// addToList adds a function to a list of constructors or destructors.
func (b *objectBuilder) addToList(list string, use objfile.Use, f *objfile.ObjectSymbol) {
	s := b.section(list, use, b.host.pointer)
	at := appendData(s, make([]byte, b.host.pointer), b.host.pointer)
	s.Fixups = append(s.Fixups, objfile.Fixup{Offset: at, Kind: objfile.FixupPointer, Symbol: f})
}

// addFunction puts a function into the code section.
func (b *objectBuilder) addFunction(name string, c *code) *objfile.ObjectSymbol {
	at := appendData(b.text, c.bytes, codeAlign)
	for _, label := range c.labels {
		label.Offset += at
	}
	for _, f := range c.fixups {
		f.Offset += at
		b.text.Fixups = append(b.text.Fixups, f)
	}
	return b.addSymbol(objfile.ObjectSymbol{Name: name, Section: b.text, Offset: at, Size: int64(len(c.bytes)), Func: true})
}

// registrationNames are the functions of the runtime that serves a kind.
type registrationNames struct{ register, unregister string }

// registrationOf returns the names of the functions that register images of a
// kind.
func registrationOf(kind devimg.Kind) registrationNames {
	if kind == devimg.KindSYCL {
		return registrationNames{"__sycl_register_lib", "__sycl_unregister_lib"}
	}
	return registrationNames{"__tgt_register_lib", "__tgt_unregister_lib"}
}

// hostEntriesDummy is an empty part of the host's entry table: an ELF linker defines the bounds
// of the table if it sees a section of its name.
const hostEntriesDummy = "__dummy.omp_offloading.entry"

// addHostEntries makes the bounds of the host's entry table, once.
func (b *objectBuilder) addHostEntries(t *abi.Encoded) {
	if b.externals[t.Externals[0]] != nil {
		return
	}
	b.host.format.hostEntries(b, t.Externals[:2])
}

// addSortedEntries defines the bounds in sections whose names sort before and after the name of the
// table: linkers of COFF join sections in that order.
func (b *objectBuilder) addSortedEntries(bounds []string) {
	for i, name := range bounds {
		s := b.section(abi.HostEntriesSection+[]string{"$OA", "$OZ"}[i], objfile.UseEntries, b.host.pointer)
		b.externals[name] = b.addSymbol(objfile.ObjectSymbol{Name: name, Section: s})
	}
}

// addLinkerEntries refers to the bounds that linkers of ELF define for a
// section whose name is an identifier, and adds an empty part of it.
func (b *objectBuilder) addLinkerEntries(bounds []string) {
	for _, name := range bounds {
		b.externalSymbol(name).Hidden = true
	}
	s := b.section(abi.HostEntriesSection, objfile.UseEntries, 1)
	b.addSymbol(objfile.ObjectSymbol{Name: hostEntriesDummy, Section: s, Global: true, Hidden: true})
}
