// The work-item functions of OpenCL C for PTX modules that do not define them,
// by their mangled names. testdata/builtins.sh makes builtins.ptx of this.
//
// CUDA launches have no offset and do not tell their number of dimensions: the
// runtime writes both to variables (variables.go).
typedef unsigned int uint;
typedef unsigned long size_t;

#define CONSTANT __attribute__((address_space(4)))
// volatile: the compiler must not take the initial values for the contents.
volatile CONSTANT size_t offlink_global_offset[3] = {0, 0, 0};
volatile CONSTANT uint offlink_work_dim = 1;

#define PICK(d, x, y, z, other) ((d) == 0 ? (x) : (d) == 1 ? (y) : (d) == 2 ? (z) : (other))
#define SREG(name, d, other) \
  PICK(d, (size_t)__nvvm_read_ptx_sreg_##name##_x(), (size_t)__nvvm_read_ptx_sreg_##name##_y(), \
       (size_t)__nvvm_read_ptx_sreg_##name##_z(), (size_t)(other))

static inline __attribute__((always_inline)) size_t offset(uint d) { return d < 3 ? offlink_global_offset[d] : 0; }
static inline __attribute__((always_inline)) size_t global_id(uint d) {
  return SREG(ctaid, d, 0) * SREG(ntid, d, 1) + SREG(tid, d, 0) + offset(d);
}
static inline __attribute__((always_inline)) size_t global_size(uint d) { return SREG(nctaid, d, 1) * SREG(ntid, d, 1); }

uint get_work_dim(void) __asm__("_Z12get_work_dimv");
uint get_work_dim(void) { return offlink_work_dim; }
size_t get_global_id(uint d) __asm__("_Z13get_global_idj");
size_t get_global_id(uint d) { return global_id(d); }
size_t get_global_size(uint d) __asm__("_Z15get_global_sizej");
size_t get_global_size(uint d) { return global_size(d); }
size_t get_global_offset(uint d) __asm__("_Z17get_global_offsetj");
size_t get_global_offset(uint d) { return offset(d); }
size_t get_local_id(uint d) __asm__("_Z12get_local_idj");
size_t get_local_id(uint d) { return SREG(tid, d, 0); }
size_t get_local_size(uint d) __asm__("_Z14get_local_sizej");
size_t get_local_size(uint d) { return SREG(ntid, d, 1); }
size_t get_enqueued_local_size(uint d) __asm__("_Z23get_enqueued_local_sizej");
size_t get_enqueued_local_size(uint d) { return SREG(ntid, d, 1); }
size_t get_num_groups(uint d) __asm__("_Z14get_num_groupsj");
size_t get_num_groups(uint d) { return SREG(nctaid, d, 1); }
size_t get_group_id(uint d) __asm__("_Z12get_group_idj");
size_t get_group_id(uint d) { return SREG(ctaid, d, 0); }
size_t get_local_linear_id(void) __asm__("_Z19get_local_linear_idv");
size_t get_local_linear_id(void) {
  return (SREG(tid, 2, 0) * SREG(ntid, 1, 0) + SREG(tid, 1, 0)) * SREG(ntid, 0, 0) + SREG(tid, 0, 0);
}
size_t get_global_linear_id(void) __asm__("_Z20get_global_linear_idv");
size_t get_global_linear_id(void) {
  size_t x = global_id(0) - offset(0), y = global_id(1) - offset(1), z = global_id(2) - offset(2);
  return (z * global_size(1) + y) * global_size(0) + x;
}

// A barrier orders memory as __syncthreads does: local and global memory of
// the block.
__attribute__((convergent)) void barrier(uint fences) __asm__("_Z7barrierj");
void barrier(uint fences) { (void)fences; __nvvm_bar_sync(0); }
__attribute__((convergent)) void work_group_barrier(uint fences) __asm__("_Z18work_group_barrierj");
void work_group_barrier(uint fences) { (void)fences; __nvvm_bar_sync(0); }
__attribute__((convergent)) void work_group_barrier_scope(uint fences, int scope) __asm__("_Z18work_group_barrierj12memory_scope");
void work_group_barrier_scope(uint fences, int scope) { (void)fences; (void)scope; __nvvm_bar_sync(0); }
void mem_fence(uint fences) __asm__("_Z9mem_fencej");
void mem_fence(uint fences) { (void)fences; __nvvm_membar_cta(); }
void read_mem_fence(uint fences) __asm__("_Z14read_mem_fencej");
void read_mem_fence(uint fences) { (void)fences; __nvvm_membar_cta(); }
void write_mem_fence(uint fences) __asm__("_Z15write_mem_fencej");
void write_mem_fence(uint fences) { (void)fences; __nvvm_membar_cta(); }
