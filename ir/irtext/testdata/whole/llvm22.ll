; accepted by 22
; What LLVM 20 to 22 brought.
target triple = "spir64"
@arr = global [24 x i8] zeroinitializer, align 4
@sp = global <4 x i32> splat (i32 7)
define spir_func range(i32 0, 5) i32 @f(i32 %x, ptr captures(address, provenance) initializes((0, 8), (16, 24)) dead_on_return %p, ptr captures(ret: address, provenance) %q) nocreateundeforpoison memory(argmem: read, errnomem: none, target_mem0: none) {
  %1 = icmp samesign ult i32 %x, 5
  %2 = trunc nuw nsw i32 %x to i8
  %3 = uitofp nneg i32 %x to float
  %4 = getelementptr nusw nuw i8, ptr %p, i64 1
  %5 = ptrtoaddr ptr %p to i64
  %6 = call i32 @g(ptr captures(none) %p), !mmra !0
  call void @llvm.lifetime.end.p0(ptr poison)
  %7 = atomicrmw usub_cond ptr %p, i32 1 seq_cst, align 4
  %8 = atomicrmw fmaximum ptr %p, float 1.0 syncscope("workgroup") seq_cst
  %9 = fcmp nnan oeq float %3, 1.5
  %10 = select nnan i1 %9, float %3, float %3
  %11 = fpext nnan float %10 to double
  ret i32 %6
}
declare i32 @g(ptr)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #0
attributes #0 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
!0 = !{!"a", !"b"}
!1 = !{!2}
!2 = !DISubrangeType(name: "r", size: 32, baseType: !3, lowerBound: i64 1, upperBound: i64 5)
!3 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!4 = !DIFixedPointType(name: "fx", size: 32, encoding: DW_ATE_signed_fixed, kind: Binary, factor: -4)
!5 = distinct !{!5, !1, !4}
!all = !{!5}
