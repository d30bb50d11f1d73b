; bitcode of LLVM 23, printed by LLVM 22.1.0 (llvmlite 0.50.0)
source_filename = "funcptr.cpp"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

$_ZTS2K1 = comdat any

$_ZTS2K2 = comdat any

$_ZTS2K3 = comdat any

$_ZTS2K4 = comdat any

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define dso_local spir_func noundef range(i32 -2147483647, -2147483648) i32 @_Z3inci(i32 noundef %0) #0 !sycl_fixed_targets !10 {
  %2 = add nsw i32 %0, 1
  ret i32 %2
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define dso_local spir_func noundef range(i32 -2147483648, 2147483647) i32 @_Z3deci(i32 noundef %0) #0 !sycl_fixed_targets !10 {
  %2 = add nsw i32 %0, -1
  ret i32 %2
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define dso_local spir_func noundef double @_Z7half_ofd(double noundef %0) local_unnamed_addr #0 !sycl_used_aspects !11 !sycl_fixed_targets !10 {
  %2 = fmul double %0, 5.000000e-01
  ret double %2
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define dso_local spir_func noundef i32 @_Z5plaini(i32 noundef %0) local_unnamed_addr #1 !sycl_fixed_targets !10 {
  %2 = mul nsw i32 %0, 3
  ret i32 %2
}

; Function Attrs: convergent mustprogress norecurse nounwind
define dso_local spir_func noundef i32 @_Z7call_itPFiiEi(ptr nofree noundef readonly captures(none) %0, i32 noundef %1) local_unnamed_addr #2 !sycl_fixed_targets !10 {
  %3 = tail call spir_func noundef i32 %0(i32 noundef %1) #5
  ret i32 %3
}

; Function Attrs: mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS2K1(ptr addrspace(1) noundef align 8 %0, ptr addrspace(1) noundef align 4 %1) local_unnamed_addr #3 comdat !sycl_fixed_targets !10 !sycl_kernel_omit_args !13 {
  store ptr @_Z3inci, ptr addrspace(1) %0, align 8, !tbaa !14
  %3 = load i32, ptr addrspace(1) %1, align 4, !tbaa !16
  %4 = icmp eq i32 %3, 0
  %5 = select i1 %4, ptr @_Z3deci, ptr @_Z3inci
  %6 = getelementptr inbounds ptr, ptr addrspace(1) %0, i64 1
  store ptr %5, ptr addrspace(1) %6, align 8, !tbaa !14
  %7 = getelementptr inbounds i32, ptr addrspace(1) %1, i64 2
  %8 = load i32, ptr addrspace(1) %7, align 4, !tbaa !16
  %9 = mul nsw i32 %8, 15
  %10 = getelementptr inbounds i32, ptr addrspace(1) %1, i64 1
  store i32 %9, ptr addrspace(1) %10, align 4, !tbaa !16
  ret void
}

; Function Attrs: convergent mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS2K2(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 8 %1) local_unnamed_addr #4 comdat !sycl_fixed_targets !10 !sycl_kernel_omit_args !13 {
  %3 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 1
  %4 = load i32, ptr addrspace(1) %3, align 4, !tbaa !16
  %5 = sext i32 %4 to i64
  %6 = getelementptr inbounds ptr, ptr addrspace(1) %1, i64 %5
  %7 = load ptr, ptr addrspace(1) %6, align 8, !tbaa !14
  %8 = tail call spir_func noundef i32 %7(i32 noundef 3) #5, !inline_history !17
  store i32 %8, ptr addrspace(1) %0, align 4, !tbaa !16
  ret void
}

; Function Attrs: convergent mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS2K3(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 8 %1, ptr addrspace(1) noundef align 8 %2) local_unnamed_addr #4 comdat !sycl_used_aspects !11 !sycl_fixed_targets !10 !sycl_kernel_omit_args !18 {
  %4 = load i32, ptr addrspace(1) %0, align 4, !tbaa !16
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %9, label %6

6:                                                ; preds = %3
  %7 = getelementptr inbounds ptr, ptr addrspace(1) %1, i64 3
  %8 = load ptr, ptr addrspace(1) %7, align 8, !tbaa !14
  br label %9

9:                                                ; preds = %6, %3
  %10 = phi ptr [ %8, %6 ], [ @_Z7half_ofd, %3 ]
  %11 = getelementptr inbounds double, ptr addrspace(1) %2, i64 1
  %12 = load double, ptr addrspace(1) %11, align 8, !tbaa !19
  %13 = tail call spir_func noundef double %10(double noundef %12) #5, !inline_history !21
  store double %13, ptr addrspace(1) %2, align 8, !tbaa !19
  ret void
}

; Function Attrs: mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS2K4(ptr addrspace(1) noundef align 4 %0) local_unnamed_addr #3 comdat !sycl_fixed_targets !10 !sycl_kernel_omit_args !22 {
  %2 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 1
  store i32 2, ptr addrspace(1) %2, align 4, !tbaa !16
  ret void
}

declare dso_local spir_func i32 @_Z18__spirv_ocl_printfPU3AS2Kcz(ptr addrspace(2), ...)

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "referenced-indirectly" "stack-protector-buffer-size"="8" "sycl-module-id"="funcptr.cpp" "sycl-optlevel"="2" "uniform-work-group-size" }
attributes #1 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="funcptr.cpp" "sycl-optlevel"="2" "uniform-work-group-size" }
attributes #2 = { convergent mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="funcptr.cpp" "sycl-optlevel"="2" "uniform-work-group-size" }
attributes #3 = { mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="funcptr.cpp" "sycl-optlevel"="2" "sycl-single-task" "uniform-work-group-size" }
attributes #4 = { convergent mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="funcptr.cpp" "sycl-optlevel"="2" "sycl-single-task" "uniform-work-group-size" }
attributes #5 = { convergent nounwind "uniform-work-group-size" }

!llvm.module.flags = !{!0, !1}
!opencl.spir.version = !{!2}
!spirv.Source = !{!3}
!llvm.ident = !{!4}
!llvm.errno.tbaa = !{!5}

!0 = !{i32 1, !"sycl-device", i32 1}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{i32 1, i32 2}
!3 = !{i32 4, i32 100000}
!4 = !{!"Intel(R) oneAPI DPC++/C++ Compiler 2026.2.0 (2026.2.0.20261001)"}
!5 = !{!6, !7, i64 0}
!6 = !{!"__libc_errno", !7, i64 0}
!7 = !{!"int", !8, i64 0}
!8 = !{!"omnipotent char", !9, i64 0}
!9 = !{!"Simple C++ TBAA"}
!10 = !{}
!11 = !{!12}
!12 = !{!"fp64", i32 6}
!13 = !{i1 false, i1 false}
!14 = !{!15, !15, i64 0}
!15 = !{!"any pointer", !8, i64 0}
!16 = !{!7, !7, i64 0}
!17 = !{ptr @_Z7call_itPFiiEi}
!18 = !{i1 false, i1 false, i1 false}
!19 = !{!20, !20, i64 0}
!20 = !{!"double", !8, i64 0}
!21 = distinct !{null}
!22 = !{i1 false}
