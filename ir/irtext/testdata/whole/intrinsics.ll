; accepted by 19
; Intrinsics that are called without a declaration.
define i32 @reversed(i32 %x) {
  %r = call i32 @llvm.bitreverse.i32(i32 %x)
  ret i32 %r
}
define void @others(ptr %p, i1 %c, <2 x double> %d) {
  call void (i1) @llvm.assume(i1 %c)
  tail call void @llvm.memset.p0.i64(ptr align 4 dereferenceable(8) %p, i8 0, i64 8, i1 false)
  %q = call noundef <2 x double> @llvm.fabs.v2f64(<2 x double> %d)
  %w = call i32 @llvm.bitreverse.i32(i32 7)
  ret void
}
define void @declared() {
  %r = call i64 @llvm.bitreverse.i64(i64 1)
  ret void
}
declare i64 @llvm.bitreverse.i64(i64)
