// Package spirv reads, writes, links and prints SPIR-V modules (versions 1.0
// to 1.6, of the Kernel capability first of all).
//
// Parse returns a Module: the instructions in the sections of the logical
// layout, with the identifiers resolved. Its methods answer the questions of
// other stages: Imports and Exports (LinkageAttributes), EntryPoints,
// SpecConstants, types and decorations. Link makes one module of several,
// Verify checks the rules on which an executor relies, Bytes writes words, Dump
// prints text.
//
// Input is not trusted: Parse uses memory in proportion to its input and
// rejects everything that is not SPIR-V with an error that gives the offset.
//
// Source of the format: the SPIR-V Specification, version 1.6, unified, and
// the grammar files of SPIRV-Headers, from which the tables in *_gen.go are
// generated.
package spirv

//go:generate go run ./internal/gen -headers /usr/include/spirv/unified1
