; accepted by 15 16 19
; What declarations carry beside their signature.
@data = internal constant [2 x i8] c"ab"
@more = internal constant ptr @data
@far = external global i8
declare void @prefixed() prefix i32 7
declare void @pointing() #0 prefix ptr @data
declare i32 @both(i32) prefix [1 x ptr] [ptr @far] prologue ptr @more
declare ptr @intrinsic.like(ptr)
define void @defined() prefix i8 1 prologue i8 2 {
  call void @prefixed()
  call void @pointing()
  %x = call i32 @both(i32 1)
  ret void
}
define void @caller() {
  call void @both(i32 1)
  call void @defined()
  ret void
}
attributes #0 = { nounwind }
