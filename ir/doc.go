// Package ir is the model of an LLVM module: names, linkage, attributes,
// types, metadata, and the references among them. It does no I/O and knows nothing of
// SYCL.
//
// Function bodies and initialisers are lazy: the model holds the references
// that a body makes, in [Module.Refs], and leaves the body itself with
// the codec that read it (irtext, bitcode), which [Source] stands for. Parts
// that are rarely needed, the operands of a metadata node or the tree of an
// initialiser, are decoded on demand.
//
// Steps that look into bodies decode them ([BodySource], [Body]). The changes of
// a body are decided on that form, in one place ([BodyRewrite]); codecs encode
// them and copy the rest.
//
// A [Module] is filled by one codec and changed only before it is split
// (annotations become attributes, say). From then on it is shared and
// read-only; the changes of one output image are in its [Partition].
package ir
