; bitcode of LLVM 21, printed by LLVM 22.1.0 (llvmlite 0.50.0)
source_filename = "scratch.cpp"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

$_ZTS2S1 = comdat any

$_ZTS2S2 = comdat any

$_ZTS2S3 = comdat any

@__spirv_BuiltInLocalInvocationId = external dso_local local_unnamed_addr addrspace(1) constant <3 x i64>, align 32
@WGLocalMem = internal unnamed_addr addrspace(3) global [64 x i8] poison, align 4
@__sycl_dynamicLocalMemoryPlaceholder_GV = linkonce_odr local_unnamed_addr addrspace(3) global ptr addrspace(3) poison

; Function Attrs: convergent mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS2S1(ptr addrspace(1) noundef align 4 %0, ptr addrspace(3) noalias "sycl-implicit-local-arg" %1) local_unnamed_addr #0 comdat !kernel_arg_buffer_location !6 !sycl_fixed_targets !7 !sycl_kernel_omit_args !8 {
  store ptr addrspace(3) %1, ptr addrspace(3) @__sycl_dynamicLocalMemoryPlaceholder_GV, align 8
  %3 = load i32, ptr addrspace(1) %0, align 4, !tbaa !9
  %4 = load i64, ptr addrspace(1) @__spirv_BuiltInLocalInvocationId, align 32, !noalias !13
  %5 = icmp ult i64 %4, 2147483648
  tail call void @llvm.assume(i1 %5)
  %6 = getelementptr inbounds i32, ptr addrspace(3) %1, i64 %4
  store i32 %3, ptr addrspace(3) %6, align 4, !tbaa !9
  tail call spir_func void @_Z22__spirv_ControlBarrieriii(i32 noundef 2, i32 noundef 2, i32 noundef 912) #5
  %7 = getelementptr inbounds i32, ptr addrspace(3) %1, i64 2
  %8 = load i32, ptr addrspace(3) %7, align 4, !tbaa !9
  %9 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 1
  store i32 %8, ptr addrspace(1) %9, align 4, !tbaa !9
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #1

; Function Attrs: convergent nounwind
declare dso_local spir_func void @_Z22__spirv_ControlBarrieriii(i32 noundef, i32 noundef, i32 noundef) local_unnamed_addr #2

; Function Attrs: mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS2S2(ptr addrspace(1) noundef align 4 %0, ptr addrspace(3) noalias "sycl-implicit-local-arg" %1) local_unnamed_addr #3 comdat !kernel_arg_buffer_location !6 !sycl_fixed_targets !7 !sycl_kernel_omit_args !8 {
  store ptr addrspace(3) %1, ptr addrspace(3) @__sycl_dynamicLocalMemoryPlaceholder_GV, align 8
  %3 = load i64, ptr addrspace(1) @__spirv_BuiltInLocalInvocationId, align 32, !noalias !20
  %4 = icmp ult i64 %3, 2147483648
  tail call void @llvm.assume(i1 %4)
  %5 = getelementptr inbounds [16 x i32], ptr addrspace(3) @WGLocalMem, i64 0, i64 %3
  store i32 3, ptr addrspace(3) %5, align 4, !tbaa !9
  %6 = load i32, ptr addrspace(3) getelementptr inbounds (i8, ptr addrspace(3) @WGLocalMem, i64 8), align 4, !tbaa !9
  store i32 %6, ptr addrspace(1) %0, align 4, !tbaa !9
  ret void
}

; Function Attrs: mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS2S3(ptr addrspace(1) noundef align 4 %0) local_unnamed_addr #4 comdat !kernel_arg_buffer_location !27 !sycl_fixed_targets !7 !sycl_kernel_omit_args !28 {
  store i32 3, ptr addrspace(1) %0, align 4, !tbaa !9
  ret void
}

declare dso_local spir_func i32 @_Z18__spirv_ocl_printfPU3AS2Kcz(ptr addrspace(2), ...)

attributes #0 = { convergent mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="/scratch.cpp" "sycl-optlevel"="2" "sycl-work-group-static"="1" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
attributes #2 = { convergent nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #3 = { mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="/scratch.cpp" "sycl-optlevel"="2" "sycl-work-group-static" "uniform-work-group-size"="true" }
attributes #4 = { mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="/scratch.cpp" "sycl-optlevel"="2" "sycl-single-task" "uniform-work-group-size"="true" }
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
!6 = !{i32 -1, i32 -1}
!7 = !{}
!8 = !{i1 false, i1 false}
!9 = !{!10, !10, i64 0}
!10 = !{!"int", !11, i64 0}
!11 = !{!"omnipotent char", !12, i64 0}
!12 = !{!"Simple C++ TBAA"}
!13 = !{!14, !16, !18}
!14 = distinct !{!14, !15, !"_ZN7__spirv28InitSizesSTLocalInvocationIdILi1EN4sycl3_V12idILi1EEEE8initSizeEv: argument 0"}
!15 = distinct !{!15, !"_ZN7__spirv28InitSizesSTLocalInvocationIdILi1EN4sycl3_V12idILi1EEEE8initSizeEv"}
!16 = distinct !{!16, !17, !"_ZN7__spirv21initLocalInvocationIdILi1EN4sycl3_V12idILi1EEEEET0_v: argument 0"}
!17 = distinct !{!17, !"_ZN7__spirv21initLocalInvocationIdILi1EN4sycl3_V12idILi1EEEEET0_v"}
!18 = distinct !{!18, !19, !"_ZNK4sycl3_V17nd_itemILi1EE12get_local_idEv: argument 0"}
!19 = distinct !{!19, !"_ZNK4sycl3_V17nd_itemILi1EE12get_local_idEv"}
!20 = !{!21, !23, !25}
!21 = distinct !{!21, !22, !"_ZN7__spirv28InitSizesSTLocalInvocationIdILi1EN4sycl3_V12idILi1EEEE8initSizeEv: argument 0"}
!22 = distinct !{!22, !"_ZN7__spirv28InitSizesSTLocalInvocationIdILi1EN4sycl3_V12idILi1EEEE8initSizeEv"}
!23 = distinct !{!23, !24, !"_ZN7__spirv21initLocalInvocationIdILi1EN4sycl3_V12idILi1EEEEET0_v: argument 0"}
!24 = distinct !{!24, !"_ZN7__spirv21initLocalInvocationIdILi1EN4sycl3_V12idILi1EEEEET0_v"}
!25 = distinct !{!25, !26, !"_ZNK4sycl3_V17nd_itemILi1EE12get_local_idEv: argument 0"}
!26 = distinct !{!26, !"_ZNK4sycl3_V17nd_itemILi1EE12get_local_idEv"}
!27 = !{i32 -1}
!28 = !{i1 false}
