; accepted by 16 19
; Specialised nodes, inline nodes, function-local metadata.
@g = global i32 0, !dbg !30
define void @f(i32 %x, ptr %p) !dbg !10 {
  call void @llvm.dbg.value(metadata i32 %x, metadata !14, metadata !DIExpression(DW_OP_plus_uconst, 8, DW_OP_deref, DW_OP_LLVM_fragment, 0, 16)), !dbg !15
  call void @llvm.dbg.value(metadata !DIArgList(i32 %x, ptr @g, i32 5), metadata !14, metadata !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_LLVM_convert, 32, DW_ATE_signed, DW_OP_stack_value)), !dbg !DILocation(line: 5, column: 3, scope: !10)
  call void @llvm.dbg.declare(metadata ptr %p, metadata !14, metadata !DIExpression()), !dbg !15
  call void @llvm.dbg.label(metadata !16), !dbg !15
  %1 = load i32, ptr %p, align 4, !dbg !15, !tbaa !20, !my\20kind !{i32 1, !"x", ptr @g}
  %2 = call float @llvm.experimental.constrained.sqrt.f32(float 1.0, metadata !"round.tonearest", metadata !"fpexcept.strict"), !dbg !15
  call i64 @llvm.read_register.i64(metadata !{!"sp"}), !dbg !15
  ret void, !dbg !17
}
declare void @llvm.dbg.value(metadata, metadata, metadata)
declare void @llvm.dbg.declare(metadata, metadata, metadata)
declare void @llvm.dbg.label(metadata)
declare float @llvm.experimental.constrained.sqrt.f32(float, metadata, metadata)
declare i64 @llvm.read_register.i64(metadata)
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!6, !7}
!named\20\22node = !{!1, !DIExpression(DW_OP_deref)}
!empty = !{}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "quote \22 }", isOptimized: true, flags: "-g", runtimeVersion: 0, splitDebugFilename: "x.dwo", emissionKind: FullDebug, enums: !{!22}, retainedTypes: !{!24}, globals: !{!30}, imports: !{!33}, macros: !{!35}, dwoId: 18446744073709551615, splitDebugInlining: false, debugInfoForProfiling: true, nameTableKind: GNU, rangesBaseAddress: true, sysroot: "/", sdk: "s")
!1 = !DIFile(filename: "a\\b.c", directory: "/d;{", checksumkind: CSK_MD5, checksum: "00000000000000000000000000000000", source: "int } x;\0A")
!6 = !{i32 7, !"Dwarf Version", i32 5}
!7 = !{i32 2, !"Debug Info Version", i32 3}
!9 = !DISubroutineType(flags: DIFlagLValueReference | DIFlagPublic, cc: DW_CC_normal, types: !{null, !11})
!10 = distinct !DISubprogram(name: "f", linkageName: "_Z1f", scope: !1, file: !1, line: 3, type: !9, scopeLine: 3, containingType: !24, virtualIndex: 1, thisAdjustment: -8, flags: DIFlagPrototyped | DIFlagArtificial, spFlags: DISPFlagDefinition | DISPFlagVirtual | DISPFlagOptimized, unit: !0, templateParams: !{!25, !26, !27}, retainedNodes: !{!14}, thrownTypes: !{!11}, annotations: !{!{!"k", !"v"}}, targetFuncName: "t")
!11 = !DIBasicType(tag: DW_TAG_base_type, name: "int", size: 32, align: 32, encoding: DW_ATE_signed)
!12 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !11, size: 64, dwarfAddressSpace: 1, extraData: !13)
!13 = !{}
!14 = !DILocalVariable(name: "x", arg: 1, scope: !10, file: !1, line: 3, type: !11, flags: DIFlagArtificial, align: 32)
!15 = !DILocation(line: 3, column: 1, scope: !18, inlinedAt: !17, isImplicitCode: true)
!16 = !DILabel(scope: !10, name: "l", file: !1, line: 4)
!17 = distinct !DILocation(line: 4, scope: !10)
!18 = distinct !DILexicalBlockFile(scope: !19, file: !1, discriminator: 2)
!19 = distinct !DILexicalBlock(scope: !10, file: !1, line: 1, column: 2)
!20 = !{!21, !21, i64 0}
!21 = !{!"int", !13}
!22 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "E", file: !1, line: 1, baseType: !11, size: 32, flags: DIFlagEnumClass, elements: !{!23}, identifier: "_ZTS1E")
!23 = !DIEnumerator(name: "big", value: 340282366920938463463374607431768211455, isUnsigned: true)
!24 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "S", scope: !28, file: !1, size: 64, elements: !{!29, !36}, runtimeLang: DW_LANG_C_plus_plus, vtableHolder: !24)
!25 = !DITemplateTypeParameter(name: "T", type: !11, defaulted: true)
!26 = !DITemplateValueParameter(tag: DW_TAG_template_value_parameter, name: "V", type: !11, value: i32 -7)
!27 = !DITemplateValueParameter(tag: DW_TAG_GNU_template_template_param, value: !"vec")
!28 = !DINamespace(scope: null, name: "n", exportSymbols: true)
!29 = !DIDerivedType(tag: DW_TAG_member, name: "m", scope: !24, baseType: !11, size: 3, offset: 5, flags: DIFlagBitField, extraData: i64 0)
!30 = !DIGlobalVariableExpression(var: !31, expr: !DIExpression())
!31 = distinct !DIGlobalVariable(name: "g", linkageName: "_g", scope: !32, file: !1, line: 1, type: !11, isLocal: false, isDefinition: true, declaration: !29, align: 8, templateParams: !13)
!32 = !DIModule(scope: null, name: "m", configMacros: "-D", includePath: "/i", apinotes: "n", line: 1, isDecl: true)
!33 = !DIImportedEntity(tag: DW_TAG_imported_module, scope: !0, entity: !28, file: !1, line: 5, name: "alias", elements: !{!34})
!34 = !DIImportedEntity(tag: DW_TAG_imported_declaration, scope: !0, entity: !11)
!35 = !DIMacroFile(type: DW_MACINFO_start_file, line: 9, file: !1, nodes: !{!37})
!36 = !DICompositeType(tag: DW_TAG_array_type, baseType: !11, dataLocation: !DIExpression(DW_OP_push_object_address), allocated: !14, elements: !{!DISubrange(count: 5, lowerBound: 0), !38, !39})
!37 = !DIMacro(type: DW_MACINFO_define, line: 1, name: "M", value: "1")
!38 = !DISubrange(lowerBound: !14, upperBound: !DIExpression(DW_OP_constu, 4), stride: 2)
!39 = !DIGenericSubrange(lowerBound: !DIExpression(DW_OP_constu, 1), upperBound: !14, stride: !14)
!40 = distinct !GenericDINode(tag: DW_TAG_member, header: "h\00", operands: {!1, null, !{}})
!41 = !DIStringType(name: "s", stringLength: !14, stringLengthExpression: !DIExpression(), size: 32)
!42 = !DICommonBlock(scope: !10, declaration: !31, name: "c", file: !1, line: 4)
!44 = distinct !DIAssignID()
!all = !{!12, !36, !40, !41, !42, !44, !50, !51}
!50 = !{i64 7, float 1.5, { i32, ptr } { i32 1, ptr @g }, <2 x i8> <i8 1, i8 2>, [1 x i8] c"x", ptr null, ptr @f, i32 undef}
!51 = distinct !{!51, !52}
!52 = distinct !{!51}
