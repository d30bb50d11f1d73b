; Reads of specialization constants in many surroundings. The type of a composite
; is in the attributes of the call, of the function that is called, or of both.
source_filename = "shapes"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64-unknown-unknown"

%S = type { i8, float }
%P = type <{ i8, i16, [3 x i8] }>
%N = type { %S, [2 x <2 x i32>], double }

@n = private unnamed_addr addrspace(1) constant [4 x i8] c"one\00"
@n2 = private unnamed_addr addrspace(1) constant [4 x i8] c"two\00"
@n3 = private unnamed_addr addrspace(1) constant [6 x i8] c"three\00"
@n4 = private unnamed_addr addrspace(1) constant [5 x i8] c"four\00"
@n5 = private unnamed_addr addrspace(1) constant [5 x i8] c"five\00"
@n6 = private unnamed_addr addrspace(1) constant [4 x i8] c"six\00"
@n7 = private unnamed_addr addrspace(1) constant [4 x i8] c"svn\00"
@i = internal addrspace(1) constant { i32 } { i32 5 }
@b = internal addrspace(1) constant { i8 } { i8 1 }
@f = internal addrspace(1) constant { float } { float 1.5 }
@s = internal addrspace(1) constant { %S } { %S { i8 7, float 1.500000e+00 } }
@p = internal addrspace(1) constant { %P } { %P <{ i8 1, i16 2, [3 x i8] c"abc" }> }
@N = internal addrspace(1) constant { %N } { %N { %S { i8 1, float 2.0 }, [2 x <2 x i32>] [<2 x i32> <i32 1, i32 2>, <2 x i32> zeroinitializer], double 0.5 } }
@h = internal addrspace(1) constant { half } { half 0xH3C00 }

; flags, attributes of call, results and parameters
define spir_kernel void @attributes(ptr addrspace(1) %out, ptr addrspace(4) %buf) #0 {
  %1 = tail call spir_func noundef signext i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) noundef align 1 addrspacecast (ptr addrspace(1) @n to ptr addrspace(4)), ptr addrspace(4) nocapture readonly addrspacecast (ptr addrspace(1) @i to ptr addrspace(4)), ptr addrspace(4) noalias dereferenceable(4) %buf) #1
  %2 = notail call fast spir_func float @_Z37__sycl_getScalar2020SpecConstantValueIfET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr addrspace(1) @n2 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @f to ptr addrspace(4)), ptr addrspace(4) %buf), !fpmath !20
  %3 = fadd fast float %2, %2
  store i32 %1, ptr addrspace(1) %out
  store float %3, ptr addrspace(1) %out
  ret void
}

; operand bundles, of the call, before it and after it, with the result of another
define spir_kernel void @bundles(ptr addrspace(1) %out, ptr addrspace(4) %buf) #0 {
entry:
  call void @other(ptr addrspace(4) %buf) [ "deopt"(i32 1, ptr addrspace(4) %buf), "align"() ]
  %a = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr addrspace(1) @n to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @i to ptr addrspace(4)), ptr addrspace(4) %buf) [ "deopt"(i32 3), "tag"(float 2.0) ]
  call void @other(ptr addrspace(4) %buf) [ "deopt"(i32 %a), "tag"(i32 7, i32 %a) ]
  store i32 %a, ptr addrspace(1) %out
  ret void
}

; names that a prefix must avoid
define spir_kernel void @names(ptr addrspace(1) %spec.out, ptr addrspace(4) %buf) #0 {
spec..entry:
  %"spec. 1" = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr addrspace(1) @n to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @i to ptr addrspace(4)), ptr addrspace(4) %buf)
  %"0" = call spir_func i1 @_Z37__sycl_getScalar2020SpecConstantValueIbET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr addrspace(1) @n4 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @b to ptr addrspace(4)), ptr addrspace(4) %buf)
  br i1 %"0", label %"1", label %"2"
"1":
  store i32 %"spec. 1", ptr addrspace(1) %spec.out
  br label %"2"
"2":
  ret void
}

; unnamed values and blocks, uses before definitions, results nobody uses
define spir_kernel void @numbers(ptr addrspace(1) %0, ptr addrspace(4) %1, i1 %2) #0 {
  br label %6

4:
  %5 = phi i32 [ %7, %6 ]
  br label %12

6:
  %7 = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr addrspace(1) @n to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @i to ptr addrspace(4)), ptr addrspace(4) %1)
  %8 = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr addrspace(1) @n to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @i to ptr addrspace(4)), ptr addrspace(4) %1)
  call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr addrspace(1) @n2 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @i to ptr addrspace(4)), ptr addrspace(4) %1)
  %10 = call spir_func i1 @_Z37__sycl_getScalar2020SpecConstantValueIbET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr addrspace(1) @n4 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @b to ptr addrspace(4)), ptr addrspace(4) %1)
  br i1 %10, label %4, label %12

11:
  br label %12

12:
  %13 = phi i32 [ %5, %4 ], [ %7, %6 ], [ 0, %11 ]
  switch i32 %7, label %14 [ i32 0, label %14
    i32 5, label %15 ]

14:
  store i32 %13, ptr addrspace(1) %0
  unreachable

15:
  %16 = select i1 %10, i32 %7, i32 %13
  store i32 %16, ptr addrspace(1) %0
  ret void
}

; composites of several types through sret in several spellings
define spir_kernel void @composites(ptr addrspace(1) %out, ptr addrspace(4) %buf) #0 {
entry:
  %s = alloca %S, align 4
  %p = alloca %P, align 1
  %n = alloca %N, align 8
  %s4 = addrspacecast ptr %s to ptr addrspace(4)
  call spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI1SET_PKcPKvS5_(ptr addrspace(4) sret(%S) align 4 %s4, ptr addrspace(4) addrspacecast (ptr addrspace(1) @n3 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @s to ptr addrspace(4)), ptr addrspace(4) %buf) #1
  %p4 = addrspacecast ptr %p to ptr addrspace(4)
  call spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI1PET_PKcPKvS5_(ptr addrspace(4) %p4, ptr addrspace(4) addrspacecast (ptr addrspace(1) @n5 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @p to ptr addrspace(4)), ptr addrspace(4) %buf)
  %n4 = addrspacecast ptr %n to ptr addrspace(4)
  call spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI1NET_PKcPKvS5_(ptr addrspace(4) noalias sret(%N) align 8 "text"="x" %n4, ptr addrspace(4) addrspacecast (ptr addrspace(1) @n6 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @N to ptr addrspace(4)), ptr addrspace(4) %buf), !other !20
  ret void
}

; a call that returns at once what it reads, and one whose buffer another constant moves
define internal i32 @forwards(ptr addrspace(4) %name, ptr addrspace(4) %value, ptr addrspace(4) %buf) {
  %r = musttail call i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_.c(ptr addrspace(4) addrspacecast (ptr addrspace(1) @n to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @i to ptr addrspace(4)), ptr addrspace(4) %buf)
  ret i32 %r
}

define spir_kernel void @chained(ptr addrspace(1) %out, ptr addrspace(4) %buf) #0 {
  %a = call i32 @forwards(ptr addrspace(4) null, ptr addrspace(4) null, ptr addrspace(4) %buf)
  %1 = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr addrspace(1) @n2 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @i to ptr addrspace(4)), ptr addrspace(4) %buf)
  %2 = getelementptr inbounds i8, ptr addrspace(4) %buf, i32 %1
  %3 = call spir_func half @_Z37__sycl_getScalar2020SpecConstantValueIDhET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr addrspace(1) @n7 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @h to ptr addrspace(4)), ptr addrspace(4) %2)
  %4 = fptosi half %3 to i32
  %5 = add i32 %4, %a
  store i32 %5, ptr addrspace(1) %out
  ret void
}

; calls that are invoked, before and after one that goes
define spir_kernel void @invokes(ptr addrspace(1) %out, ptr addrspace(4) %buf) #0 personality ptr @personality {
  invoke void @other(ptr addrspace(4) %buf) [ "deopt"(i32 1) ]
          to label %1 unwind label %3

1:
  %2 = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr addrspace(1) @n to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @i to ptr addrspace(4)), ptr addrspace(4) %buf)
  call void @other(ptr addrspace(4) %buf)
  store i32 %2, ptr addrspace(1) %out
  ret void

3:
  %4 = landingpad { ptr, i32 }
          cleanup
  resume { ptr, i32 } %4
}

; variables on the stack, one of which a bundle reads as well
define spir_kernel void @slots(ptr addrspace(1) %out, ptr addrspace(4) %buf) #0 {
entry:
  %slot = alloca ptr addrspace(4), align 8
  %other = alloca ptr addrspace(4), align 8
  store ptr addrspace(4) addrspacecast (ptr addrspace(1) @n to ptr addrspace(4)), ptr %slot, align 8, !other !20
  store ptr addrspace(4) addrspacecast (ptr addrspace(1) @i to ptr addrspace(4)), ptr %other, align 8
  %name = load ptr addrspace(4), ptr %slot, align 8
  %value = load ptr addrspace(4), ptr %other, align 8
  %a = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) %name, ptr addrspace(4) %value, ptr addrspace(4) %buf)
  call void @other(ptr addrspace(4) %buf) [ "deopt"(ptr addrspace(4) %value) ]
  store i32 %a, ptr addrspace(1) %out
  ret void
}

; metadata and locations
define spir_kernel void @locations(ptr addrspace(1) %out, ptr addrspace(4) %buf) #0 !dbg !5 {
entry:
  %a = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr addrspace(1) @n to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @i to ptr addrspace(4)), ptr addrspace(4) %buf), !dbg !7, !other !20, !range !21
  call void @llvm.dbg.value(metadata i32 %a, metadata !10, metadata !DIExpression()), !dbg !7
  call void @llvm.dbg.value(metadata !DIArgList(i32 %a, i32 %a), metadata !10, metadata !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value)), !dbg !7
  %h = call spir_func half @_Z37__sycl_getScalar2020SpecConstantValueIDhET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr addrspace(1) @n7 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @h to ptr addrspace(4)), ptr addrspace(4) %buf), !other !20, !dbg !DILocation(line: 8, column: 3, scope: !5, inlinedAt: !12)
  %b = fptosi half %h to i32, !dbg !DILocation(line: 8, column: 3, scope: !5, inlinedAt: !12)
  store i32 %a, ptr addrspace(1) %out, !dbg !9
  store i32 %b, ptr addrspace(1) %out, !dbg !9
  %c = call spir_func i1 @_Z37__sycl_getScalar2020SpecConstantValueIbET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr addrspace(1) @n4 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @b to ptr addrspace(4)), ptr addrspace(4) %buf), !dbg !9
  br i1 %c, label %x, label %x, !dbg !9, !prof !22
x:
  ret void, !dbg !9
}

declare void @llvm.dbg.value(metadata, metadata, metadata)
declare void @other(ptr addrspace(4))
declare i32 @personality(...)
declare i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_.c(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func float @_Z37__sycl_getScalar2020SpecConstantValueIfET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func half @_Z37__sycl_getScalar2020SpecConstantValueIDhET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func i1 @_Z37__sycl_getScalar2020SpecConstantValueIbET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI1SET_PKcPKvS5_(ptr addrspace(4) sret(%S), ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI1PET_PKcPKvS5_(ptr addrspace(4) sret(%P), ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI1NET_PKcPKvS5_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))

attributes #0 = { "sycl-module-id"="shapes.cpp" }
attributes #1 = { convergent nounwind "only"="here" }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, producer: "x", isOptimized: false, emissionKind: FullDebug)
!1 = !DIFile(filename: "shapes.cpp", directory: "/")
!2 = !{i32 7, !"Dwarf Version", i32 4}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !6)
!5 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 1, type: !4, spFlags: DISPFlagDefinition, unit: !0)
!6 = !{null}
!7 = !DILocation(line: 3, column: 1, scope: !5)
!9 = !DILocation(line: 4, column: 2, scope: !5)
!10 = !DILocalVariable(name: "v", scope: !5, file: !1, line: 2, type: !11)
!11 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!12 = distinct !DILocation(line: 6, column: 2, scope: !5)
!20 = !{float 2.5}
!21 = !{i32 0, i32 9}
!22 = !{!"branch_weights", i32 1, i32 2}
