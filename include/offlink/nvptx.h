/* nvptx.h: the work-item functions of OpenCL for NVIDIA's GPUs. device.h
 * includes it where the target is nvptx64-nvidia-cuda.
 *
 * CUDA knows no offset of a launch and no number of its dimensions: the runtime
 * writes both to two variables before a launch that needs them, and links
 * their definition to modules that refer to them. */
#ifndef OFFLINK_NVPTX_H
#define OFFLINK_NVPTX_H

#if !defined(__NVPTX__)
#error "offlink/nvptx.h: for the target nvptx64-nvidia-cuda"
#endif

#if defined(__cplusplus) && !defined(__OPENCL_CPP_VERSION__)
extern "C" {
#endif

#if defined(__OPENCL_C_VERSION__) || defined(__OPENCL_CPP_VERSION__)
#define OFFLINK_NVPTX_CONSTANT extern __constant
typedef ulong offlink_nvptx_size;
#else
#define OFFLINK_NVPTX_CONSTANT extern const __attribute__((address_space(4)))
typedef unsigned long offlink_nvptx_size;
#endif

OFFLINK_NVPTX_CONSTANT offlink_nvptx_size offlink_global_offset[3];
OFFLINK_NVPTX_CONSTANT unsigned int offlink_work_dim;

#define OFFLINK_NVPTX_FUNCTION static inline __attribute__((always_inline, unused, const)) offlink_nvptx_size
#define OFFLINK_NVPTX_REGISTER(name, dimension, other)                             \
  ((dimension) == 0   ? (offlink_nvptx_size)__nvvm_read_ptx_sreg_##name##_x()      \
   : (dimension) == 1 ? (offlink_nvptx_size)__nvvm_read_ptx_sreg_##name##_y()      \
   : (dimension) == 2 ? (offlink_nvptx_size)__nvvm_read_ptx_sreg_##name##_z()      \
                      : (offlink_nvptx_size)(other))

OFFLINK_NVPTX_FUNCTION offlink_nvptx_local_id(unsigned int d) { return OFFLINK_NVPTX_REGISTER(tid, d, 0); }
OFFLINK_NVPTX_FUNCTION offlink_nvptx_local_size(unsigned int d) { return OFFLINK_NVPTX_REGISTER(ntid, d, 1); }
OFFLINK_NVPTX_FUNCTION offlink_nvptx_group_id(unsigned int d) { return OFFLINK_NVPTX_REGISTER(ctaid, d, 0); }
OFFLINK_NVPTX_FUNCTION offlink_nvptx_num_groups(unsigned int d) { return OFFLINK_NVPTX_REGISTER(nctaid, d, 1); }
OFFLINK_NVPTX_FUNCTION offlink_nvptx_offset(unsigned int d) { return d < 3 ? offlink_global_offset[d] : 0; }
OFFLINK_NVPTX_FUNCTION offlink_nvptx_global_size(unsigned int d) {
  return offlink_nvptx_num_groups(d) * offlink_nvptx_local_size(d);
}
OFFLINK_NVPTX_FUNCTION offlink_nvptx_global_id(unsigned int d) {
  return offlink_nvptx_group_id(d) * offlink_nvptx_local_size(d) + offlink_nvptx_local_id(d) + offlink_nvptx_offset(d);
}
OFFLINK_NVPTX_FUNCTION offlink_nvptx_local_linear_id(void) {
  return (offlink_nvptx_local_id(2) * offlink_nvptx_local_size(1) + offlink_nvptx_local_id(1)) * offlink_nvptx_local_size(0) +
         offlink_nvptx_local_id(0);
}
OFFLINK_NVPTX_FUNCTION offlink_nvptx_global_linear_id(void) {
  return ((offlink_nvptx_global_id(2) - offlink_nvptx_offset(2)) * offlink_nvptx_global_size(1) +
          (offlink_nvptx_global_id(1) - offlink_nvptx_offset(1))) *
             offlink_nvptx_global_size(0) +
         offlink_nvptx_global_id(0) - offlink_nvptx_offset(0);
}

#define get_work_dim() (offlink_work_dim)
#define get_global_size(d) offlink_nvptx_global_size(d)
#define get_global_id(d) offlink_nvptx_global_id(d)
#define get_local_size(d) offlink_nvptx_local_size(d)
#define get_enqueued_local_size(d) offlink_nvptx_local_size(d)
#define get_local_id(d) offlink_nvptx_local_id(d)
#define get_num_groups(d) offlink_nvptx_num_groups(d)
#define get_group_id(d) offlink_nvptx_group_id(d)
#define get_global_offset(d) offlink_nvptx_offset(d)
#define get_global_linear_id() offlink_nvptx_global_linear_id()
#define get_local_linear_id() offlink_nvptx_local_linear_id()

/* bar.sync orders the local and the global memory of a work-group. */
#define barrier(...) __nvvm_bar_sync(0)
#define work_group_barrier(...) __nvvm_bar_sync(0)
#define mem_fence(fences) __nvvm_membar_cta()
#define read_mem_fence(fences) __nvvm_membar_cta()
#define write_mem_fence(fences) __nvvm_membar_cta()

#if defined(__cplusplus) && !defined(__OPENCL_CPP_VERSION__)
}
#endif

#endif
