; bitcode of LLVM 21, printed by LLVM 22.1.0 (llvmlite 0.50.0)
source_filename = "funcptr.cpp"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

$_ZTS2K1 = comdat any

$_ZTS2K2 = comdat any

$_ZTS2K3 = comdat any

$_ZTS2K4 = comdat any

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define dso_local spir_func noundef range(i32 -2147483647, -2147483648) i32 @_Z3inci(i32 noundef %0) #0 !sycl_fixed_targets !6 {
  %2 = add nsw i32 %0, 1
  ret i32 %2
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define dso_local spir_func noundef range(i32 -2147483648, 2147483647) i32 @_Z3deci(i32 noundef %0) #0 !sycl_fixed_targets !6 {
  %2 = add nsw i32 %0, -1
  ret i32 %2
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define dso_local spir_func noundef double @_Z7half_ofd(double noundef %0) local_unnamed_addr #0 !sycl_used_aspects !7 !sycl_fixed_targets !6 {
  %2 = fmul double %0, 5.000000e-01
  ret double %2
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define dso_local spir_func noundef i32 @_Z5plaini(i32 noundef %0) local_unnamed_addr #1 !sycl_fixed_targets !6 {
  %2 = mul nsw i32 %0, 3
  ret i32 %2
}

; Function Attrs: convergent mustprogress norecurse nounwind
define dso_local spir_func noundef i32 @_Z7call_itPFiiEi(ptr noundef readonly captures(none) %0, i32 noundef %1) local_unnamed_addr #2 !sycl_fixed_targets !6 {
  %3 = tail call spir_func noundef i32 %0(i32 noundef %1) #5
  ret i32 %3
}

; Function Attrs: mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS2K1(ptr addrspace(1) noundef align 8 %0, ptr addrspace(1) noundef align 4 %1) local_unnamed_addr #3 comdat !kernel_arg_buffer_location !9 !sycl_fixed_targets !6 !sycl_kernel_omit_args !10 {
  store ptr @_Z3inci, ptr addrspace(1) %0, align 8, !tbaa !11
  %3 = load i32, ptr addrspace(1) %1, align 4, !tbaa !15
  %4 = icmp eq i32 %3, 0
  %5 = select i1 %4, ptr @_Z3deci, ptr @_Z3inci
  %6 = getelementptr inbounds ptr, ptr addrspace(1) %0, i64 1
  store ptr %5, ptr addrspace(1) %6, align 8, !tbaa !11
  %7 = getelementptr inbounds i32, ptr addrspace(1) %1, i64 2
  %8 = load i32, ptr addrspace(1) %7, align 4, !tbaa !15
  %9 = mul nsw i32 %8, 15
  %10 = getelementptr inbounds i32, ptr addrspace(1) %1, i64 1
  store i32 %9, ptr addrspace(1) %10, align 4, !tbaa !15
  ret void
}

; Function Attrs: convergent mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS2K2(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 8 %1) local_unnamed_addr #4 comdat !kernel_arg_buffer_location !9 !sycl_fixed_targets !6 !sycl_kernel_omit_args !10 {
  %3 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 1
  %4 = load i32, ptr addrspace(1) %3, align 4, !tbaa !15
  %5 = sext i32 %4 to i64
  %6 = getelementptr inbounds ptr, ptr addrspace(1) %1, i64 %5
  %7 = load ptr, ptr addrspace(1) %6, align 8, !tbaa !11
  %8 = tail call spir_func noundef i32 %7(i32 noundef 3) #5
  store i32 %8, ptr addrspace(1) %0, align 4, !tbaa !15
  ret void
}

; Function Attrs: convergent mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS2K3(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 8 %1, ptr addrspace(1) noundef align 8 %2) local_unnamed_addr #4 comdat !kernel_arg_buffer_location !17 !sycl_used_aspects !7 !sycl_fixed_targets !6 !sycl_kernel_omit_args !18 {
  %4 = load i32, ptr addrspace(1) %0, align 4, !tbaa !15
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %9, label %6

6:                                                ; preds = %3
  %7 = getelementptr inbounds ptr, ptr addrspace(1) %1, i64 3
  %8 = load ptr, ptr addrspace(1) %7, align 8, !tbaa !11
  br label %9

9:                                                ; preds = %6, %3
  %10 = phi ptr [ %8, %6 ], [ @_Z7half_ofd, %3 ]
  %11 = getelementptr inbounds double, ptr addrspace(1) %2, i64 1
  %12 = load double, ptr addrspace(1) %11, align 8, !tbaa !19
  %13 = tail call spir_func noundef double %10(double noundef %12) #5
  store double %13, ptr addrspace(1) %2, align 8, !tbaa !19
  ret void
}

; Function Attrs: mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS2K4(ptr addrspace(1) noundef align 4 %0) local_unnamed_addr #3 comdat !kernel_arg_buffer_location !21 !sycl_fixed_targets !6 !sycl_kernel_omit_args !22 {
  %2 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 1
  store i32 2, ptr addrspace(1) %2, align 4, !tbaa !15
  ret void
}

declare dso_local spir_func i32 @_Z18__spirv_ocl_printfPU3AS2Kcz(ptr addrspace(2), ...)

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "referenced-indirectly" "stack-protector-buffer-size"="8" "sycl-module-id"="/funcptr.cpp" "sycl-optlevel"="2" }
attributes #1 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="/funcptr.cpp" "sycl-optlevel"="2" }
attributes #2 = { convergent mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="/funcptr.cpp" "sycl-optlevel"="2" }
attributes #3 = { mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="/funcptr.cpp" "sycl-optlevel"="2" "sycl-single-task" "uniform-work-group-size"="true" }
attributes #4 = { convergent mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="/funcptr.cpp" "sycl-optlevel"="2" "sycl-single-task" "uniform-work-group-size"="true" }
attributes #5 = { convergent nounwind }

!llvm.module.flags = !{!0, !1, !2}
!opencl.spir.version = !{!3}
!spirv.Source = !{!4}
!llvm.ident = !{!5}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 1, !"sycl-device", i32 1}
!2 = !{i32 7, !"frame-pointer", i32 2}
!3 = !{i32 1, i32 2}
!4 = !{i32 4, i32 100000}
!5 = !{!"Intel(R) oneAPI DPC++/C++ Compiler 2025.3.3 (2025.3.3.20260319)"}
!6 = !{}
!7 = !{!8}
!8 = !{!"fp64", i32 6}
!9 = !{i32 -1, i32 -1}
!10 = !{i1 false, i1 false}
!11 = !{!12, !12, i64 0}
!12 = !{!"any pointer", !13, i64 0}
!13 = !{!"omnipotent char", !14, i64 0}
!14 = !{!"Simple C++ TBAA"}
!15 = !{!16, !16, i64 0}
!16 = !{!"int", !13, i64 0}
!17 = !{i32 -1, i32 -1, i32 -1}
!18 = !{i1 false, i1 false, i1 false}
!19 = !{!20, !20, i64 0}
!20 = !{!"double", !13, i64 0}
!21 = !{i32 -1}
!22 = !{i1 false}
