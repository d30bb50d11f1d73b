; accepted by 15 16 19
; Definitions in unusual places, and what hand-written text has and compilers do not print.
@early = global i32 1
$late = comdat any
@member = linkonce_odr global i32 0, comdat
$member = comdat any
@other = linkonce_odr global i32 0, comdat($late), align 4
  nounwind
@attributes = global i32 0
  #0 "key"="value"
@"" = global i8 1
@1 = private global i8 2
@names = global [2 x ptr] [ptr @0, ptr @1]
define void @""() {
  ret void
}
%number = type i32
%scalar.like = type { i8, %number }
%array = type [4 x %scalar.like]
%again = type %number
%point = type ptr addrspace(1)
%flat = type <4 x float>
%0 = type double
%callee = type void (i32)
%result = type i32 ()
%unused = type { [2 x %unused] }
%ring = type { %ring.too }
%ring.too = type { i8, %ring }
@uses = global %array zeroinitializer
@more = global { %again, %point, %flat, %0 } zeroinitializer
declare void @by(ptr byval(%number))
define %number @typed(%number %x, ptr %p) #0 {
  %y = add %again %x, 1
  %z = getelementptr %scalar.like, ptr %p, i32 0, i32 1
  call %callee %p(%number %y)
  %r = call %result %p()
  ret %number %r
}
define void @indirect(ptr %p) {
  call void %p(i32 1)
  ret void
}
declare void @spread(i32)
   nounwind
   willreturn
attributes #0 = { nounwind "a"="1" "b" }
attributes #0 = { cold "a"="2" }
attributes #1 = { noinline }
! 0 = !{ ! 1 }
!1 = !{}
!list = !{!0}
