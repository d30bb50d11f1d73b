; accepted by 19
; Debug records, target types, newer flags and constants.
target triple = "spir64"
@i = external global ptr
@pa = constant ptr ptrauth (ptr @i, i32 0, i64 65535, ptr @i)
@sp = global <4 x i32> splat (i32 7)
@gr = global ptr getelementptr inbounds nuw inrange(-8, 16) (i8, ptr @arr, i64 8)
@arr = global [24 x i8] zeroinitializer, code_model "large"
define spir_kernel void @f(i32 %x, target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image, target("spirv.Sampler") %s, ptr %p) !dbg !10 {
    #dbg_value(i32 %x, !14, !DIExpression(), !15)
    #dbg_declare(ptr %p, !14, !DIExpression(DW_OP_deref), !15)
    #dbg_value(!DIArgList(i32 %x, i32 5), !14, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus), !15)
    #dbg_value(ptr @i, !14, !DIExpression(), !15)
    #dbg_label(!16, !15)
  %1 = trunc nuw nsw i32 %x to i8, !dbg !15
    #dbg_assign(i32 %x, !14, !DIExpression(), !17, ptr %p, !DIExpression(), !15)
  %2 = zext nneg i8 %1 to i32, !dbg !15
  %3 = uitofp nneg i32 %2 to float, !dbg !15
  %4 = or disjoint i32 %2, 1, !dbg !15
  %5 = getelementptr inbounds nuw i8, ptr %p, i64 1, !dbg !15
  %6 = getelementptr nusw nuw i8, ptr %p, i64 1, !dbg !15
  %7 = call range(i32 0, 5) i32 @callee(ptr dead_on_unwind writable %p), !dbg !15
  store target("spirv.Sampler") %s, ptr %p, align 8, !dbg !15
  ret void, !dbg !15
}
declare i32 @callee(ptr)
declare nofpclass(nan inf) float @g(float nofpclass(qnan) %x)
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!7}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "a", directory: "")
!7 = !{i32 2, !"Debug Info Version", i32 3}
!9 = !DISubroutineType(types: !{null})
!10 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 3, type: !9, scopeLine: 3, spFlags: DISPFlagDefinition, unit: !0)
!14 = !DILocalVariable(name: "x", scope: !10, file: !1, line: 3)
!15 = !DILocation(line: 3, column: 1, scope: !10)
!16 = !DILabel(scope: !10, name: "l", file: !1, line: 4)
!17 = distinct !DIAssignID()
