package bitcode

import (
	"maps"
	"math"
	"slices"

	"offlink/ir"
	"offlink/ir/bitcode/bitstream"
	"offlink/ir/llvmschema"
)

// moduleReader reads the module block. It does not rely on the order of blocks and records that
// LLVM writes: records that refer to other parts are read after those. It is only used while
// reading; source keeps the parts that writers need.
type moduleReader struct {
	source *source
	module *ir.Module

	version  uint64
	groupIDs map[uint64]ir.AttributeGroupID
	lists    [][]uint64

	constants []bitstream.Block
	metadata  []bitstream.Block
	bodies    []bitstream.Block

	labels []uint64 // functions of which a constant names a block
}

// readModule reads the module block. The budget bounds the expansion of constants and metadata, so
// that a small file cannot ask for much work.
func (r *moduleReader) readModule(c *bitstream.Cursor) error {
	r.groupIDs = make(map[uint64]ir.AttributeGroupID)
	r.source.kindNames = make(map[uint64]string)
	r.source.budget.Store(1<<24 + 256*int64(len(r.source.strings)))
	if err := r.walkBlock(c); err != nil {
		return err
	}
	// Version 2 has names in a string table of the file (STRTAB), version 1 in the records'
	// own symbol table.
	if r.version != 2 {
		return c.Errorf("bitcode module of version %d, as LLVM before 5 wrote it; only version 2 is read", r.version)
	}
	// Parts come after those that they refer to: constants name globals, metadata names
	// constants, bodies name all.
	steps := []func(*bitstream.Cursor) error{
		r.resolveLists, r.readGlobals, r.readConstants, r.checkGlobals,
		r.readMetadata, r.readBodies, r.finishMetadata, r.finishValues,
	}
	for _, step := range steps {
		if err := step(c); err != nil {
			return err
		}
	}
	r.source.budget.Store(math.MaxInt64) // it is for reading alone
	r.source.infoBlocks = slices.Sorted(maps.Keys(r.source.info))
	r.source.keepStrings()
	r.module.Index()
	return nil
}

// walkBlock goes through the module block once. It reads the parts that refer to no other part and
// notes the rest.
func (r *moduleReader) walkBlock(c *bitstream.Cursor) error {
	for {
		e, err := c.Next()
		switch {
		case err != nil || e.Kind == bitstream.End:
			return err
		case e.Kind == bitstream.SubBlock:
			err = r.readBlock(c, e.Block)
		default:
			err = r.readRecord(c)
		}
		if err != nil {
			return err
		}
	}
}

// readBlock reads a block of the module, or notes it for later. An unknown block is refused: it may
// hold something that a partition must not lose.
func (r *moduleReader) readBlock(c *bitstream.Cursor, b bitstream.Block) error {
	switch b.ID {
	case bitstream.InfoBlock:
		return c.Open(b).ReadInfo()
	case llvmschema.BlockType:
		return r.readTypes(c.Open(b))
	case llvmschema.BlockAttributeGroup:
		return r.readGroups(c.Open(b))
	case llvmschema.BlockAttributeList:
		return r.readLists(c.Open(b))
	case llvmschema.BlockMetadataKind:
		return r.readKinds(c.Open(b))
	case llvmschema.BlockBundleTag:
		return readNames(c.Open(b), &r.source.tags)
	case llvmschema.BlockSyncScope:
		return readNames(c.Open(b), &r.source.scopes)
	case llvmschema.BlockConstants:
		r.constants = append(r.constants, b)
	case llvmschema.BlockMetadata:
		r.metadata = append(r.metadata, b)
	case llvmschema.BlockFunction:
		r.bodies = append(r.bodies, b)
	case llvmschema.BlockSymbolTable, llvmschema.BlockUseList, llvmschema.BlockSummary, llvmschema.BlockLTOSummary, llvmschema.BlockModuleStrtab:
		// Offsets, orders and summaries of the whole module: of no use to a part.
	default:
		return c.Errorf("block %d of the module is not known: the bitcode is %s", b.ID, llvmschema.Newer())
	}
	return nil
}

// readRecord reads a record of the module itself. Global values are stored and decoded at the end,
// when the string table with their names is known.
func (r *moduleReader) readRecord(c *bitstream.Cursor) error {
	s, m := r.source, r.module
	switch c.Code {
	case llvmschema.ModuleVersion:
		if len(c.Operands) > 0 {
			r.version = c.Operands[0]
		}
	case llvmschema.ModuleTriple:
		m.Triple = textOf(c.Operands)
	case llvmschema.ModuleDataLayout:
		m.DataLayout = textOf(c.Operands)
	case llvmschema.ModuleSource:
		m.SourceFilename = textOf(c.Operands)
	case llvmschema.ModuleAsm:
		s.asm = append(s.asm, moduleText{c.Code, textOf(c.Operands)})
		m.HasAssembly = true
	case llvmschema.ModuleSection:
		s.sections = append(s.sections, textOf(c.Operands))
	case llvmschema.ModuleGC:
		s.gcs = append(s.gcs, textOf(c.Operands))
	case llvmschema.ModuleGUIDs:
		s.guids = append(s.guids, c.Operands...)
	case llvmschema.ModuleComdat:
		return r.readComdat(c)
	case llvmschema.ModuleVariable, llvmschema.ModuleFunction, llvmschema.ModuleAlias, llvmschema.ModuleIFunc:
		// Constants are numbered after all global values, so that one that follows would
		// move their numbers.
		if len(r.constants) > 0 {
			return c.Errorf("global value after the constants")
		}
		at, ok := s.records.storeRecord(c.Bit(), c.Operands)
		if !ok || s.values.count() > ir.MaxIndex {
			return c.Errorf("too many global values")
		}
		s.values.appendEntry(newEntry(at, c.Code))
	case llvmschema.ModuleVSTOffset, llvmschema.ModuleHash, llvmschema.ModuleDepLib:
		// Made anew, or without meaning.
	default:
		return c.Errorf("record %d of the module is not known: the bitcode is %s", c.Code, llvmschema.NewerOrOlder())
	}
	return nil
}

// readNames reads a block of strings, which are numbered by their order.
func readNames(c *bitstream.Cursor, list *[]string) error {
	for {
		e, err := c.Next()
		if err != nil || e.Kind == bitstream.End {
			return err
		}
		if e.Kind == bitstream.Record {
			*list = append(*list, textOf(c.Operands))
		}
	}
}

// readKinds reads the metadata kinds: number, name. Only the fixed kinds ("dbg" is 0, ...) have the
// same numbers everywhere; a partition keeps the module's numbers.
func (r *moduleReader) readKinds(c *bitstream.Cursor) error {
	for {
		e, err := c.Next()
		if err != nil || e.Kind == bitstream.End {
			return err
		}
		if e.Kind == bitstream.Record && c.Code == llvmschema.MetadataKind {
			if err := r.addKind(c); err != nil {
				return err
			}
		}
	}
}

// addKind notes the name of a metadata kind. Each module numbers the kinds that LLVM does not fix.
func (r *moduleReader) addKind(c *bitstream.Cursor) error {
	if len(c.Operands) < 2 {
		return c.Errorf("metadata kind without a name")
	}
	id, name := c.Operands[0], textOf(c.Operands[1:])
	if _, ok := r.source.kindNames[id]; ok {
		return c.Errorf("metadata kind %d is defined twice", id)
	}
	r.source.kinds = append(r.source.kinds, kind{id, name})
	r.source.kindNames[id] = name
	return nil
}

// comdatSelections are the selection kinds by their numbers, COMDAT_SELECTION_KIND_* in
// LLVMBitCodes.h.
var comdatSelections = [...]string{1: "any", 2: "exactmatch", 3: "largest", 4: "nodeduplicate", 5: "samesize"}

// readComdat reads [name offset, name size, selection].
func (r *moduleReader) readComdat(c *bitstream.Cursor) error {
	if len(c.Operands) < 3 {
		return c.Errorf("comdat of %d operands", len(c.Operands))
	}
	name, ok := r.source.symbolName(c.Operands[0], c.Operands[1])
	if !ok {
		return c.Errorf("the name of a comdat lies outside of the string table")
	}
	selection := "any" // LLVM takes an unknown kind for this one
	if k := c.Operands[2]; k > 0 && k < uint64(len(comdatSelections)) {
		selection = comdatSelections[k]
	}
	r.module.Comdats = append(r.module.Comdats, ir.Comdat{Name: name, Selection: selection})
	return nil
}

// symbolName returns a string of the string table. Both numbers come from the file, so their sum
// may overflow.
func (s *source) symbolName(offset, size uint64) (string, bool) {
	n := uint64(len(s.strtab))
	if offset > n || size > n-offset {
		return "", false
	}
	return s.strtab[offset:][:size], true
}
