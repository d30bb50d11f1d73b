// Package wrapper puts device images into files and takes them out again.
//
// [Wrap] writes a host object, or LLVM IR for one, without a compiler: the
// images' bytes, the tree of C structs that describes them (package abi), and
// a constructor that hands the tree to the SYCL runtime. [Open] and [Unwrap]
// find images in objects, archives, programs, libraries and envelopes of
// their own (package container). [File.Replace] and [File.Remove] edit
// finished files, which cannot be linked again.
//
//	devimg.Image -> Digest, Compress -> abi.Encode -> sections, fixups -> objfile
//	file -> objfile, container -> abi.Decoder -> devimg.Image
//
// Three decisions shape the package. The code of images is never held in
// memory: it is an [io.ReaderAt] on its way in, and bytes of a mapped file on
// its way out, since images of several GiB are common. Descriptors are found by
// their content and not by symbols, since programs are stripped. And whatever
// differs between ELF, COFF and Mach-O is a value (hostformat.go) or a row
// (objfile), so that the rest of the package does not ask for the format.
package wrapper
