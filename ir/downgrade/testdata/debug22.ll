define void @f(i32 %x, ptr %p) !dbg !6 {
entry:
  %a = alloca i32, align 4
    #dbg_value(i32 %x, !20, !DIExpression(), !21)
    #dbg_declare(ptr %p, !20, !DIExpression(), !21)
    #dbg_assign(i32 %x, !20, !DIExpression(), !22, ptr %p, !DIExpression(), !21)
    #dbg_label(!23, !21)
    #dbg_declare_value(i32 %x, !20, !DIExpression(), !21)
  store i32 1, ptr %p, align 4, !dbg !21
  call void @llvm.lifetime.start.p0(ptr %a), !dbg !24
  store i32 2, ptr %p, align 4, !dbg !24
  store i32 3, ptr %p, align 4, !dbg !24
  call void @llvm.lifetime.end.p0(ptr %a), !dbg !24
  call void @llvm.lifetime.start.p0(ptr %a), !dbg !35
  call void @llvm.lifetime.end.p0(ptr %a), !dbg !35
  store i32 4, ptr %p, align 4, !dbg !35
  ret void, !dbg !35
}

declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)

!llvm.dbg.cu = !{!3}
!llvm.module.flags = !{!0}
!named = !{!10, !12, !13, !14, !15, !16, !17, !20, !23, !25, !26, !27, !28, !29, !30, !31, !32, !33, !34}

!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !DIFile(filename: "a.c", directory: "/", checksumkind: CSK_MD5, checksum: "000102030405060708090a0b0c0d0e0f", source: "x")
!2 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!3 = distinct !DICompileUnit(sourceLanguageName: DW_LNAME_C, sourceLanguageVersion: 199901, file: !1, emissionKind: FullDebug)
!4 = !DISubroutineType(types: !5)
!5 = !{!2}
!6 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !4, spFlags: DISPFlagDefinition, unit: !3, keyInstructions: true, targetFuncName: "q")
!7 = !{}
!8 = !DIExpression()
!10 = !DIBasicType(name: "char", size: 32, dataSize: 8, encoding: DW_ATE_signed, num_extra_inhabitants: 2)
!12 = !DIDerivedType(tag: DW_TAG_member, name: "m", baseType: !2, size: 24, offset: 8)
!13 = !DIDerivedType(tag: DW_TAG_LLVM_ptrauth_type, baseType: !2, ptrAuthKey: 2, ptrAuthIsAddressDiscriminated: true, ptrAuthExtraDiscriminator: 1)
!14 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "e", specification: !2, num_extra_inhabitants: 1, enumKind: DW_APPLE_ENUM_KIND_Closed)
!15 = !DISubrangeType(name: "s", baseType: !2, lowerBound: i64 1)
!16 = !DIFixedPointType(name: "d", size: 32, kind: Rational, numerator: 1, denominator: 10, encoding: DW_ATE_signed_fixed)
!17 = !DICompositeType(tag: DW_TAG_array_type, baseType: !2, elements: !7, bitStride: i64 3, size: 96)
!20 = !DILocalVariable(name: "x", scope: !6, file: !1, line: 2, type: !2)
!21 = !DILocation(line: 3, column: 2, scope: !6, atomGroup: 1, atomRank: 1)
!22 = distinct !DIAssignID()
!23 = !DILabel(scope: !6, name: "l", file: !1, line: 2, column: 3, isArtificial: true, coroSuspendIdx: 1)
!24 = !DILocation(line: 4, column: 2, scope: !6)
!25 = !DIStringType(name: "t", size: 8)
!26 = !DINamespace(name: "n", scope: !1, exportSymbols: true)
!27 = !DIEnumerator(name: "v", value: 3, isUnsigned: true)
!28 = !DIModule(scope: !1, name: "m", isDecl: true, line: 3, file: !1)
!29 = !DIImportedEntity(tag: DW_TAG_imported_module, scope: !1, entity: !1, elements: !7)
!30 = !DITemplateTypeParameter(name: "p", type: !2)
!31 = distinct !DIGlobalVariable(name: "g", scope: !1, file: !1, type: !2, isLocal: true, isDefinition: true, annotations: !7)
!32 = !DISubrange(count: 3, lowerBound: 0)
!33 = !DIGenericSubrange(lowerBound: !8, upperBound: !8, stride: !8)
!34 = !DILexicalBlock(scope: !6, file: !1, line: 3, column: 2)
!35 = !DILocation(line: 5, column: 2, scope: !6)
