source_filename = "text"
target triple = "spir64-unknown-unknown"

%pair = type <{ i8, [2 x float] }>

$c = comdat largest

@0 = private unnamed_addr constant [2 x i8] c"a\00"
@table = internal addrspace(1) constant [2 x ptr] [ptr @f, ptr @"odd name"], !note !2
@outer = external global %pair
@other = alias void (ptr, ...), ptr @f

define linkonce_odr spir_func void @f(ptr %p, ...) #0 comdat($c) {
  %v = load <4 x i16>, ptr %p
  call void %p(i32 1)
  call void @"odd name"()
  ret void
}
declare void @"odd name"()

attributes #0 = { nounwind "sycl-module-id"="a.cpp" "marked" }
!list = !{!0, !1}
!0 = !{!"text", i32 -1, null, ptr @f, !{i8 1}}
!1 = distinct !DICompileUnit(language: DW_LANG_C, file: !3)
!2 = !{!2, double 1.000000e+00}
!3 = !DIFile(filename: "a.cpp", directory: "/")
