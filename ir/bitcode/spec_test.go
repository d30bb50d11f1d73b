package bitcode_test

import (
	"strings"
	"testing"

	"offlink/split"
)

// typedSpec reads specialization constants through typed pointers, as LLVM 14
// prints them: calls with names and without, one whose result is used before
// it in the text, one of an i1, and ones through sret, with attachments, debug
// locations and operand bundles.
const typedSpec = `source_filename = "typed"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64-unknown-unknown"

%S = type { i8, float }

@n1 = private unnamed_addr addrspace(1) constant [4 x i8] c"one\00"
@n2 = private unnamed_addr addrspace(1) constant [4 x i8] c"two\00"
@n3 = private unnamed_addr addrspace(1) constant [6 x i8] c"three\00"
@i1 = internal addrspace(1) constant { i32 } { i32 5 }
@i2 = internal addrspace(1) constant { i8 } { i8 1 }
@i3 = internal addrspace(1) constant { %S } { %S { i8 7, float 1.500000e+00 } }

define spir_kernel void @k(i32 addrspace(1)* %out, i8 addrspace(4)* %buf, i32 addrspace(4)* %wide, i1 %c) #0 !dbg !5 {
entry:
  %s = alloca %S, align 4
  %s4 = addrspacecast %S* %s to %S addrspace(4)*
  br label %first

late:
  %p = phi i32 [ %here, %first ]
  %early = add i32 %here, 1, !dbg !7
  br label %end

first:
  %here = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(i8 addrspace(4)* addrspacecast (i8 addrspace(1)* getelementptr inbounds ([4 x i8], [4 x i8] addrspace(1)* @n1, i64 0, i64 0) to i8 addrspace(4)*), i8 addrspace(4)* addrspacecast (i8 addrspace(1)* bitcast ({ i32 } addrspace(1)* @i1 to i8 addrspace(1)*) to i8 addrspace(4)*), i8 addrspace(4)* %buf) #1, !dbg !7, !other !8
  call void @other(i8 addrspace(4)* %buf), !dbg !7, !other !8
  %0 = call spir_func i1 @_Z37__sycl_getScalar2020SpecConstantValueIbET_PKcPKvS4_(i8 addrspace(4)* addrspacecast (i8 addrspace(1)* getelementptr inbounds ([4 x i8], [4 x i8] addrspace(1)* @n2, i64 0, i64 0) to i8 addrspace(4)*), i8 addrspace(4)* addrspacecast (i8 addrspace(1)* getelementptr inbounds ({ i8 }, { i8 } addrspace(1)* @i2, i32 0, i32 0) to i8 addrspace(4)*), i8 addrspace(4)* %buf) [ "deopt"(i32 3) ]
  br i1 %0, label %late, label %end, !dbg !9

end:
  %q = phi i32 [ %p, %late ], [ %here, %first ]
  call spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI1SET_PKcPKvS5_(%S addrspace(4)* sret(%S) align 4 %s4, i8 addrspace(4)* addrspacecast (i8 addrspace(1)* getelementptr inbounds ([6 x i8], [6 x i8] addrspace(1)* @n3, i64 0, i64 0) to i8 addrspace(4)*), i8 addrspace(4)* addrspacecast (i8 addrspace(1)* getelementptr inbounds ({ %S }, { %S } addrspace(1)* @i3, i32 0, i32 0, i32 0) to i8 addrspace(4)*), i8 addrspace(4)* %buf), !dbg !9
  store i32 %q, i32 addrspace(1)* %out, align 4, !dbg !9, !other !8
  ret void, !dbg !9
}

declare void @other(i8 addrspace(4)*)
declare spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(i8 addrspace(4)*, i8 addrspace(4)*, i8 addrspace(4)*)
declare spir_func i1 @_Z37__sycl_getScalar2020SpecConstantValueIbET_PKcPKvS4_(i8 addrspace(4)*, i8 addrspace(4)*, i8 addrspace(4)*)
declare spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI1SET_PKcPKvS5_(%S addrspace(4)* sret(%S), i8 addrspace(4)*, i8 addrspace(4)*, i8 addrspace(4)*)

attributes #0 = { "sycl-module-id"="typed.cpp" }
attributes #1 = { convergent nounwind "only"="here" }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, producer: "x", isOptimized: false, emissionKind: FullDebug)
!1 = !DIFile(filename: "typed.cpp", directory: "/")
!2 = !{i32 7, !"Dwarf Version", i32 4}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !6)
!5 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 1, type: !4, spFlags: DISPFlagDefinition, unit: !0)
!6 = !{null}
!7 = !DILocation(line: 3, column: 1, scope: !5)
!8 = !{!"text", i32 1}
!9 = !DILocation(line: 4, column: 2, scope: !5)
`

// recordsSpec has debug records around the calls, as LLVM 19 prints them.
const recordsSpec = `source_filename = "records"
target triple = "spir64-unknown-unknown"

@n1 = private unnamed_addr addrspace(1) constant [4 x i8] c"one\00"
@i1 = internal addrspace(1) constant { i32 } { i32 5 }

define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(4) %buf) #0 !dbg !5 {
entry:
    #dbg_value(ptr addrspace(4) %buf, !10, !DIExpression(), !7)
  %here = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr addrspace(1) @n1 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @i1 to ptr addrspace(4)), ptr addrspace(4) %buf), !dbg !7
    #dbg_value(i32 %here, !10, !DIExpression(), !7)
    #dbg_value(i32 7, !10, !DIExpression(), !7)
  %next = add i32 %here, 2, !dbg !7
    #dbg_value(!DIArgList(i32 %here, i32 %next), !10, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value), !7)
  %two = insertelement <2 x i32> <i32 1, i32 2>, i32 %here, i32 %here, !dbg !9
  %sum = call i32 @llvm.vector.reduce.add.v2i32(<2 x i32> %two), !dbg !9
  store i32 %sum, ptr addrspace(1) %out, align 4, !dbg !9
  ret void, !dbg !9
}

declare i32 @llvm.vector.reduce.add.v2i32(<2 x i32>)
declare spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))

attributes #0 = { "sycl-module-id"="records.cpp" }

` + recordsMetadata

const recordsMetadata = `!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, producer: "x", isOptimized: false, emissionKind: FullDebug)
!1 = !DIFile(filename: "records.cpp", directory: "/")
!2 = !{i32 7, !"Dwarf Version", i32 4}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !6)
!5 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 1, type: !4, spFlags: DISPFlagDefinition, unit: !0)
!6 = !{null}
!7 = !DILocation(line: 3, column: 1, scope: !5)
!9 = !DILocation(line: 4, column: 2, scope: !5)
!10 = !DILocalVariable(name: "v", scope: !5, file: !1, line: 2, type: !11)
!11 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
`

// slotSpec reads constants as code without optimisation does: the name goes
// through a variable on the stack, of which there are several kinds, in two
// blocks, with metadata, lifetime markers and debug records. The last name has
// another user, so that its store stays. The last read allocates memory, of a size that SPIR does
// not emulate.
const slotSpec = `source_filename = "slots"
target triple = "nvptx64-nvidia-cuda"

@n1 = private unnamed_addr addrspace(4) constant [4 x i8] c"one\00"
@n2 = private unnamed_addr addrspace(1) constant [4 x i8] c"two\00"
@n3 = private unnamed_addr addrspace(1) constant [4 x i8] c"six\00"
@i1 = internal addrspace(1) constant { i32 } { i32 5 }
@i2 = internal addrspace(1) constant { { i8, i16 } } { { i8, i16 } { i8 1, i16 2 } }

%S = type <{ i8, [1 x i8], i16 }>

define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(4) %buf, i1 %c) #0 !dbg !5 {
entry:
  %0 = alloca ptr addrspace(4), align 8
  %slot = alloca ptr addrspace(4), align 8
  %third = alloca ptr addrspace(4), align 8
  %s = alloca %S, align 2
  %s4 = addrspacecast ptr %s to ptr addrspace(4)
  %1 = addrspacecast ptr %0 to ptr addrspace(4)
  %slot4 = addrspacecast ptr %slot to ptr addrspace(4)
  call void @llvm.lifetime.start.p0(i64 8, ptr %slot)
  store ptr addrspace(4) @n1, ptr addrspace(4) %1, align 8, !dbg !7, !other !8
    #dbg_declare(ptr %0, !10, !DIExpression(), !7)
  store ptr addrspace(4) addrspacecast (ptr addrspace(1) @n3 to ptr addrspace(4)), ptr %third, align 8, !dbg !9
  %2 = load ptr addrspace(4), ptr addrspace(4) %1, align 8
  %here = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) %2, ptr addrspace(4) addrspacecast (ptr addrspace(1) @i1 to ptr addrspace(4)), ptr addrspace(4) %buf), !dbg !7
  br i1 %c, label %late, label %end

late:
  store ptr addrspace(4) addrspacecast (ptr addrspace(1) @n2 to ptr addrspace(4)), ptr addrspace(4) %slot4, align 8, !dbg !9
  %3 = load ptr addrspace(4), ptr addrspace(4) %slot4, align 8
  call spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI1SET_PKcPKvS5_(ptr addrspace(4) sret(%S) align 2 %s4, ptr addrspace(4) %3, ptr addrspace(4) addrspacecast (ptr addrspace(1) @i2 to ptr addrspace(4)), ptr addrspace(4) %buf), !dbg !9
  call void @llvm.lifetime.end.p0(i64 8, ptr %slot)
  br label %end

end:
  %4 = load ptr addrspace(4), ptr %third, align 8
  call void @other(ptr addrspace(4) %4), !dbg !7, !other !8
  %memory = call ptr @llvm.sycl.alloca.p0.p4.p4.p4.v2i16(ptr addrspace(4) %4, ptr addrspace(4) addrspacecast (ptr addrspace(1) @i1 to ptr addrspace(4)), ptr addrspace(4) %buf, <2 x i16> zeroinitializer, i64 32), !dbg !9
  store i32 %here, ptr %memory, align 4, !dbg !9, !other !8
  store ptr %memory, ptr addrspace(1) %out, align 8
  ret void, !dbg !9
}

declare void @other(ptr addrspace(4))
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
declare spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI1SET_PKcPKvS5_(ptr addrspace(4) sret(%S), ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare ptr @llvm.sycl.alloca.p0.p4.p4.p4.v2i16(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4), <2 x i16>, i64)

attributes #0 = { "sycl-module-id"="slots.cpp" }

` + recordsMetadata + "!8 = !{!\"text\", i32 1}\n"

// typedSlotSpec is the same for typed pointers, as LLVM 14 prints them.
const typedSlotSpec = `source_filename = "slots"
target triple = "spir64-unknown-unknown"

@n1 = private unnamed_addr addrspace(1) constant [4 x i8] c"one\00"
@i1 = internal addrspace(1) constant { { float } } { { float } { float 5.0 } }

define spir_kernel void @k(i32 addrspace(1)* %out, i8 addrspace(4)* %buf) #0 {
  %slot = alloca i8 addrspace(4)*, align 8
  %slot4 = addrspacecast i8 addrspace(4)** %slot to i8 addrspace(4)* addrspace(4)*
  %bytes = bitcast i8 addrspace(4)** %slot to i8*
  call void @llvm.lifetime.start.p0i8(i64 8, i8* %bytes)
  store i8 addrspace(4)* addrspacecast (i8 addrspace(1)* getelementptr inbounds ([4 x i8], [4 x i8] addrspace(1)* @n1, i64 0, i64 0) to i8 addrspace(4)*), i8 addrspace(4)* addrspace(4)* %slot4, align 8
  %name = load i8 addrspace(4)*, i8 addrspace(4)* addrspace(4)* %slot4, align 8
  %here = call spir_func float @_Z37__sycl_getScalar2020SpecConstantValueIfET_PKcPKvS4_(i8 addrspace(4)* %name, i8 addrspace(4)* addrspacecast (i8 addrspace(1)* bitcast ({ { float } } addrspace(1)* @i1 to i8 addrspace(1)*) to i8 addrspace(4)*), i8 addrspace(4)* %buf)
  %number = fptosi float %here to i32
  store i32 %number, i32 addrspace(1)* %out, align 4
  ret void
}

declare void @llvm.lifetime.start.p0i8(i64, i8*)
declare spir_func float @_Z37__sycl_getScalar2020SpecConstantValueIfET_PKcPKvS4_(i8 addrspace(4)*, i8 addrspace(4)*, i8 addrspace(4)*)

attributes #0 = { "sycl-module-id"="slots.cpp" }
`

// Reads of specialization constants are replaced as in text, whatever stands
// around them.
func TestSpecConstants(t *testing.T) {
	surroundings := string(readFile(t, "testdata/spec/opaque.ll"))
	for _, x := range []struct{ name, version, text string }{
		{"typed", "14", typedSpec},
		{"typed", "15", typedSpec},
		{"records", "19", recordsSpec},
		{"slots", "14", typedSlotSpec},
		{"slots", "19", slotSpec},
		{"surroundings", "15", surroundings},
		{"surroundings", "16", surroundings},
		{"surroundings", "19", surroundings},
	} {
		for _, options := range splits {
			options.Mode = split.None
			m := assemble(t, "spec", x.version, false, []byte(x.text))
			if m == nil && x.version == "15" {
				text := strings.ReplaceAll(x.text, "\x00", "")
				m = &module{name: "spec", version: "15", bitcode: filter(t, []byte(text), llvmTool(t, "llvm-as", "15"), "-opaque-pointers=0", "-o", "-")}
			}
			if m == nil {
				t.Fatalf("LLVM %s refuses the input", x.version)
			}
			t.Run(x.version+" "+x.name+" "+options.Dependencies.String(), func(t *testing.T) { checkSplit(t, m, options) })
		}
	}
}
