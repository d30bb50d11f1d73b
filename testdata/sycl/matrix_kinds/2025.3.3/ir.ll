; bitcode of LLVM 21, printed by LLVM 22.1.0 (llvmlite 0.50.0)
source_filename = "jmat.cpp"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

$_ZTS2Mm = comdat any

$_ZTS2Mi = comdat any

$_ZTS4Nope = comdat any

; Function Attrs: convergent mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS2Mm(ptr addrspace(1) noundef align 2 %0, ptr addrspace(1) noundef align 2 %1, ptr addrspace(1) noundef align 4 %2) local_unnamed_addr #0 comdat !kernel_arg_buffer_location !6 !intel_reqd_sub_group_size !7 !sycl_fixed_targets !8 !sycl_joint_matrix !9 !sycl_joint_matrix_mad !10 !sycl_kernel_omit_args !11 {
  %4 = addrspacecast ptr addrspace(1) %0 to ptr addrspace(4)
  %5 = addrspacecast ptr addrspace(1) %1 to ptr addrspace(4)
  %6 = addrspacecast ptr addrspace(1) %2 to ptr addrspace(4)
  %7 = tail call spir_func noundef ptr addrspace(1) @_Z41__spirv_GenericCastToPtrExplicit_ToGlobalPvi(ptr addrspace(4) noundef %4, i32 noundef 5) #4
  %8 = tail call spir_func noundef ptr addrspace(1) @_Z41__spirv_GenericCastToPtrExplicit_ToGlobalPvi(ptr addrspace(4) noundef %5, i32 noundef 5) #4
  %9 = tail call spir_func noundef ptr addrspace(1) @_Z41__spirv_GenericCastToPtrExplicit_ToGlobalPvi(ptr addrspace(4) noundef %6, i32 noundef 5) #4
  %10 = tail call spir_func noundef target("spirv.CooperativeMatrixKHR", float, 3, 8, 16, 2) @_Z26__spirv_CompositeConstructIffLm8ELm16ELN5__spv9MatrixUseE2ELNS0_12MatrixLayoutE3ELNS0_5Scope4FlagE3EEPNS0_28__spirv_CooperativeMatrixKHRIT0_XT5_EXT1_EXT2_EXT3_EEET_(float noundef 0.000000e+00) #5
  %11 = tail call spir_func noundef target("spirv.CooperativeMatrixKHR", i16, 3, 8, 16, 0) @_Z32__spirv_CooperativeMatrixLoadKHRIU3AS1N4sycl3_V13ext6oneapi8bfloat16ES4_Lm8ELm16ELN5__spv9MatrixUseE0ELNS6_12MatrixLayoutE0ELNS6_5Scope4FlagE3EEPNS6_28__spirv_CooperativeMatrixKHRIT0_XT5_EXT1_EXT2_EXT3_EEEPT_S8_mi(ptr addrspace(1) noundef %7, i32 noundef 0, i64 noundef 16, i32 noundef 0) #5
  %12 = tail call spir_func noundef target("spirv.CooperativeMatrixKHR", i16, 3, 16, 16, 1) @_Z32__spirv_CooperativeMatrixLoadKHRIU3AS1N4sycl3_V13ext6oneapi8bfloat16ES4_Lm16ELm16ELN5__spv9MatrixUseE1ELNS6_12MatrixLayoutE2ELNS6_5Scope4FlagE3EEPNS6_28__spirv_CooperativeMatrixKHRIT0_XT5_EXT1_EXT2_EXT3_EEEPT_S8_mi(ptr addrspace(1) noundef %8, i32 noundef 2, i64 noundef 32, i32 noundef 0) #5
  %13 = tail call spir_func noundef target("spirv.CooperativeMatrixKHR", float, 3, 8, 16, 2) @_Z34__spirv_CooperativeMatrixMulAddKHRIN4sycl3_V13ext6oneapi8bfloat16ES4_ffLm8ELm16ELm16ELN5__spv9MatrixUseE0ELS6_1ELS6_2ELNS5_12MatrixLayoutE0ELS7_0ELS7_0ELNS5_5Scope4FlagE3EEPNS5_28__spirv_CooperativeMatrixKHRIT2_XT12_EXT3_EXT5_EXT8_EEEPNSA_IT_XT12_EXT3_EXT4_EXT6_EEEPNSA_IT0_XT12_EXT4_EXT5_EXT7_EEEPNSA_IT1_XT12_EXT3_EXT5_EXT8_EEEm(target("spirv.CooperativeMatrixKHR", i16, 3, 8, 16, 0) noundef %11, target("spirv.CooperativeMatrixKHR", i16, 3, 16, 16, 1) noundef %12, target("spirv.CooperativeMatrixKHR", float, 3, 8, 16, 2) noundef %10, i64 noundef 64) #5
  tail call spir_func void @_Z33__spirv_CooperativeMatrixStoreKHRIU3AS1ffLm8ELm16ELN5__spv9MatrixUseE2ELNS1_12MatrixLayoutE3ELNS1_5Scope4FlagE3EEvPT_PNS1_28__spirv_CooperativeMatrixKHRIT0_XT5_EXT1_EXT2_EXT3_EEES3_mi(ptr addrspace(1) noundef %9, target("spirv.CooperativeMatrixKHR", float, 3, 8, 16, 2) noundef %13, i32 noundef 0, i64 noundef 16, i32 noundef 0) #5
  ret void
}

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare dso_local spir_func noundef ptr addrspace(1) @_Z41__spirv_GenericCastToPtrExplicit_ToGlobalPvi(ptr addrspace(4) noundef, i32 noundef) local_unnamed_addr #1

; Function Attrs: convergent nounwind
declare dso_local spir_func noundef target("spirv.CooperativeMatrixKHR", float, 3, 8, 16, 2) @_Z26__spirv_CompositeConstructIffLm8ELm16ELN5__spv9MatrixUseE2ELNS0_12MatrixLayoutE3ELNS0_5Scope4FlagE3EEPNS0_28__spirv_CooperativeMatrixKHRIT0_XT5_EXT1_EXT2_EXT3_EEET_(float noundef) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare dso_local spir_func noundef target("spirv.CooperativeMatrixKHR", i16, 3, 8, 16, 0) @_Z32__spirv_CooperativeMatrixLoadKHRIU3AS1N4sycl3_V13ext6oneapi8bfloat16ES4_Lm8ELm16ELN5__spv9MatrixUseE0ELNS6_12MatrixLayoutE0ELNS6_5Scope4FlagE3EEPNS6_28__spirv_CooperativeMatrixKHRIT0_XT5_EXT1_EXT2_EXT3_EEEPT_S8_mi(ptr addrspace(1) noundef, i32 noundef, i64 noundef, i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare dso_local spir_func noundef target("spirv.CooperativeMatrixKHR", i16, 3, 16, 16, 1) @_Z32__spirv_CooperativeMatrixLoadKHRIU3AS1N4sycl3_V13ext6oneapi8bfloat16ES4_Lm16ELm16ELN5__spv9MatrixUseE1ELNS6_12MatrixLayoutE2ELNS6_5Scope4FlagE3EEPNS6_28__spirv_CooperativeMatrixKHRIT0_XT5_EXT1_EXT2_EXT3_EEEPT_S8_mi(ptr addrspace(1) noundef, i32 noundef, i64 noundef, i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare dso_local spir_func noundef target("spirv.CooperativeMatrixKHR", float, 3, 8, 16, 2) @_Z34__spirv_CooperativeMatrixMulAddKHRIN4sycl3_V13ext6oneapi8bfloat16ES4_ffLm8ELm16ELm16ELN5__spv9MatrixUseE0ELS6_1ELS6_2ELNS5_12MatrixLayoutE0ELS7_0ELS7_0ELNS5_5Scope4FlagE3EEPNS5_28__spirv_CooperativeMatrixKHRIT2_XT12_EXT3_EXT5_EXT8_EEEPNSA_IT_XT12_EXT3_EXT4_EXT6_EEEPNSA_IT0_XT12_EXT4_EXT5_EXT7_EEEPNSA_IT1_XT12_EXT3_EXT5_EXT8_EEEm(target("spirv.CooperativeMatrixKHR", i16, 3, 8, 16, 0) noundef, target("spirv.CooperativeMatrixKHR", i16, 3, 16, 16, 1) noundef, target("spirv.CooperativeMatrixKHR", float, 3, 8, 16, 2) noundef, i64 noundef) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare dso_local spir_func void @_Z33__spirv_CooperativeMatrixStoreKHRIU3AS1ffLm8ELm16ELN5__spv9MatrixUseE2ELNS1_12MatrixLayoutE3ELNS1_5Scope4FlagE3EEvPT_PNS1_28__spirv_CooperativeMatrixKHRIT0_XT5_EXT1_EXT2_EXT3_EEES3_mi(ptr addrspace(1) noundef, target("spirv.CooperativeMatrixKHR", float, 3, 8, 16, 2) noundef, i32 noundef, i64 noundef, i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS2Mi(ptr addrspace(1) noundef align 1 %0, ptr addrspace(1) noundef align 4 %1) local_unnamed_addr #0 comdat !kernel_arg_buffer_location !12 !intel_reqd_sub_group_size !7 !sycl_fixed_targets !8 !sycl_joint_matrix !13 !sycl_joint_matrix_mad !14 !sycl_kernel_omit_args !15 {
  %3 = addrspacecast ptr addrspace(1) %0 to ptr addrspace(4)
  %4 = addrspacecast ptr addrspace(1) %1 to ptr addrspace(4)
  %5 = tail call spir_func noundef ptr addrspace(1) @_Z41__spirv_GenericCastToPtrExplicit_ToGlobalPvi(ptr addrspace(4) noundef %3, i32 noundef 5) #4
  %6 = tail call spir_func noundef ptr addrspace(1) @_Z41__spirv_GenericCastToPtrExplicit_ToGlobalPvi(ptr addrspace(4) noundef %4, i32 noundef 5) #4
  %7 = tail call spir_func noundef target("spirv.CooperativeMatrixKHR", i8, 3, 8, 32, 0) @_Z32__spirv_CooperativeMatrixLoadKHRIU3AS1aaLm8ELm32ELN5__spv9MatrixUseE0ELNS1_12MatrixLayoutE0ELNS1_5Scope4FlagE3EEPNS1_28__spirv_CooperativeMatrixKHRIT0_XT5_EXT1_EXT2_EXT3_EEEPT_S3_mi(ptr addrspace(1) noundef %5, i32 noundef 0, i64 noundef 32, i32 noundef 0) #5
  %8 = tail call spir_func noundef target("spirv.CooperativeMatrixKHR", i8, 3, 32, 16, 1) @_Z26__spirv_CompositeConstructIaaLm32ELm16ELN5__spv9MatrixUseE1ELNS0_12MatrixLayoutE2ELNS0_5Scope4FlagE3EEPNS0_28__spirv_CooperativeMatrixKHRIT0_XT5_EXT1_EXT2_EXT3_EEET_(i8 noundef signext 1) #5
  %9 = tail call spir_func noundef target("spirv.CooperativeMatrixKHR", i32, 3, 8, 16, 2) @_Z26__spirv_CompositeConstructIiiLm8ELm16ELN5__spv9MatrixUseE2ELNS0_12MatrixLayoutE3ELNS0_5Scope4FlagE3EEPNS0_28__spirv_CooperativeMatrixKHRIT0_XT5_EXT1_EXT2_EXT3_EEET_(i32 noundef 0) #5
  %10 = tail call spir_func noundef target("spirv.CooperativeMatrixKHR", i32, 3, 8, 16, 2) @_Z34__spirv_CooperativeMatrixMulAddKHRIaaiiLm8ELm32ELm16ELN5__spv9MatrixUseE0ELS1_1ELS1_2ELNS0_12MatrixLayoutE0ELS2_0ELS2_0ELNS0_5Scope4FlagE3EEPNS0_28__spirv_CooperativeMatrixKHRIT2_XT12_EXT3_EXT5_EXT8_EEEPNS5_IT_XT12_EXT3_EXT4_EXT6_EEEPNS5_IT0_XT12_EXT4_EXT5_EXT7_EEEPNS5_IT1_XT12_EXT3_EXT5_EXT8_EEEm(target("spirv.CooperativeMatrixKHR", i8, 3, 8, 32, 0) noundef %7, target("spirv.CooperativeMatrixKHR", i8, 3, 32, 16, 1) noundef %8, target("spirv.CooperativeMatrixKHR", i32, 3, 8, 16, 2) noundef %9, i64 noundef 3) #5
  tail call spir_func void @_Z33__spirv_CooperativeMatrixStoreKHRIU3AS1iiLm8ELm16ELN5__spv9MatrixUseE2ELNS1_12MatrixLayoutE3ELNS1_5Scope4FlagE3EEvPT_PNS1_28__spirv_CooperativeMatrixKHRIT0_XT5_EXT1_EXT2_EXT3_EEES3_mi(ptr addrspace(1) noundef %6, target("spirv.CooperativeMatrixKHR", i32, 3, 8, 16, 2) noundef %10, i32 noundef 0, i64 noundef 16, i32 noundef 0) #5
  ret void
}

; Function Attrs: convergent nounwind
declare dso_local spir_func noundef target("spirv.CooperativeMatrixKHR", i8, 3, 8, 32, 0) @_Z32__spirv_CooperativeMatrixLoadKHRIU3AS1aaLm8ELm32ELN5__spv9MatrixUseE0ELNS1_12MatrixLayoutE0ELNS1_5Scope4FlagE3EEPNS1_28__spirv_CooperativeMatrixKHRIT0_XT5_EXT1_EXT2_EXT3_EEEPT_S3_mi(ptr addrspace(1) noundef, i32 noundef, i64 noundef, i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare dso_local spir_func noundef target("spirv.CooperativeMatrixKHR", i8, 3, 32, 16, 1) @_Z26__spirv_CompositeConstructIaaLm32ELm16ELN5__spv9MatrixUseE1ELNS0_12MatrixLayoutE2ELNS0_5Scope4FlagE3EEPNS0_28__spirv_CooperativeMatrixKHRIT0_XT5_EXT1_EXT2_EXT3_EEET_(i8 noundef signext) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare dso_local spir_func noundef target("spirv.CooperativeMatrixKHR", i32, 3, 8, 16, 2) @_Z26__spirv_CompositeConstructIiiLm8ELm16ELN5__spv9MatrixUseE2ELNS0_12MatrixLayoutE3ELNS0_5Scope4FlagE3EEPNS0_28__spirv_CooperativeMatrixKHRIT0_XT5_EXT1_EXT2_EXT3_EEET_(i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare dso_local spir_func noundef target("spirv.CooperativeMatrixKHR", i32, 3, 8, 16, 2) @_Z34__spirv_CooperativeMatrixMulAddKHRIaaiiLm8ELm32ELm16ELN5__spv9MatrixUseE0ELS1_1ELS1_2ELNS0_12MatrixLayoutE0ELS2_0ELS2_0ELNS0_5Scope4FlagE3EEPNS0_28__spirv_CooperativeMatrixKHRIT2_XT12_EXT3_EXT5_EXT8_EEEPNS5_IT_XT12_EXT3_EXT4_EXT6_EEEPNS5_IT0_XT12_EXT4_EXT5_EXT7_EEEPNS5_IT1_XT12_EXT3_EXT5_EXT8_EEEm(target("spirv.CooperativeMatrixKHR", i8, 3, 8, 32, 0) noundef, target("spirv.CooperativeMatrixKHR", i8, 3, 32, 16, 1) noundef, target("spirv.CooperativeMatrixKHR", i32, 3, 8, 16, 2) noundef, i64 noundef) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare dso_local spir_func void @_Z33__spirv_CooperativeMatrixStoreKHRIU3AS1iiLm8ELm16ELN5__spv9MatrixUseE2ELNS1_12MatrixLayoutE3ELNS1_5Scope4FlagE3EEvPT_PNS1_28__spirv_CooperativeMatrixKHRIT0_XT5_EXT1_EXT2_EXT3_EEES3_mi(ptr addrspace(1) noundef, target("spirv.CooperativeMatrixKHR", i32, 3, 8, 16, 2) noundef, i32 noundef, i64 noundef, i32 noundef) local_unnamed_addr #2

; Function Attrs: mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS4Nope(ptr addrspace(1) noundef align 4 %0) local_unnamed_addr #3 comdat !kernel_arg_buffer_location !16 !sycl_fixed_targets !8 !sycl_kernel_omit_args !17 {
  store float 1.000000e+00, ptr addrspace(1) %0, align 4, !tbaa !18
  ret void
}

declare dso_local spir_func i32 @_Z18__spirv_ocl_printfPU3AS2Kcz(ptr addrspace(2), ...)

attributes #0 = { convergent mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="/jmat.cpp" "sycl-optlevel"="2" "uniform-work-group-size"="true" }
attributes #1 = { convergent mustprogress nofree nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #2 = { convergent nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #3 = { mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="/jmat.cpp" "sycl-optlevel"="2" "sycl-single-task" "uniform-work-group-size"="true" }
attributes #4 = { convergent nounwind willreturn memory(none) }
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
!6 = !{i32 -1, i32 -1, i32 -1}
!7 = !{i32 16}
!8 = !{}
!9 = !{!"matrix_type::bf16,use::a,8,16;matrix_type::bf16,use::b,16,16;matrix_type::fp32,use::accumulator,8,16"}
!10 = !{!"matrix_type::bf16,matrix_type::bf16,matrix_type::fp32,matrix_type::fp32,8,16,16"}
!11 = !{i1 false, i1 false, i1 false}
!12 = !{i32 -1, i32 -1}
!13 = !{!"matrix_type::sint32,use::accumulator,8,16;matrix_type::sint8,use::a,8,32;matrix_type::sint8,use::b,32,16"}
!14 = !{!"matrix_type::sint8,matrix_type::sint8,matrix_type::sint32,matrix_type::sint32,8,32,16"}
!15 = !{i1 false, i1 false}
!16 = !{i32 -1}
!17 = !{i1 false}
!18 = !{!19, !19, i64 0}
!19 = !{!"float", !20, i64 0}
!20 = !{!"omnipotent char", !21, i64 0}
!21 = !{!"Simple C++ TBAA"}
