// Package abi holds the C structs through which a host program hands its
// device images to a runtime, each once, as a table of fields: [Encode] makes
// the tree of structs of a list of images, and Decode reads such a tree from
// any memory, a file's or a live process's.
//
// The structs, as the C they stand for. The sources are pi.h and ur.h of
// intel/llvm (PI 15.48, UR 2025) for SYCL and libomptarget's omptarget.h for
// the other kinds; pointers and size_t have the size of the host's, and a
// 64-bit integer is aligned to 4 on i386.
//
//	struct entry {                      // _pi_offload_entry_struct, __tgt_offload_entry
//	  void *addr;                       // null for SYCL
//	  char *name;                       // of the entry point
//	  size_t size;                      // 0 for SYCL
//	  int32_t flags;
//	  int32_t reserved;
//	};
//	struct entry_v1 {                   // __tgt_offload_entry of LLVM 20 and later
//	  uint64_t reserved;                // 0: tells it from struct entry
//	  uint16_t version;                 // 1
//	  uint16_t kind;                    // 8: SYCL
//	  uint32_t flags;
//	  void *address;
//	  char *symbol_name;
//	  uint64_t size;
//	  uint64_t data;
//	  void *aux_addr;
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
//	struct image {                      // pi_device_binary_struct, version 2: 96 bytes
//	  uint16_t version;                 // 2
//	  uint8_t kind;                     // 4: SYCL
//	  uint8_t format;
//	  char *target, *compile_options, *link_options;
//	  char *manifest_begin, *manifest_end;   // not in version 3: 80 bytes
//	  unsigned char *begin, *end;
//	  struct entry *entries_begin, *entries_end;
//	  struct property_set *property_sets_begin, *property_sets_end;
//	};
//	struct descriptor {                 // pi_device_binaries_struct
//	  uint16_t version;                 // 1
//	  uint16_t num_images;
//	  struct image *images;
//	  struct entry *host_entries_begin, *host_entries_end;   // null for SYCL
//	};
//	struct image_info {                 // an element of section .tgtimg
//	  uintptr_t address;
//	  size_t size;
//	};
//
// The kinds other than SYCL register these:
//
//	struct tgt_image {                  // __tgt_device_image
//	  void *begin, *end;
//	  struct entry *entries_begin, *entries_end;   // the host's entry table
//	};
//	struct tgt_descriptor {             // __tgt_bin_desc
//	  int32_t num_images;
//	  struct tgt_image *images;
//	  struct entry *host_entries_begin, *host_entries_end;
//	};
package abi
