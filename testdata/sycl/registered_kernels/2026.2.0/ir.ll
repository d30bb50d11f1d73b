; bitcode of LLVM 23, printed by LLVM 22.1.0 (llvmlite 0.50.0)
source_filename = "registered.cpp"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

$_ZN16__sycl_kernel_ns3oneIiEEvPT_S1_ = comdat any

$_ZN16__sycl_kernel_ns3twoILi3EfEEvPT0_ = comdat any

; Function Attrs: convergent mustprogress nofree norecurse nounwind willreturn memory(argmem: write, inaccessiblemem: write)
define dso_local spir_kernel void @_ZN16__sycl_kernel_ns4iotaEfPf(float noundef %0, ptr addrspace(1) nofree noundef writeonly align 4 captures(none) %1) local_unnamed_addr #0 !sycl_fixed_targets !15 {
  %3 = tail call spir_func noundef i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 noundef 0) #6
  %4 = tail call spir_func noundef i64 @_Z27__spirv_BuiltInGlobalOffseti(i32 noundef 0) #6
  %5 = sub i64 %3, %4
  %6 = icmp ult i64 %5, 2147483648
  tail call void @llvm.assume(i1 %6)
  %7 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %5
  store float %0, ptr addrspace(1) %7, align 4, !tbaa !16
  ret void
}

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare dso_local spir_func noundef i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 noundef) local_unnamed_addr #1

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare dso_local spir_func noundef i64 @_Z27__spirv_BuiltInGlobalOffseti(i32 noundef) local_unnamed_addr #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #2

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: write)
define dso_local spir_kernel void @__sycl_kernel_ckern(ptr addrspace(1) nofree noundef writeonly align 8 captures(none) %0) local_unnamed_addr #3 !sycl_used_aspects !18 !sycl_fixed_targets !15 {
  store double 3.000000e+00, ptr addrspace(1) %0, align 8, !tbaa !20
  ret void
}

; Function Attrs: mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZN16__sycl_kernel_ns3oneIiEEvPT_S1_(ptr addrspace(1) noundef align 4 %0, i32 noundef %1) local_unnamed_addr #4 comdat !sycl_fixed_targets !15 {
  store i32 1, ptr addrspace(1) %0, align 4, !tbaa !22
  ret void
}

; Function Attrs: mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZN16__sycl_kernel_ns3twoILi3EfEEvPT0_(ptr addrspace(1) noundef align 4 %0) local_unnamed_addr #5 comdat !sycl_fixed_targets !15 {
  %2 = getelementptr inbounds float, ptr addrspace(1) %0, i64 3
  store float 1.000000e+00, ptr addrspace(1) %2, align 4, !tbaa !16
  ret void
}

declare dso_local spir_func i32 @_Z18__spirv_ocl_printfPU3AS2Kcz(ptr addrspace(2), ...)

attributes #0 = { convergent mustprogress nofree norecurse nounwind willreturn memory(argmem: write, inaccessiblemem: write) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="registered.cpp" "sycl-nd-range-kernel"="1" "sycl-optlevel"="2" "uniform-work-group-size" }
attributes #1 = { convergent mustprogress nofree nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size" }
attributes #2 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
attributes #3 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: write) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="registered.cpp" "sycl-optlevel"="2" "sycl-single-task-kernel"="0" "uniform-work-group-size" }
attributes #4 = { mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="registered.cpp" "sycl-optlevel"="2" "sycl-single-task-kernel"="0" "uniform-work-group-size" }
attributes #5 = { mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="registered.cpp" "sycl-nd-range-kernel"="2" "sycl-optlevel"="2" "uniform-work-group-size" }
attributes #6 = { convergent nounwind willreturn memory(none) "uniform-work-group-size" }

!llvm.module.flags = !{!0, !1}
!opencl.spir.version = !{!2}
!spirv.Source = !{!3}
!sycl_registered_kernels = !{!4}
!llvm.ident = !{!9}
!llvm.errno.tbaa = !{!10}

!0 = !{i32 1, !"sycl-device", i32 1}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{i32 1, i32 2}
!3 = !{i32 4, i32 100000}
!4 = !{!5, !6, !7, !8}
!5 = !{!"iota", !"_ZN16__sycl_kernel_ns4iotaEfPf"}
!6 = !{!"ckern", !"__sycl_kernel_ckern"}
!7 = !{!"ns::one<int>", !"_ZN16__sycl_kernel_ns3oneIiEEvPT_S1_"}
!8 = !{!"my two \22q\22", !"_ZN16__sycl_kernel_ns3twoILi3EfEEvPT0_"}
!9 = !{!"Intel(R) oneAPI DPC++/C++ Compiler 2026.2.0 (2026.2.0.20261001)"}
!10 = !{!11, !12, i64 0}
!11 = !{!"__libc_errno", !12, i64 0}
!12 = !{!"int", !13, i64 0}
!13 = !{!"omnipotent char", !14, i64 0}
!14 = !{!"Simple C++ TBAA"}
!15 = !{}
!16 = !{!17, !17, i64 0}
!17 = !{!"float", !13, i64 0}
!18 = !{!19}
!19 = !{!"fp64", i32 6}
!20 = !{!21, !21, i64 0}
!21 = !{!"double", !13, i64 0}
!22 = !{!12, !12, i64 0}
