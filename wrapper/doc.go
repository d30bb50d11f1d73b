// Package wrapper puts device images into files and takes them out again.
//
// [Wrap] writes a host object, or LLVM IR for one, without a compiler: the
// images' bytes, the tree of C structs that describes them (package abi), and
// a constructor that hands the tree to the SYCL runtime. [Open] and [Unwrap]
// find images in objects, archives, programs, libraries and envelopes of
// their own (package container).
//
//	devimg.Image -> Digest, Compress -> abi.Encode -> sections, fixups -> objfile
//	file -> objfile, container -> abi.Decoder -> devimg.Image
package wrapper
