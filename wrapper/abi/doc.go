// Package abi is the binary interface between a wrapped object and the
// runtime that it registers with: the C structs of the descriptor tree, as
// field tables, with a reader ([Decoder]) and a writer ([Encode]).
//
//	descriptor ── images ──┬─ code, target, options
//	                       ├─ entries ── names
//	                       └─ property sets ── properties ── values
//
// The tree is the same in an object file, in a linked program and in a live
// process; only the meaning of a pointer differs, which is a [Memory] for the
// reader and a [Target] for the writer.
//
// The structs in C follow. The sources are pi.h and ur.h of
// intel/llvm (PI 15.48, UR 2025) for SYCL, and libomptarget's omptarget.h for
// the other kinds. Pointers and size_t have the size of the host's, and a
// 64-bit integer is aligned to 4 on i386.
//
//	struct entry {                      // _pi_offload_entry_struct, __tgt_offload_entry
//	  void *address;                    // null for SYCL
//	  char *name;                       // of the entry point
//	  size_t size;                      // 0 for SYCL
//	  int32_t flags;
//	  int32_t reserved;
//	};
//	struct new_entry {                  // __tgt_offload_entry of LLVM 21
//	  uint64_t reserved;                // 0: tells it from struct entry
//	  uint16_t version;                 // 1
//	  uint16_t kind;                    // 8: SYCL
//	  uint32_t flags;
//	  void *address;
//	  char *name;
//	  uint64_t size;
//	  uint64_t data;
//	  void *auxiliary;
//	};
//	struct property {                   // _pi_device_binary_property_struct
//	  char *name;
//	  void *value;                      // null for a UINT32, which lies in size
//	  uint32_t type;
//	  uint64_t size;                    // of a BYTE_ARRAY with its 8-byte length
//	};
//	struct property_set {               // _pi_device_binary_property_set_struct
//	  char *name;
//	  struct property *begin, *end;     // both null in an empty set
//	};
//	struct image {                      // pi_device_binary_struct: 96 bytes
//	  uint16_t version;                 // 2; 3
//	  uint8_t kind;                     // 4: SYCL; 8 in LLVM's version 3
//	  uint8_t format;                   // devimg.Format; ImageKind with kind 8
//	  char *target, *compile_options, *link_options;
//	  char *manifest_begin, *manifest_end;   // not in version 3: 80 bytes
//	  unsigned char *code_begin, *code_end;
//	  struct entry *entries_begin, *entries_end;
//	  struct property_set *property_sets_begin, *property_sets_end;
//	};
//	struct descriptor {                 // pi_device_binaries_struct
//	  uint16_t version;                 // 1
//	  uint16_t count;
//	  struct image *images;
//	  struct entry *host_begin, *host_end;   // null for SYCL
//	};
//	struct info {                       // an element of section .tgtimg
//	  uintptr_t address;                // of an image's first byte
//	  size_t size;
//	};
//
// Kinds other than SYCL register these, whose entries are the host's table:
//
//	struct target_image {               // __tgt_device_image
//	  void *begin, *end;
//	  struct entry *entries_begin, *entries_end;
//	};
//	struct target_descriptor {          // __tgt_bin_desc
//	  int32_t count;
//	  struct target_image *images;
//	  struct entry *host_begin, *host_end;
//	};
package abi
