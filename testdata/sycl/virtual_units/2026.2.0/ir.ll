; bitcode of LLVM 22, printed by LLVM 22.1.0 (llvmlite 0.50.0)
source_filename = "call.cpp"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

$_ZNK4Base1gEd = comdat any

$_ZNK4Base1hEf = comdat any

$_ZNK4Late1fEi = comdat any

$_ZTS5CallA = comdat any

$_ZTS5CallB = comdat any

$_ZTS5CallC = comdat any

$_ZTS7CallAll = comdat any

$_ZTS11CallDefault = comdat any

$_ZTS8MakeLate = comdat any

$_ZNK7Derived1gEd = comdat any

$_ZNK7Derived1hEf = comdat any

$_ZTS4Make = comdat any

$_ZNK4Base1fEi = comdat any

$_ZTS7MakeOne = comdat any

$_ZTV4Late = comdat any

$_ZTV4Base = comdat any

@_ZTV4Late = linkonce_odr dso_local unnamed_addr addrspace(1) constant { [6 x ptr addrspace(4)] } { [6 x ptr addrspace(4)] [ptr addrspace(4) null, ptr addrspace(4) null, ptr addrspace(4) addrspacecast (ptr @_ZNK4Late1fEi to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr @_ZNK4Base1gEd to ptr addrspace(4)), ptr addrspace(4) null, ptr addrspace(4) addrspacecast (ptr @_ZNK4Base1hEf to ptr addrspace(4))] }, comdat, align 8
@_ZTV4Base = linkonce_odr dso_local unnamed_addr addrspace(1) constant { [6 x ptr addrspace(4)] } { [6 x ptr addrspace(4)] [ptr addrspace(4) null, ptr addrspace(4) null, ptr addrspace(4) addrspacecast (ptr @_ZNK4Base1fEi to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr @_ZNK4Base1gEd to ptr addrspace(4)), ptr addrspace(4) null, ptr addrspace(4) addrspacecast (ptr @_ZNK4Base1hEf to ptr addrspace(4))] }, comdat, align 8
@_ZTV7Derived = dso_local unnamed_addr addrspace(1) constant { [6 x ptr addrspace(4)] } { [6 x ptr addrspace(4)] [ptr addrspace(4) null, ptr addrspace(4) null, ptr addrspace(4) addrspacecast (ptr @_ZNK7Derived1fEi to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr @_ZNK7Derived1gEd to ptr addrspace(4)), ptr addrspace(4) null, ptr addrspace(4) addrspacecast (ptr @_ZNK7Derived1hEf to ptr addrspace(4))] }, align 8

; Function Attrs: mustprogress norecurse nounwind
define linkonce_odr dso_local spir_func noundef double @_ZNK4Base1gEd(ptr addrspace(4) noundef align 8 dereferenceable_or_null(8) %0, double noundef %1) unnamed_addr #0 comdat align 2 !sycl_used_aspects !10 !sycl_fixed_targets !12 {
  ret double %1
}

; Function Attrs: mustprogress norecurse nounwind
define linkonce_odr dso_local spir_func noundef float @_ZNK4Base1hEf(ptr addrspace(4) noundef align 8 dereferenceable_or_null(8) %0, float noundef %1) unnamed_addr #1 comdat align 2 !sycl_fixed_targets !12 {
  ret float %1
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define dso_local spir_func noundef i32 @_Z11shared_utili(i32 noundef %0) local_unnamed_addr #2 !sycl_fixed_targets !12 {
  %2 = mul nsw i32 %0, 17
  ret i32 %2
}

; Function Attrs: mustprogress norecurse nounwind
define linkonce_odr dso_local spir_func noundef i32 @_ZNK4Late1fEi(ptr addrspace(4) noundef align 8 dereferenceable_or_null(8) %0, i32 noundef %1) unnamed_addr #3 comdat align 2 !sycl_used_aspects !13 !sycl_fixed_targets !12 {
  %3 = sitofp i32 %1 to float
  %4 = fptrunc nnan float %3 to half
  %5 = fmul nnan half %4, 0xH4000
  %6 = fptosi half %5 to i32
  ret i32 %6
}

; Function Attrs: convergent mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS5CallA(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 8 %1) local_unnamed_addr #4 comdat !sycl_fixed_targets !12 !sycl_kernel_omit_args !15 {
  %3 = addrspacecast ptr addrspace(1) %1 to ptr addrspace(4)
  %4 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 1
  %5 = load i32, ptr addrspace(1) %4, align 4, !tbaa !16
  %6 = load ptr addrspace(4), ptr addrspace(1) %1, align 8, !tbaa !17
  %7 = load ptr addrspace(4), ptr addrspace(4) %6, align 8
  %8 = tail call spir_func noundef addrspace(4) i32 %7(ptr addrspace(4) noundef align 8 dereferenceable_or_null(8) %3, i32 noundef %5) #15, !inline_history !19
  store i32 %8, ptr addrspace(1) %0, align 4, !tbaa !16
  ret void
}

; Function Attrs: convergent mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS5CallB(ptr addrspace(1) noundef align 8 %0, ptr addrspace(1) noundef align 8 %1) local_unnamed_addr #5 comdat !sycl_used_aspects !10 !sycl_fixed_targets !12 !sycl_kernel_omit_args !15 {
  %3 = addrspacecast ptr addrspace(1) %1 to ptr addrspace(4)
  %4 = getelementptr inbounds double, ptr addrspace(1) %0, i64 1
  %5 = load double, ptr addrspace(1) %4, align 8, !tbaa !20
  %6 = load ptr addrspace(4), ptr addrspace(1) %1, align 8, !tbaa !17
  %7 = getelementptr inbounds nuw ptr addrspace(4), ptr addrspace(4) %6, i64 1
  %8 = load ptr addrspace(4), ptr addrspace(4) %7, align 8
  %9 = tail call spir_func noundef addrspace(4) double %8(ptr addrspace(4) noundef align 8 dereferenceable_or_null(8) %3, double noundef %5) #15, !inline_history !22
  store double %9, ptr addrspace(1) %0, align 8, !tbaa !20
  ret void
}

; Function Attrs: convergent mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS5CallC(ptr addrspace(1) noundef align 4 %0, ptr addrspace(1) noundef align 8 %1) local_unnamed_addr #6 comdat !sycl_used_aspects !13 !sycl_fixed_targets !12 !sycl_kernel_omit_args !15 {
  %3 = addrspacecast ptr addrspace(1) %1 to ptr addrspace(4)
  %4 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 1
  %5 = load i32, ptr addrspace(1) %4, align 4, !tbaa !16
  %6 = load ptr addrspace(4), ptr addrspace(1) %1, align 8, !tbaa !17
  %7 = load ptr addrspace(4), ptr addrspace(4) %6, align 8
  %8 = tail call spir_func noundef addrspace(4) i32 %7(ptr addrspace(4) noundef align 8 dereferenceable_or_null(8) %3, i32 noundef %5) #15, !inline_history !23
  store i32 %8, ptr addrspace(1) %0, align 4, !tbaa !16
  ret void
}

; Function Attrs: convergent mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS7CallAll(ptr addrspace(1) noundef align 8 %0, ptr addrspace(1) noundef align 8 %1) local_unnamed_addr #7 comdat !sycl_used_aspects !24 !sycl_fixed_targets !12 !work_group_num_dim !25 !reqd_work_group_size !26 !sycl_kernel_omit_args !15 {
  %3 = addrspacecast ptr addrspace(1) %1 to ptr addrspace(4)
  %4 = getelementptr inbounds double, ptr addrspace(1) %0, i64 1
  %5 = load double, ptr addrspace(1) %4, align 8, !tbaa !20
  %6 = load ptr addrspace(4), ptr addrspace(1) %1, align 8, !tbaa !17
  %7 = getelementptr inbounds nuw ptr addrspace(4), ptr addrspace(4) %6, i64 1
  %8 = load ptr addrspace(4), ptr addrspace(4) %7, align 8
  %9 = tail call spir_func noundef addrspace(4) double %8(ptr addrspace(4) noundef align 8 dereferenceable_or_null(8) %3, double noundef %5) #15, !inline_history !27
  %10 = load ptr addrspace(4), ptr addrspace(1) %1, align 8, !tbaa !17
  %11 = load ptr addrspace(4), ptr addrspace(4) %10, align 8
  %12 = tail call spir_func noundef addrspace(4) i32 %11(ptr addrspace(4) noundef align 8 dereferenceable_or_null(8) %3, i32 noundef 3) #15, !inline_history !27
  %13 = sitofp i32 %12 to double
  %14 = fadd double %9, %13
  store double %14, ptr addrspace(1) %0, align 8, !tbaa !20
  ret void
}

; Function Attrs: convergent mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS11CallDefault(ptr addrspace(1) noundef align 8 %0, ptr addrspace(1) noundef align 8 %1) local_unnamed_addr #8 comdat !sycl_used_aspects !10 !sycl_fixed_targets !12 !sycl_kernel_omit_args !15 {
  %3 = addrspacecast ptr addrspace(1) %1 to ptr addrspace(4)
  %4 = getelementptr inbounds double, ptr addrspace(1) %0, i64 1
  %5 = load double, ptr addrspace(1) %4, align 8, !tbaa !20
  %6 = fptrunc double %5 to float
  %7 = load ptr addrspace(4), ptr addrspace(1) %1, align 8, !tbaa !17
  %8 = getelementptr inbounds nuw ptr addrspace(4), ptr addrspace(4) %7, i64 3
  %9 = load ptr addrspace(4), ptr addrspace(4) %8, align 8
  %10 = tail call spir_func noundef addrspace(4) float %9(ptr addrspace(4) noundef align 8 dereferenceable_or_null(8) %3, float noundef %6) #15, !inline_history !28
  %11 = fpext float %10 to double
  store double %11, ptr addrspace(1) %0, align 8, !tbaa !20
  ret void
}

; Function Attrs: mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS8MakeLate(ptr addrspace(1) noundef align 8 %0) local_unnamed_addr #9 comdat !sycl_used_aspects !29 !sycl_fixed_targets !12 !sycl_kernel_omit_args !30 {
  store ptr addrspace(1) getelementptr inbounds inrange(-16, 32) ({ [6 x ptr addrspace(4)] }, ptr addrspace(1) @_ZTV4Late, i64 0, i32 0, i64 2), ptr addrspace(1) %0, align 8, !tbaa !17
  ret void
}

declare dso_local spir_func i32 @_Z18__spirv_ocl_printfPU3AS2Kcz(ptr addrspace(2), ...)

; Function Attrs: convergent mustprogress norecurse nounwind
define dso_local spir_func noundef i32 @_ZNK7Derived1fEi(ptr addrspace(4) nofree readnone align 8 captures(none) %0, i32 noundef %1) unnamed_addr #10 align 2 !sycl_fixed_targets !12 {
  %3 = tail call spir_func noundef i32 @_Z11shared_utili(i32 noundef %1) #16
  ret i32 %3
}

; Function Attrs: mustprogress norecurse nounwind
define linkonce_odr dso_local spir_func noundef double @_ZNK7Derived1gEd(ptr addrspace(4) noundef align 8 dereferenceable_or_null(8) %0, double noundef %1) unnamed_addr #11 comdat align 2 !sycl_used_aspects !10 !sycl_fixed_targets !12 {
  %3 = fmul double %1, 2.000000e+00
  ret double %3
}

; Function Attrs: mustprogress norecurse nounwind
define linkonce_odr dso_local spir_func noundef float @_ZNK7Derived1hEf(ptr addrspace(4) noundef align 8 dereferenceable_or_null(8) %0, float noundef %1) unnamed_addr #12 comdat align 2 !sycl_fixed_targets !12 {
  %3 = fadd float %1, 1.000000e+00
  ret float %3
}

; Function Attrs: mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS4Make(ptr addrspace(1) noundef align 8 %0, ptr addrspace(1) noundef align 8 %1) local_unnamed_addr #13 comdat !sycl_used_aspects !10 !sycl_fixed_targets !12 !sycl_kernel_omit_args !15 {
  store ptr addrspace(1) getelementptr inbounds inrange(-16, 32) ({ [6 x ptr addrspace(4)] }, ptr addrspace(1) @_ZTV4Base, i64 0, i32 0, i64 2), ptr addrspace(1) %0, align 8, !tbaa !17
  store ptr addrspace(1) getelementptr inbounds inrange(-16, 32) ({ [6 x ptr addrspace(4)] }, ptr addrspace(1) @_ZTV7Derived, i64 0, i32 0, i64 2), ptr addrspace(1) %1, align 8, !tbaa !17
  ret void
}

; Function Attrs: mustprogress norecurse nounwind
define linkonce_odr dso_local spir_func noundef i32 @_ZNK4Base1fEi(ptr addrspace(4) noundef align 8 dereferenceable_or_null(8) %0, i32 noundef %1) unnamed_addr #14 comdat align 2 !sycl_fixed_targets !12 {
  ret i32 %1
}

; Function Attrs: mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS7MakeOne(ptr addrspace(1) noundef align 8 %0) local_unnamed_addr #13 comdat !sycl_used_aspects !10 !sycl_fixed_targets !12 !sycl_kernel_omit_args !30 {
  store ptr addrspace(1) getelementptr inbounds inrange(-16, 32) ({ [6 x ptr addrspace(4)] }, ptr addrspace(1) @_ZTV4Base, i64 0, i32 0, i64 2), ptr addrspace(1) %0, align 8, !tbaa !17
  ret void
}

attributes #0 = { mustprogress norecurse nounwind "frame-pointer"="all" "indirectly-callable"="_ZTS4SetB" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="call.cpp" "sycl-optlevel"="2" "uniform-work-group-size" }
attributes #1 = { mustprogress norecurse nounwind "frame-pointer"="all" "indirectly-callable"="_ZTSv" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="call.cpp" "sycl-optlevel"="2" "uniform-work-group-size" }
attributes #2 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="call.cpp" "sycl-optlevel"="2" "uniform-work-group-size" }
attributes #3 = { mustprogress norecurse nounwind "frame-pointer"="all" "indirectly-callable"="_ZTS4SetC" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="call.cpp" "sycl-optlevel"="2" "uniform-work-group-size" }
attributes #4 = { convergent mustprogress norecurse nounwind "calls-indirectly"="_ZTS4SetA" "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="call.cpp" "sycl-optlevel"="2" "sycl-single-task" "uniform-work-group-size" }
attributes #5 = { convergent mustprogress norecurse nounwind "calls-indirectly"="_ZTS4SetB" "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="call.cpp" "sycl-optlevel"="2" "sycl-single-task" "uniform-work-group-size" }
attributes #6 = { convergent mustprogress norecurse nounwind "calls-indirectly"="_ZTS4SetC" "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="call.cpp" "sycl-optlevel"="2" "sycl-single-task" "uniform-work-group-size" }
attributes #7 = { convergent mustprogress norecurse nounwind "calls-indirectly"="_ZTS4SetA,_ZTS4SetB,_ZTS4SetC" "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="call.cpp" "sycl-optlevel"="2" "sycl-work-group-size"="16" "uniform-work-group-size" }
attributes #8 = { convergent mustprogress norecurse nounwind "calls-indirectly"="_ZTSv" "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="call.cpp" "sycl-optlevel"="2" "sycl-single-task" "uniform-work-group-size" }
attributes #9 = { mustprogress norecurse nounwind "calls-indirectly"="_ZTS4SetA,_ZTS4SetB,_ZTSv,_ZTS4SetC" "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="call.cpp" "sycl-optlevel"="2" "sycl-single-task" "uniform-work-group-size" }
attributes #10 = { convergent mustprogress norecurse nounwind "frame-pointer"="all" "indirectly-callable"="_ZTS4SetA" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="make.cpp" "sycl-optlevel"="2" "uniform-work-group-size" }
attributes #11 = { mustprogress norecurse nounwind "frame-pointer"="all" "indirectly-callable"="_ZTS4SetB" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="make.cpp" "sycl-optlevel"="2" "uniform-work-group-size" }
attributes #12 = { mustprogress norecurse nounwind "frame-pointer"="all" "indirectly-callable"="_ZTSv" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="make.cpp" "sycl-optlevel"="2" "uniform-work-group-size" }
attributes #13 = { mustprogress norecurse nounwind "calls-indirectly"="_ZTS4SetA,_ZTS4SetB,_ZTSv" "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="make.cpp" "sycl-optlevel"="2" "sycl-single-task" "uniform-work-group-size" }
attributes #14 = { mustprogress norecurse nounwind "frame-pointer"="all" "indirectly-callable"="_ZTS4SetA" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="make.cpp" "sycl-optlevel"="2" "uniform-work-group-size" }
attributes #15 = { convergent nounwind "uniform-work-group-size" "virtual-call" }
attributes #16 = { convergent nounwind "uniform-work-group-size" }

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
!10 = !{!11}
!11 = !{!"fp64", i32 6}
!12 = !{}
!13 = !{!14}
!14 = !{!"fp16", i32 5}
!15 = !{i1 false, i1 false}
!16 = !{!7, !7, i64 0}
!17 = !{!18, !18, i64 0}
!18 = !{!"vtable pointer", !9, i64 0}
!19 = distinct !{null}
!20 = !{!21, !21, i64 0}
!21 = !{!"double", !8, i64 0}
!22 = distinct !{null}
!23 = distinct !{null}
!24 = !{!11, !14}
!25 = !{i32 1}
!26 = !{i64 16, i64 1, i64 1}
!27 = distinct !{null}
!28 = distinct !{null}
!29 = !{!14, !11}
!30 = !{i1 false}
