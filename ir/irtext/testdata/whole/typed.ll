; accepted by 14 15
; Typed pointers, numbered types, and constant expressions of that time.
source_filename = "typed"
%0 = type { i32, %1* }
%1 = type { i8, %0, [2 x %2] }
%2 = type <{ i64, void (i32, ...)* }>
%opaque.type = type opaque
%"quoted \22type\22" = type { %opaque.type*, <4 x float>, {} }
%empty = type {}

@table = internal constant [2 x i32 (i32)*] [i32 (i32)* @f, i32 (i32)* bitcast (i64 (i64)* @g to i32 (i32)*)]
@0 = private constant [3 x i8] c"a\5C\00"
@1 = global i8* getelementptr inbounds ([3 x i8], [3 x i8]* @0, i32 0, inrange i32 1)
@diff = global i64 sub (i64 ptrtoint (i8** @1 to i64), i64 ptrtoint ([3 x i8]* @0 to i64))
@sel = global i32* select (i1 icmp eq (i64 ptrtoint (i8** @1 to i64), i64 0), i32* null, i32* inttoptr (i64 16 to i32*))
@vec = global <2 x i32*> <i32* null, i32* undef>
@nested = global { i32, { float, [2 x i16] }, <{ i8, i32 }> } { i32 -1, { float, [2 x i16] } { float 0x3FB99999A0000000, [2 x i16] [i16 1, i16 -2] }, <{ i8, i32 }> <{ i8 3, i32 4 }> }
@fp = global { half, x86_fp80, fp128, ppc_fp128, bfloat } { half 0xH3C00, x86_fp80 0xK3FFF8000000000000000, fp128 0xL00000000000000003FFF000000000000, ppc_fp128 0xM3FF00000000000000000000000000000, bfloat 0xR3F80 }
@obj = external global %"quoted \22type\22"
@back = alias i8, getelementptr inbounds ([3 x i8], [3 x i8]* @0, i64 0, i64 1)
@also = internal alias i32 (i32), i32 (i32)* @f

define i32 @f(i32 %x) {
  %p = alloca %0*, align 8
  %fp = load void (i32, ...)*, void (i32, ...)** undef
  call void (i32, ...) %fp(i32 %x, double 1.0)
  call void (i32, ...) @variadic(i32 1, i8* blockaddress(@f, %next))
  br label %next
next:
  %q = load %0*, %0** %p
  %r = getelementptr %0, %0* %q, i64 0, i32 1
  %s = load %1*, %1** %r
  %t = getelementptr inbounds %1, %1* %s, i64 0, i32 2, i64 1, i32 0
  %u = load i64, i64* %t
  %v = trunc i64 %u to i32
  %w = call i32 bitcast (i64 (i64)* @g to i32 (i32)*)(i32 %v)
  %y = addrspacecast i32* null to i32 addrspace(4)*
  ret i32 %w
}

define i64 @g(i64) {
  %2 = add i64 %0, 1
  ret i64 %2
}

declare void @variadic(i32, ...)
declare %empty @returns_empty(%empty*, [0 x i8]*, i8 addrspace(3)* addrspace(1)*)

define void ()* @chooses(i32 %x) {
  ret void ()* null
}

define void @results_that_are_functions() {
  %1 = call void ()* (i32) @chooses(i32 1)
  call void %1()
  %n = call void ()* (i32) @chooses(i32 2)
  ret void
}
