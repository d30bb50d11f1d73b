// Package irgen generates device modules of any size for benchmarks and tests:
// textual LLVM IR as a SYCL compiler prints it, with opaque pointers.
//
// A module of N kernels has N/2 helper functions in four layers, each calling
// two of the layer below, and N/20 tables of numbers with names; every kernel has about
// 60 instructions, calls two helpers and reads a table. Ten kernels have one
// module ID. The same configuration gives the same bytes.
package irgen

import (
	"bufio"
	"fmt"
	"io"
)

// Config says what to generate.
type Config struct {
	Kernels int
	// Debug adds debug information: a compile unit for each module ID, and a
	// location for each instruction.
	Debug bool
}

const (
	kernelsPerSource  = 10
	layers            = 4
	instructionGroups = 8 // of five instructions each, in a kernel
)

// generator writes one module.
type generator struct {
	*bufio.Writer
	Config
	helpers, tables, sources int
	node                     int      // the next metadata number
	pending                  []string // debug nodes of functions written so far
}

// Write writes the module.
func Write(w io.Writer, c Config) error {
	g := &generator{Writer: bufio.NewWriterSize(w, 1<<16), Config: c}
	g.helpers = c.Kernels / 2
	g.tables = (c.Kernels + 19) / 20
	g.sources = (c.Kernels + kernelsPerSource - 1) / kernelsPerSource
	g.writeHeader()
	for i := range g.tables {
		g.writeTables(i)
	}
	for i := range c.Kernels {
		g.writeKernel(i)
	}
	for i := range g.helpers {
		g.writeHelper(i)
	}
	g.writeTrailer()
	return g.Flush()
}

func (g *generator) writeHeader() {
	g.WriteString(`; generated
source_filename = "generated"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64"
target triple = "spir64-unknown-unknown"

%"class.range" = type { [3 x i64] }
%struct.item = type { %"class.range", i32, float }

@__spirv_BuiltInGlobalInvocationId = external local_unnamed_addr addrspace(1) constant <3 x i64>, align 32
`)
}

// writeTables writes a table of numbers and one of helpers.
func (g *generator) writeTables(i int) {
	fmt.Fprintf(g, "@table_%d = internal unnamed_addr addrspace(1) constant [8 x i32] [", i)
	for k := range 8 {
		if k > 0 {
			g.WriteString(", ")
		}
		fmt.Fprintf(g, "i32 %d", (i*37+k*11)%1009)
	}
	fmt.Fprintf(g, "], align 4\n")
	fmt.Fprintf(g, "@name_%d = private unnamed_addr addrspace(1) constant [13 x i8] c\"t%08d } \\00\", align 1\n", i, i)
}

// debugLocation returns the debug location of a line in the function whose subprogram is
// node scope.
func (g *generator) debugLocation(scope, line int) string {
	if !g.Debug {
		return ""
	}
	n := g.node
	g.node++
	g.pending = append(g.pending, fmt.Sprintf("!%d = !DILocation(line: %d, column: %d, scope: !%d)", n, line, 5+line%40, scope))
	return fmt.Sprintf(", !dbg !%d", n)
}

// writeSubprogram begins the debug information of a function and returns its node
// and its reference for the header.
func (g *generator) writeSubprogram(name string, line, source int) (scope int, attached string) {
	if !g.Debug {
		return 0, ""
	}
	scope = g.node
	g.node += 3
	g.pending = append(g.pending,
		fmt.Sprintf("!%d = distinct !DISubprogram(name: \"%s\", linkageName: \"%s\", scope: !%d, file: !%d, line: %d, type: !%d, scopeLine: %d, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !%d, retainedNodes: !%d)",
			scope, name, name, g.fileNode(source), g.fileNode(source), line, subroutineType, line, g.unitNode(source), scope+1),
		fmt.Sprintf("!%d = !{!%d}", scope+1, scope+2),
		fmt.Sprintf("!%d = !DILocalVariable(name: \"n\", arg: 3, scope: !%d, file: !%d, line: %d, type: !%d)", scope+2, scope, g.fileNode(source), line, intType))
	return scope, fmt.Sprintf(" !dbg !%d", scope)
}

// The metadata nodes that all functions share.
const (
	omitArguments = iota
	usedAspects
	intType
	subroutineType
	typeList
	firstUnit
)

// unitNode and file return the nodes of a source file.
func (g *generator) unitNode(source int) int { return firstUnit + 2*source }
func (g *generator) fileNode(source int) int { return firstUnit + 2*source + 1 }

// function writes the instructions of one function.
type function struct {
	*generator
	scope, line int // of the debug locations
	next        int // the number of the next value
}

// emitInst writes an instruction with the location of a further line.
func (f *function) emitInst(format string, args ...any) {
	f.line++
	fmt.Fprintf(f, "  "+format, args...)
	f.WriteString(f.debugLocation(f.scope, f.line))
	f.WriteByte('\n')
}

// emitValue writes an instruction with a result and returns the result's name.
func (f *function) emitValue(format string, args ...any) string {
	name := fmt.Sprintf("%%%d", f.next)
	f.next++
	f.emitInst("%"+name+" = "+format, args...)
	return name
}

func (g *generator) writeKernel(i int) {
	if i == 0 {
		g.node = firstUnit + 2*g.sources
	}
	source := i / kernelsPerSource
	name := fmt.Sprintf("_ZTS6KernelILi%dEE", i)
	scope, attached := g.writeSubprogram(name, 10*i+1, source)
	f := &function{generator: g, scope: scope, line: 10*i + 2}
	fmt.Fprintf(g, "\n; Function Attrs: convergent mustprogress norecurse nounwind\n")
	fmt.Fprintf(g, "define weak_odr dso_local spir_kernel void @%s(ptr addrspace(1) noundef align 4 %%out, ptr addrspace(1) noundef readonly align 4 %%in, i32 noundef %%n) local_unnamed_addr #%d%s !sycl_used_aspects !%d !sycl_kernel_omit_args !%d {\nentry:\n",
		name, source, attached, usedAspects, omitArguments)
	if g.Debug {
		f.emitInst("call void @llvm.dbg.value(metadata i32 %%n, metadata !%d, metadata !DIExpression())", scope+2)
	}
	id := f.emitValue("load i64, ptr addrspace(1) @__spirv_BuiltInGlobalInvocationId, align 32")
	index := f.emitValue("trunc i64 %s to i32", id)
	f.emitInst("%%cmp = icmp slt i32 %s, %%n", index)
	f.emitInst("br i1 %%cmp, label %%body, label %%exit")
	g.WriteString("\nbody:                                             ; preds = %entry\n")
	f.emitCompute(i, index)
	f.emitInst("br label %%exit")
	g.WriteString("\nexit:                                             ; preds = %body, %entry\n")
	f.emitInst("ret void")
	g.WriteString("}\n")
	g.flushNodes()
}

// emitCompute writes the computation of a kernel on the element of that index.
func (f *function) emitCompute(kernel int, index string) {
	value := index
	for k := range instructionGroups {
		wide := f.emitValue("zext i32 %s to i64", value)
		address := f.emitValue("getelementptr inbounds i32, ptr addrspace(1) %%in, i64 %s", wide)
		loaded := f.emitValue("load i32, ptr addrspace(1) %s, align 4", address)
		product := f.emitValue("mul nsw i32 %s, %d", loaded, 3+k)
		value = f.emitValue("add nsw i32 %s, %s", product, value)
	}
	table := kernel % f.tables
	address := f.emitValue("getelementptr inbounds [8 x i32], ptr addrspace(1) @table_%d, i64 0, i64 %d", table, kernel%8)
	last := f.emitValue("load i32, ptr addrspace(1) %s, align 4", address)
	letter := f.emitValue("load i8, ptr addrspace(1) @name_%d, align 1", table)
	f.emitValue("sext i8 %s to i32", letter)
	for k := range min(2, f.helpers) {
		last = f.emitValue("tail call spir_func noundef i32 @helper_%d(i32 noundef %s, i32 noundef %s) #%d", f.topHelper(2*kernel+k), last, value, f.callGroup())
	}
	result := f.emitValue("xor i32 %s, %s", last, value)
	wide := f.emitValue("sext i32 %s to i64", index)
	address = f.emitValue("getelementptr inbounds i32, ptr addrspace(1) %%out, i64 %s", wide)
	f.emitInst("store i32 %s, ptr addrspace(1) %s, align 4", result, address)
}

// Helpers of a layer are next to each other; kernels call those of the first
// layer.
func (g *generator) layerOf(i int) int { return min(i*layers/max(g.helpers, 1), layers-1) }

// layerStart returns the first helper of a layer.
func (g *generator) layerStart(layer int) int { return (layer*g.helpers + layers - 1) / layers }

func (g *generator) topHelper(i int) int { return i % max(g.layerStart(1), 1) }

func (g *generator) callGroup() int { return g.sources + 1 }

func (g *generator) writeHelper(i int) {
	name := fmt.Sprintf("helper_%d", i)
	scope, attached := g.writeSubprogram(name, 1000+10*i, i%g.sources)
	f := &function{generator: g, scope: scope, line: 1000 + 10*i}
	linkage := "linkonce_odr dso_local"
	if i%3 == 0 {
		linkage = "internal"
	}
	fmt.Fprintf(g, "\n; Function Attrs: convergent noinline nounwind\ndefine %s spir_func noundef i32 @%s(i32 noundef %%a, i32 noundef %%b) local_unnamed_addr #%d%s {\nentry:\n", linkage, name, g.sources, attached)
	value := "%a"
	for k := range 6 {
		shifted := f.emitValue("shl i32 %s, %d", value, k+1)
		value = f.emitValue("xor i32 %s, %%b", shifted)
	}
	for _, callee := range g.calledHelpers(i) {
		value = f.emitValue("tail call spir_func noundef i32 @helper_%d(i32 noundef %s, i32 noundef %%b) #%d", callee, value, g.callGroup())
	}
	f.emitInst("ret i32 %s", value)
	g.WriteString("}\n")
	g.flushNodes()
}

// calledHelpers returns the helpers of the next layer that a helper calls.
func (g *generator) calledHelpers(i int) []int {
	layer := g.layerOf(i)
	if layer == layers-1 {
		return nil
	}
	start, end := g.layerStart(layer+1), g.helpers
	if layer+2 < layers {
		end = g.layerStart(layer + 2)
	}
	if end == start {
		return nil
	}
	n := end - start
	return []int{start + i%n, start + (i*7+3)%n}
}

// flushNodes bounds the memory of pending nodes: they are written between
// functions, where metadata may stand as well.
func (g *generator) flushNodes() {
	if len(g.pending) < 1<<20 {
		return
	}
	g.writeNodes()
}

func (g *generator) writeNodes() {
	for _, n := range g.pending {
		g.WriteString(n)
		g.WriteByte('\n')
	}
	g.pending = g.pending[:0]
}

func (g *generator) writeTrailer() {
	if g.Debug {
		g.WriteString("\ndeclare void @llvm.dbg.value(metadata, metadata, metadata)\n")
	}
	g.WriteByte('\n')
	for i := range g.sources {
		fmt.Fprintf(g, "attributes #%d = { convergent mustprogress norecurse nounwind \"frame-pointer\"=\"all\" \"no-trapping-math\"=\"true\" \"stack-protector-buffer-size\"=\"8\" \"sycl-module-id\"=\"src/unit_%d.cpp\" \"sycl-optlevel\"=\"2\" \"uniform-work-group-size\"=\"true\" }\n", i, i)
	}
	fmt.Fprintf(g, "attributes #%d = { convergent noinline nounwind \"frame-pointer\"=\"all\" \"no-trapping-math\"=\"true\" \"sycl-optlevel\"=\"2\" }\n", g.sources)
	fmt.Fprintf(g, "attributes #%d = { convergent nounwind }\n\n", g.callGroup())
	g.writeMetadata()
}

func (g *generator) writeMetadata() {
	if g.Debug {
		g.WriteString("!llvm.dbg.cu = !{")
		for i := range g.sources {
			if i > 0 {
				g.WriteString(", ")
			}
			fmt.Fprintf(g, "!%d", g.unitNode(i))
		}
		g.WriteString("}\n")
	}
	n := max(g.node, firstUnit+2*g.sources)
	fmt.Fprintf(g, "!llvm.module.flags = !{!%d, !%d, !%d}\n!opencl.spir.version = !{!%d}\n!llvm.ident = !{!%d}\n\n", n, n+1, n+2, n+3, n+4)
	fmt.Fprintf(g, "!%d = !{i1 false, i1 false, i1 true}\n!%d = !{i32 6}\n", omitArguments, usedAspects)
	if g.Debug {
		fmt.Fprintf(g, "!%d = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)\n!%d = !DISubroutineType(types: !%d)\n!%d = !{null, !%d}\n", intType, subroutineType, typeList, typeList, intType)
		for i := range g.sources {
			fmt.Fprintf(g, "!%d = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !%d, producer: \"irgen\", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, splitDebugInlining: false, nameTableKind: None)\n", g.unitNode(i), g.fileNode(i))
			fmt.Fprintf(g, "!%d = !DIFile(filename: \"src/unit_%d.cpp\", directory: \"/build\")\n", g.fileNode(i), i)
		}
	}
	g.writeNodes()
	fmt.Fprintf(g, "!%d = !{i32 1, !\"wchar_size\", i32 4}\n!%d = !{i32 7, !\"Dwarf Version\", i32 4}\n!%d = !{i32 2, !\"Debug Info Version\", i32 3}\n!%d = !{i32 1, i32 2}\n!%d = !{!\"irgen\"}\n", n, n+1, n+2, n+3, n+4)
}
