; accepted by 16 19
; What may stand in the headers of global values.
target datalayout = "e-A5"
module asm "first \22line\22"
module asm ".globl x"
$any = comdat any
$"quoted comdat" = comdat exactmatch
$largest = comdat largest
$one = comdat nodeduplicate
$same = comdat samesize
@default = default global i32 0
@hidden = hidden constant i32 1
@any = linkonce_odr protected global i32 1, comdat
@in = linkonce global i32 1, comdat($any), align 8
@"quoted comdat" = weak_odr global i32 0, section "a \22b\22", partition "part", comdat, align 16
@l = weak global i32 0, comdat($largest)
@a0 = available_externally dllimport global i32 4
@a1 = external dllimport unnamed_addr addrspace(5) externally_initialized constant i32
@a2 = dllexport thread_local(localexec) local_unnamed_addr global i32 0, no_sanitize_address, no_sanitize_hwaddress, sanitize_memtag, sanitize_address_dyninit
@a3 = extern_weak dso_local global i32
@a4 = thread_local(initialexec) global i32 0
@a5 = thread_local(localdynamic) global i32 0
@a6 = thread_local global i32 0, !associated !0, !quoted\20kind !1
@a7 = dso_preemptable global i32 0, align 4 #1 "more" #2
@0 = private global i32 0
@"9" = global ptr @0
@"with\01byte" = global i32 0
@ab = appending global [1 x ptr] [ptr @hidden]
@fa = unnamed_addr alias i32, ptr @hidden
@fb = weak hidden alias i8, ptr addrspacecast (ptr addrspace(5) @spaced to ptr)
@spaced = addrspace(5) global i32 0
@fc = dso_local alias i32 (i32), ptr @function, partition "part"
@fi = ifunc i32 (i32), ptr @resolver
@same_line = global i32 1 @next = global i32 2 ; comment
define i32 @function(i32 %x) unnamed_addr #0 "inline"="attr" nounwind section ".text.x" partition "part" comdat($one) align 16 gc "statepoint-example" prefix i32 5 prologue i8 1 personality ptr @resolver !kind !1 !prof !2 { ret i32 %x }
define linkonce_odr hidden fastcc noalias nonnull align 8 dereferenceable(4) ptr @f2(ptr nocapture readonly align 8 dereferenceable_or_null(8) %0, ptr byval({ i32 }) align 4, i1 zeroext %flag, i8 signext, ptr swiftself, ptr noundef nonnull noalias "string"="attr" %last) local_unnamed_addr addrspace(0) comdat($same) { ret ptr %0 }
define ptr @resolver() { ret ptr @function }
declare !kind !1 extern_weak amdgpu_kernel void @d1(i32, ptr byref(i32)) #1 align 4
declare dllimport i32 @d2(...)
declare cc 78 <2 x i32> @d3(i32, ...) allocsize(0) alignstack(8) "frame-pointer"="all"
declare swiftcc void @d4(ptr sret({ i64, <2 x i8> }) align 8, ptr swifterror, ptr swiftasync)
define void @order(i32 %x) {
  %y = add i32 %x, 1
  %z = add i32 %x, 2
  ret void
  uselistorder i32 %x, { 1, 0 }
}
uselistorder ptr @hidden, { 1, 0 }
attributes #0 = { alwaysinline "a"="b" "c" align=16 alignstack=8 allockind("alloc,zeroed") memory(argmem: read, inaccessiblemem: readwrite) vscale_range(1,16) }
attributes #1 = { "only"="strings" }
attributes #2 = { "x" }
!0 = !{ptr @hidden}
!1 = distinct !{!1, null, i64 5}
!2 = !{!"function_entry_count", i64 5}
