; accepted by 16 19
target datalayout = "e-p1:32:32"
%T = type { i32, [2 x %U] }
%U = type <{ i8, i64 }>
@i = global [5 x i32] [i32 -2147483648, i32 0, i32 1, i32 2, i32 3]
@z = global %T zeroinitializer
@u = global %T { i32 undef, [2 x %U] [%U <{ i8 poison, i64 9223372036854775807 }>, %U zeroinitializer] }
@b = global [2 x i1] [i1 true, i1 false]
@w = global i128 170141183460469231731687303715884105727
@d = global [8 x double] [double 1.000000e+00, double -0.0, double 0x7FF8000000000000, double 1.0e308, double +1.5, double 3.14159, double 0xFFF0000000000000, double 4.9e-320]
@p = global ptr getelementptr inbounds (%T, ptr @z, i64 0, i32 1, i64 1, i32 1)
@q = global ptr getelementptr (i8, ptr getelementptr inbounds (i8, ptr @z, i64 4), i64 -4)
@c = global ptr addrspace(1) addrspacecast (ptr @z to ptr addrspace(1))
@t = global i32 ptrtoint (ptr addrspace(1) @far to i32)
@far = addrspace(1) global [4 x i8] c"\00\FFa\22"
@e = global i64 add (i64 ptrtoint (ptr @z to i64), i64 mul (i64 ptrtoint (ptr @u to i64), i64 2))
@x = global i64 xor (i64 ptrtoint (ptr @z to i64), i64 -1)
@n = global ptr no_cfi @fun
@l = global ptr dso_local_equivalent @fun
@bb = global [2 x ptr] [ptr blockaddress(@fun, %there), ptr blockaddress(@fun, %"quoted block")]
@v = global <4 x i16> <i16 1, i16 undef, i16 poison, i16 -1>
@vs = global <2 x ptr> <ptr @fun, ptr null>
define void @fun() {
  br label %there
there:
  br label %"quoted block"
"quoted block":
  %y = call i32 @llvm.fptosi.sat.i32.f32(float 0x36A0000000000000)
  ret void
}
declare i32 @llvm.fptosi.sat.i32.f32(float)
