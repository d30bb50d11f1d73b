; accepted by none
/* What LLVM 20 to 23 print, and flags that are not known here. */
target datalayout = "e-p1(global):64:64-G1"
target triple = "spir64"
@bytes = global [2 x b8] zeroinitializer
@g = global i32 0, some_new_flag, newer_with(1, "x"), align 4
define spir_func range(i32 0, 5) i32 @f(i32 captures(none) %x, ptr captures(address, provenance: read) initializes((0, 8), (16, 24)) dead_on_return newattr(3) %p) nocreateundeforpoison memory(argmem: read, errnomem: none, target_mem0: none) {
  %1 = icmp samesign ult i32 %x, 5
  %2 = trunc nuw nsw i32 %x to i8
  %3 = add newflag nuw i32 %x, u0x1F
  %4 = uitofp nneg i32 %3 to float
  %5 = getelementptr inbounds nuw i8, ptr %p, i64 1
  %6 = load atomic elementwise i32, ptr %p syncscope("x") seq_cst, align 4
  call void @llvm.lifetime.end.p0(ptr captures(none) %p), !new.kind !DINew(one: 1, two: flagA | flagB, three: !{}, four: "x")
  %7 = fcmp nnan oeq float %4, +inf
  %8 = fadd float %4, -nan(0x1)
  %9 = ptrtoaddr ptr %p to i64
  %10 = load float, ptr addrspace("global") null
  %11 = call ptr addrspace(1) @h(ptr no_alias_somehow align(16) %p)
    #dbg_new_record(i32 %x, !0, !DIExpression(DIOpArg(0, ptr), DIOpDeref(i32)), !0)
  #dbg_value(i32 poison, !0, !DIExpression(), !0)
  ret i32 %3
}
declare ptr addrspace(1) @h(ptr)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #0
@n = newword internal newer("x") constant i32 4
@m = newword alias i32, ptr @n
define newword internal spir_kernel newattr(5) void @k() {
  %a = alloca newflag i32
  ret void
}
define void @"llvm22"(target("amdgcn.named.barrier", 0) %b) { ret void }
attributes #0 = { nocallback newword=5 newcall(1, i32, "s", (a: b)) "k"="v" }
!0 = !{}
!1 = distinct !DINewNode(a: 1, b: -5, c: !{!0}, d: i64 7, e: DW_X | DW_Y, f: null, g: true, h: ptr @g)
!llvm.errno.tbaa = !{!0}
^0 = module: (path: "x.o", hash: (1, 2, 3, 4, 5))
^1 = gv: (name: "f", summaries: (function: (module: ^0, flags: (linkage: external), insts: 1)))
^2 = flags: 8
^3 = blockcount: 1
