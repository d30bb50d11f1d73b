; bitcode of LLVM 19, printed by LLVM 22.1.0 (llvmlite 0.50.0)
source_filename = "llvm-link"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

%struct.Pod = type { i32, i8, [3 x double] }
%"class.sycl::_V1::ext::oneapi::experimental::device_global.0" = type { %"class.sycl::_V1::ext::oneapi::experimental::detail::device_global_base.1" }
%"class.sycl::_V1::ext::oneapi::experimental::detail::device_global_base.1" = type { ptr addrspace(1), double }

$_ZTS1A = comdat any

$_ZTS1B = comdat any

$_ZTS1C = comdat any

$_ZTS1D = comdat any

$_ZTS1H = comdat any

$_ZTS1I = comdat any

$_ZTS2E2 = comdat any

$_ZTS1F = comdat any

$_ZTS1G = comdat any

$_Z7tmpl_dgIiLi3EE = comdat any

$_ZN6Holder7imemberE = comdat any

$_Z7tmpl_dgIfLi5EE = comdat any

$_ZN3cfg3inlE = comdat any

@llvm.compiler.used = appending addrspace(1) global [4 x ptr addrspace(4)] [ptr addrspace(4) addrspacecast (ptr addrspace(1) @_ZL7stat_dg to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @_ZN12_GLOBAL__N_18anon_podE to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @_ZL7stat_dg.4 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @_ZN12_GLOBAL__N_18anon_podE.5 to ptr addrspace(4))], section "llvm.metadata"
@_Z7tmpl_dgIiLi3EE = linkonce_odr dso_local local_unnamed_addr addrspace(1) global { ptr addrspace(1), [3 x i32] } zeroinitializer, comdat, align 8, !spirv.Decorations !0 #0
@_ZN12_GLOBAL__N_18anon_podE = internal addrspace(1) global { ptr addrspace(1), %struct.Pod } zeroinitializer, align 8, !spirv.Decorations !2 #1
@only_one = dso_local local_unnamed_addr addrspace(1) global { i8 } zeroinitializer, align 1, !spirv.Decorations !4 #2
@_ZL7stat_dg = internal addrspace(1) global { ptr addrspace(1), [7 x i16] } zeroinitializer, align 8, !spirv.Decorations !6 #3
@csr = dso_local local_unnamed_addr addrspace(1) global { ptr addrspace(1), i64 } zeroinitializer, align 8, !spirv.Decorations !8 #4
@_ZN6Holder6memberE = dso_local local_unnamed_addr addrspace(1) global { ptr addrspace(1), i8 } zeroinitializer, align 8, !spirv.Decorations !10 #5
@_ZN6Holder7imemberE = linkonce_odr dso_local local_unnamed_addr addrspace(1) global { ptr addrspace(1), i32 } zeroinitializer, comdat, align 8, !spirv.Decorations !12 #6
@csr2 = dso_local local_unnamed_addr addrspace(1) global { i64 } zeroinitializer, align 8, !spirv.Decorations !14 #7
@nowhere = external dso_local local_unnamed_addr addrspace(1) global %"class.sycl::_V1::ext::oneapi::experimental::device_global.0", align 8
@shared_pod = dso_local local_unnamed_addr addrspace(1) global { ptr addrspace(1), %struct.Pod } zeroinitializer, align 8, !spirv.Decorations !16 #8
@_ZN12_GLOBAL__N_18anon_podE.5 = internal addrspace(1) global { ptr addrspace(1), %struct.Pod } zeroinitializer, align 8, !spirv.Decorations !2 #1
@shared_counter = dso_local local_unnamed_addr addrspace(1) global { ptr addrspace(1), i32 } zeroinitializer, align 8, !spirv.Decorations !18 #9
@_Z7tmpl_dgIfLi5EE = linkonce_odr dso_local local_unnamed_addr addrspace(1) global { ptr addrspace(1), [5 x float] } zeroinitializer, comdat, align 8, !spirv.Decorations !20 #10
@_ZL7stat_dg.4 = internal addrspace(1) global { ptr addrspace(1), [7 x i16] } zeroinitializer, align 8, !spirv.Decorations !6 #3
@_ZN3cfg3inlE = linkonce_odr dso_local local_unnamed_addr addrspace(1) global { float } zeroinitializer, comdat, align 4, !spirv.Decorations !22 #11

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define dso_local spir_func noundef i32 @_Z4nexti(i32 noundef %0) local_unnamed_addr #12 !sycl_fixed_targets !30 {
  %2 = load ptr addrspace(1), ptr addrspace(1) @shared_counter, align 8, !tbaa !31
  %3 = load i32, ptr addrspace(1) %2, align 4, !tbaa !38
  %4 = add nsw i32 %3, %0
  store i32 %4, ptr addrspace(1) %2, align 4, !tbaa !38
  %5 = load ptr addrspace(1), ptr addrspace(1) @_Z7tmpl_dgIiLi3EE, align 8, !tbaa !39
  %6 = sext i32 %0 to i64
  %7 = getelementptr inbounds [3 x i32], ptr addrspace(1) %5, i64 0, i64 %6
  %8 = load i32, ptr addrspace(1) %7, align 4, !tbaa !38
  %9 = add nsw i32 %8, %4
  ret i32 %9
}

; Function Attrs: mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS1A(ptr addrspace(1) noundef align 4 %0) local_unnamed_addr #13 comdat !sycl_fixed_targets !30 !kernel_arg_buffer_location !41 !sycl_used_aspects !42 !sycl_kernel_omit_args !44 {
  %2 = load ptr addrspace(1), ptr addrspace(1) @shared_counter, align 8, !tbaa !31
  %3 = load i32, ptr addrspace(1) %2, align 4, !tbaa !38
  %4 = add nsw i32 %3, 1
  store i32 %4, ptr addrspace(1) %2, align 4, !tbaa !38
  %5 = load ptr addrspace(1), ptr addrspace(1) @_Z7tmpl_dgIiLi3EE, align 8, !tbaa !39
  %6 = getelementptr inbounds [3 x i32], ptr addrspace(1) %5, i64 0, i64 1
  %7 = load i32, ptr addrspace(1) %6, align 4, !tbaa !38
  %8 = add nsw i32 %7, %4
  %9 = load ptr addrspace(1), ptr addrspace(1) @_ZN12_GLOBAL__N_18anon_podE, align 8, !tbaa !45
  %10 = getelementptr inbounds %struct.Pod, ptr addrspace(1) %9, i64 0, i32 0
  %11 = load i32, ptr addrspace(1) %10, align 8, !tbaa !49
  %12 = add nsw i32 %8, %11
  store i32 %12, ptr addrspace(1) %0, align 4, !tbaa !38
  store i8 1, ptr addrspace(1) @only_one, align 1, !tbaa !50
  ret void
}

; Function Attrs: mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS1B(ptr addrspace(1) noundef align 4 %0) local_unnamed_addr #13 comdat !sycl_fixed_targets !30 !kernel_arg_buffer_location !41 !sycl_kernel_omit_args !44 {
  %2 = load ptr addrspace(1), ptr addrspace(1) @_ZL7stat_dg, align 8, !tbaa !52
  %3 = getelementptr inbounds [7 x i16], ptr addrspace(1) %2, i64 0, i64 2
  %4 = load i16, ptr addrspace(1) %3, align 2, !tbaa !55
  %5 = sitofp i16 %4 to float
  %6 = load ptr addrspace(1), ptr addrspace(1) @_Z7tmpl_dgIfLi5EE, align 8, !tbaa !57
  %7 = getelementptr inbounds [5 x float], ptr addrspace(1) %6, i64 0, i64 1
  %8 = load float, ptr addrspace(1) %7, align 4, !tbaa !60
  %9 = fadd float %8, %5
  %10 = fptosi float %9 to i32
  %11 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 1
  store i32 %10, ptr addrspace(1) %11, align 4, !tbaa !38
  %12 = load ptr addrspace(1), ptr addrspace(1) @csr, align 8, !tbaa !62
  store i64 3, ptr addrspace(1) %12, align 8, !tbaa !66
  ret void
}

; Function Attrs: mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS1C() local_unnamed_addr #13 comdat !sycl_fixed_targets !30 !kernel_arg_buffer_location !30 !sycl_kernel_omit_args !30 {
  %1 = load ptr addrspace(1), ptr addrspace(1) @_ZN6Holder6memberE, align 8, !tbaa !67
  store i8 2, ptr addrspace(1) %1, align 1, !tbaa !70
  %2 = load ptr addrspace(1), ptr addrspace(1) @_ZN6Holder7imemberE, align 8, !tbaa !31
  store i32 3, ptr addrspace(1) %2, align 4, !tbaa !38
  store i64 7, ptr addrspace(1) @csr2, align 8, !tbaa !66
  ret void
}

; Function Attrs: mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS1D(ptr addrspace(1) noundef align 4 %0) local_unnamed_addr #13 comdat !sycl_fixed_targets !30 !kernel_arg_buffer_location !41 !sycl_kernel_omit_args !44 {
  %2 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 3
  store i32 4, ptr addrspace(1) %2, align 4, !tbaa !38
  ret void
}

; Function Attrs: mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS1H(ptr addrspace(1) noundef align 4 %0) local_unnamed_addr #14 comdat !sycl_fixed_targets !30 !kernel_arg_buffer_location !41 !sycl_used_aspects !42 !sycl_kernel_omit_args !44 {
  %2 = load ptr addrspace(1), ptr addrspace(1) @shared_counter, align 8, !tbaa !31
  %3 = load i32, ptr addrspace(1) %2, align 4, !tbaa !38
  %4 = load ptr addrspace(1), ptr addrspace(1) @nowhere, align 8, !tbaa !71
  %5 = load double, ptr addrspace(1) %4, align 8, !tbaa !75
  %6 = fptosi double %5 to i32
  %7 = add nsw i32 %3, %6
  store i32 %7, ptr addrspace(1) %0, align 4, !tbaa !38
  ret void
}

; Function Attrs: mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS1I(ptr addrspace(1) noundef align 4 %0) local_unnamed_addr #14 comdat !sycl_fixed_targets !30 !kernel_arg_buffer_location !41 !sycl_used_aspects !42 !sycl_kernel_omit_args !44 {
  %2 = load ptr addrspace(1), ptr addrspace(1) @shared_pod, align 8, !tbaa !45
  %3 = getelementptr inbounds %struct.Pod, ptr addrspace(1) %2, i64 0, i32 0
  %4 = load i32, ptr addrspace(1) %3, align 8, !tbaa !49
  store i32 %4, ptr addrspace(1) %0, align 4, !tbaa !38
  ret void
}

; Function Attrs: convergent mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS2E2(ptr addrspace(1) noundef align 4 %0) local_unnamed_addr #15 comdat !sycl_fixed_targets !30 !kernel_arg_buffer_location !41 !sycl_used_aspects !42 !sycl_kernel_omit_args !44 {
  %2 = tail call spir_func noundef i32 @_Z4nexti(i32 noundef 2) #17
  %3 = load ptr addrspace(1), ptr addrspace(1) @shared_pod, align 8, !tbaa !45
  %4 = getelementptr inbounds %struct.Pod, ptr addrspace(1) %3, i64 0, i32 2, i64 1
  %5 = load double, ptr addrspace(1) %4, align 8, !tbaa !75
  %6 = fptosi double %5 to i32
  %7 = add nsw i32 %2, %6
  %8 = load ptr addrspace(1), ptr addrspace(1) @_ZN12_GLOBAL__N_18anon_podE.5, align 8, !tbaa !45
  %9 = getelementptr inbounds %struct.Pod, ptr addrspace(1) %8, i64 0, i32 1
  %10 = load i8, ptr addrspace(1) %9, align 4, !tbaa !76
  %11 = sext i8 %10 to i32
  %12 = add nsw i32 %7, %11
  store i32 %12, ptr addrspace(1) %0, align 4, !tbaa !38
  ret void
}

; Function Attrs: mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS1F(ptr addrspace(1) noundef align 4 %0) local_unnamed_addr #16 comdat !sycl_fixed_targets !30 !kernel_arg_buffer_location !41 !sycl_kernel_omit_args !44 {
  %2 = load ptr addrspace(1), ptr addrspace(1) @shared_counter, align 8, !tbaa !31
  store i32 5, ptr addrspace(1) %2, align 4, !tbaa !38
  %3 = load ptr addrspace(1), ptr addrspace(1) @_Z7tmpl_dgIfLi5EE, align 8, !tbaa !57
  %4 = getelementptr inbounds [5 x float], ptr addrspace(1) %3, i64 0, i64 0
  %5 = load float, ptr addrspace(1) %4, align 4, !tbaa !60
  %6 = fptosi float %5 to i32
  %7 = load ptr addrspace(1), ptr addrspace(1) @_ZL7stat_dg.4, align 8, !tbaa !52
  %8 = getelementptr inbounds [7 x i16], ptr addrspace(1) %7, i64 0, i64 0
  %9 = load i16, ptr addrspace(1) %8, align 2, !tbaa !55
  %10 = sext i16 %9 to i32
  %11 = add nsw i32 %10, %6
  %12 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 1
  store i32 %11, ptr addrspace(1) %12, align 4, !tbaa !38
  ret void
}

; Function Attrs: mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS1G() local_unnamed_addr #16 comdat !sycl_fixed_targets !30 !kernel_arg_buffer_location !30 !sycl_kernel_omit_args !30 {
  store float 1.000000e+00, ptr addrspace(1) @_ZN3cfg3inlE, align 4, !tbaa !60
  ret void
}

attributes #0 = { "sycl-device-global-size"="12" "sycl-unique-id"="_Z7tmpl_dgIiLi3EE" }
attributes #1 = { "sycl-device-global-size"="32" "sycl-unique-id"="____ZN12_GLOBAL__N_18anon_podE" }
attributes #2 = { "sycl-device-global-size"="1" "sycl-device-image-scope" "sycl-unique-id"="_Z8only_one" }
attributes #3 = { "sycl-device-global-size"="14" "sycl-unique-id"="____ZL7stat_dg" }
attributes #4 = { "sycl-device-global-size"="8" "sycl-unique-id"="_Z3csr" }
attributes #5 = { "sycl-device-global-size"="1" "sycl-unique-id"="_ZN6Holder6memberE" }
attributes #6 = { "sycl-device-global-size"="4" "sycl-unique-id"="_ZN6Holder7imemberE" }
attributes #7 = { "sycl-device-global-size"="8" "sycl-device-image-scope" "sycl-unique-id"="_Z4csr2" }
attributes #8 = { "sycl-device-global-size"="32" "sycl-unique-id"="_Z10shared_pod" }
attributes #9 = { "sycl-device-global-size"="4" "sycl-unique-id"="_Z14shared_counter" }
attributes #10 = { "sycl-device-global-size"="20" "sycl-unique-id"="_Z7tmpl_dgIfLi5EE" }
attributes #11 = { "sycl-device-global-size"="4" "sycl-device-image-scope" "sycl-host-access"="2" "sycl-unique-id"="_ZN3cfg3inlE" }
attributes #12 = { mustprogress nofree norecurse nosync nounwind willreturn memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="/one.cpp" "sycl-optlevel"="2" }
attributes #13 = { mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="/one.cpp" "sycl-optlevel"="2" "sycl-single-task" "uniform-work-group-size"="true" }
attributes #14 = { mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="/three.cpp" "sycl-optlevel"="2" "sycl-single-task" "uniform-work-group-size"="true" }
attributes #15 = { convergent mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="/two.cpp" "sycl-optlevel"="2" "sycl-single-task" "uniform-work-group-size"="true" }
attributes #16 = { mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="/two.cpp" "sycl-optlevel"="2" "sycl-single-task" "uniform-work-group-size"="true" }
attributes #17 = { convergent nounwind }

!opencl.spir.version = !{!24, !24, !24}
!spirv.Source = !{!25, !25, !25}
!llvm.ident = !{!26, !26, !26}
!llvm.module.flags = !{!27, !28, !29}

!0 = !{!1}
!1 = !{i32 6147, i32 2, !"_Z7tmpl_dgIiLi3EE"}
!2 = !{!3}
!3 = !{i32 6147, i32 2, !"____ZN12_GLOBAL__N_18anon_podE"}
!4 = !{!5}
!5 = !{i32 6147, i32 2, !"_Z8only_one"}
!6 = !{!7}
!7 = !{i32 6147, i32 2, !"____ZL7stat_dg"}
!8 = !{!9}
!9 = !{i32 6147, i32 2, !"_Z3csr"}
!10 = !{!11}
!11 = !{i32 6147, i32 2, !"_ZN6Holder6memberE"}
!12 = !{!13}
!13 = !{i32 6147, i32 2, !"_ZN6Holder7imemberE"}
!14 = !{!15}
!15 = !{i32 6147, i32 2, !"_Z4csr2"}
!16 = !{!17}
!17 = !{i32 6147, i32 2, !"_Z10shared_pod"}
!18 = !{!19}
!19 = !{i32 6147, i32 2, !"_Z14shared_counter"}
!20 = !{!21}
!21 = !{i32 6147, i32 2, !"_Z7tmpl_dgIfLi5EE"}
!22 = !{!23}
!23 = !{i32 6147, i32 2, !"_ZN3cfg3inlE"}
!24 = !{i32 1, i32 2}
!25 = !{i32 4, i32 100000}
!26 = !{!"Intel(R) oneAPI DPC++/C++ Compiler 2025.3.3 (2025.3.3.20260319)"}
!27 = !{i32 1, !"wchar_size", i32 4}
!28 = !{i32 1, !"sycl-device", i32 1}
!29 = !{i32 7, !"frame-pointer", i32 2}
!30 = !{}
!31 = !{!32, !33, i64 0}
!32 = !{!"_ZTSN4sycl3_V13ext6oneapi12experimental6detail18device_global_baseIiNS3_10propertiesINS4_20properties_type_listIJEEEEEvEE", !33, i64 0, !37, i64 8}
!33 = !{!"p1 int", !34, i64 0}
!34 = !{!"any pointer", !35, i64 0}
!35 = !{!"omnipotent char", !36, i64 0}
!36 = !{!"Simple C++ TBAA"}
!37 = !{!"int", !35, i64 0}
!38 = !{!37, !37, i64 0}
!39 = !{!40, !33, i64 0}
!40 = !{!"_ZTSN4sycl3_V13ext6oneapi12experimental6detail18device_global_baseIA3_iNS3_10propertiesINS4_20properties_type_listIJEEEEEvEE", !33, i64 0, !35, i64 8}
!41 = !{i32 -1}
!42 = !{!43}
!43 = !{!"fp64", i32 6}
!44 = !{i1 false}
!45 = !{!46, !47, i64 0}
!46 = !{!"_ZTSN4sycl3_V13ext6oneapi12experimental6detail18device_global_baseI3PodNS3_10propertiesINS4_20properties_type_listIJEEEEEvEE", !47, i64 0, !48, i64 8}
!47 = !{!"p1 _ZTS3Pod", !34, i64 0}
!48 = !{!"_ZTS3Pod", !37, i64 0, !35, i64 4, !35, i64 8}
!49 = !{!48, !37, i64 0}
!50 = !{!51, !51, i64 0}
!51 = !{!"bool", !35, i64 0}
!52 = !{!53, !54, i64 0}
!53 = !{!"_ZTSN4sycl3_V13ext6oneapi12experimental6detail18device_global_baseIA7_sNS3_10propertiesINS4_20properties_type_listIJEEEEEvEE", !54, i64 0, !35, i64 8}
!54 = !{!"p1 short", !34, i64 0}
!55 = !{!56, !56, i64 0}
!56 = !{!"short", !35, i64 0}
!57 = !{!58, !59, i64 0}
!58 = !{!"_ZTSN4sycl3_V13ext6oneapi12experimental6detail18device_global_baseIA5_fNS3_10propertiesINS4_20properties_type_listIJEEEEEvEE", !59, i64 0, !35, i64 8}
!59 = !{!"p1 float", !34, i64 0}
!60 = !{!61, !61, i64 0}
!61 = !{!"float", !35, i64 0}
!62 = !{!63, !64, i64 0}
!63 = !{!"_ZTSN4sycl3_V13ext6oneapi12experimental6detail18device_global_baseIlNS3_10propertiesINS4_20properties_type_listIJNS3_14property_valueINS3_15host_access_keyEJSt17integral_constantINS3_16host_access_enumELSB_3EEEEEEEEEEvEE", !64, i64 0, !65, i64 8}
!64 = !{!"p1 long", !34, i64 0}
!65 = !{!"long", !35, i64 0}
!66 = !{!65, !65, i64 0}
!67 = !{!68, !69, i64 0}
!68 = !{!"_ZTSN4sycl3_V13ext6oneapi12experimental6detail18device_global_baseIhNS3_10propertiesINS4_20properties_type_listIJEEEEEvEE", !69, i64 0, !35, i64 8}
!69 = !{!"p1 omnipotent char", !34, i64 0}
!70 = !{!35, !35, i64 0}
!71 = !{!72, !73, i64 0}
!72 = !{!"_ZTSN4sycl3_V13ext6oneapi12experimental6detail18device_global_baseIdNS3_10propertiesINS4_20properties_type_listIJEEEEEvEE", !73, i64 0, !74, i64 8}
!73 = !{!"p1 double", !34, i64 0}
!74 = !{!"double", !35, i64 0}
!75 = !{!74, !74, i64 0}
!76 = !{!48, !35, i64 4}
