; accepted by 16 19
; Every instruction, with its flags.
define i32 @arithmetic(i32 %a, i32 %b, float %x, <4 x i32> %v, ptr %p) {
  %1 = add nuw nsw i32 %a, %b
  %2 = sub nsw i32 %1, -1
  %3 = mul nuw i32 %2, 3
  %4 = udiv exact i32 %3, %b
  %5 = sdiv exact i32 %4, %b
  %6 = urem i32 %5, %b
  %7 = srem i32 %6, %b
  %8 = shl nuw nsw i32 %7, 1
  %9 = lshr exact i32 %8, 1
  %10 = ashr i32 %9, 1
  %11 = and i32 %10, 255
  %12 = or i32 %11, 1
  %13 = xor i32 %12, -1
  %f1 = fadd fast float %x, 1.0
  %f2 = fsub nnan ninf nsz arcp contract afn reassoc float %f1, 0x7FF0000000000000
  %f3 = fmul float %f2, 1.5e+0
  %f4 = fdiv arcp float %f3, %x
  %f5 = frem float %f4, %x
  %f6 = fneg nnan float %f5
  %c1 = fcmp ninf ult float %f6, 0.0
  %c2 = icmp slt <4 x i32> %v, <i32 1, i32 2, i32 3, i32 4>
  %c3 = icmp ne ptr %p, null
  %s = select i1 %c3, i32 %13, i32 7
  %s2 = select fast i1 %c1, float %f6, float undef
  %e = extractelement <4 x i32> %v, i64 1
  %i = insertelement <4 x i32> poison, i32 %e, i32 0
  %h = shufflevector <4 x i32> %i, <4 x i32> %v, <4 x i32> <i32 0, i32 1, i32 undef, i32 5>
  %h2 = shufflevector <vscale x 4 x i32> undef, <vscale x 4 x i32> undef, <vscale x 4 x i32> zeroinitializer
  %z = freeze i32 %s
  %t1 = trunc i32 %z to i8
  %t2 = zext i8 %t1 to i64
  %t3 = sext i8 %t1 to i64
  %t4 = fptrunc float %x to half
  %t5 = fpext float %x to double
  %t6 = fptoui float %x to i32
  %t7 = fptosi float %x to i32
  %t8 = uitofp i32 %t6 to float
  %t9 = sitofp i32 %t7 to float
  %t10 = ptrtoint ptr %p to i64
  %t11 = inttoptr i64 %t10 to ptr
  %t12 = bitcast i32 %z to <2 x i16>
  %t13 = addrspacecast ptr %p to ptr addrspace(4)
  %a1 = insertvalue { i32, [2 x i8] } undef, i8 1, 1, 0
  %a2 = extractvalue { i32, [2 x i8] } %a1, 1, 0
  ret i32 %z
}

define void @memory(ptr %p, ptr addrspace(1) %q, i32 %n) {
  %a = alloca i32
  %b = alloca [4 x i32], i32 %n, align 16
  %c = alloca inalloca i8, i64 8, align 4
  %d = alloca i32, align 4, addrspace(5)
  %1 = load i32, ptr %a, align 4, !nontemporal !0, !range !1
  %2 = load volatile i32, ptr %a
  %3 = load atomic i32, ptr %a acquire, align 4
  %4 = load atomic volatile i32, ptr addrspace(1) %q syncscope("workgroup") monotonic, align 4
  store i32 %1, ptr %a, align 4
  store volatile i32 %2, ptr %a
  store atomic i32 %3, ptr %a syncscope("agent") release, align 4
  store atomic volatile i32 %4, ptr %a seq_cst, align 4
  fence syncscope("singlethread") acq_rel
  fence seq_cst
  %x = cmpxchg weak volatile ptr %a, i32 %1, i32 %2 syncscope("one") acq_rel monotonic, align 4
  %y = cmpxchg ptr %p, ptr %p, ptr null seq_cst seq_cst
  %z = atomicrmw volatile umax ptr %a, i32 1 syncscope("agent") monotonic, align 4
  %w = atomicrmw fadd ptr %a, float 1.0 seq_cst
  %u = atomicrmw uinc_wrap ptr %a, i32 1 seq_cst
  %g = getelementptr inbounds { i32, [2 x i8] }, ptr %p, i64 0, i32 1, i32 %n
  %g2 = getelementptr i8, <2 x ptr> undef, <2 x i64> <i64 1, i64 2>
  %v = va_arg ptr %p, i32
  ret void
}

define void @control(i32 %n, ptr %f) {
entry:
  switch i32 %n, label %other [
    i32 0, label %a
    i32 1, label %b
    i32 -5, label %"a b"
  ]
a:
  br i1 true, label %b, label %other, !prof !2
b:
  %m = phi i32 [ 0, %a ], [ %n, %entry ]
  %k = phi fast float [ 1.0, %a ], [ undef, %entry ]
  indirectbr ptr %f, [label %other, label %"a b"]
"a b":
  %r = call i32 (i32, ...) %f(i32 %n, float 2.0)
  %r2 = tail call fastcc zeroext i8 %f(ptr byval(i32) align 4 %f, i32 inreg 5) #0 [ "deopt"(i32 %n, ptr null), "tag"() ]
  ret void
other:
  callbr void asm sideeffect "", "r,!i"(i32 %n) to label %far [label %farther]
far:
  unreachable
farther:
  call cc 42 void @control(i32 1, ptr null) nounwind "key"="value" memory(none)
  call addrspace(0) void @control(i32 1, ptr @control)
  %asm = call { i32, i32 } asm sideeffect alignstack inteldialect "mov $0, $1 ; }", "=r,=r,~{memory}"()
  call void @llvm.assume(i1 true) [ "align"(ptr %f, i64 8) ]
  ret void
}
declare void @llvm.assume(i1)

define i32 @implicit(i32, i32) {
  add i32 %0, %1
  call i32 @implicit(i32 %3, i32 1)
  call void @llvm.assume(i1 true)
  br label %5
  %6 = phi i32 [ %4, %2 ]
  ret i32 %6
}

attributes #0 = { nounwind }
!0 = !{i32 1}
!1 = !{i32 0, i32 10}
!2 = !{!"branch_weights", i32 1, i32 2}

define i32 @unreachable_phi() {
  ret i32 0
dead:
  %p = phi i32
  ret i32 %p
}
