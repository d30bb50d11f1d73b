// The functions of cl_intel_subgroups, which clang 15 does not declare.

#define OVERLOADED __attribute__((overloadable))
int OVERLOADED intel_sub_group_shuffle(int, uint);
int OVERLOADED intel_sub_group_shuffle_xor(int, uint);
int OVERLOADED intel_sub_group_shuffle_up(int, int, uint);
int OVERLOADED intel_sub_group_shuffle_down(int, int, uint);
uint OVERLOADED intel_sub_group_block_read(const global uint *);
uint2 OVERLOADED intel_sub_group_block_read2(const global uint *);
void OVERLOADED intel_sub_group_block_write2(global uint *, uint2);

__attribute__((intel_reqd_sub_group_size(8)))
kernel void functions(global const int *in, global int *out, global uint *blocks) {
  size_t i = get_global_id(0);
  int v = in[i];
  uint lane = get_sub_group_local_id();
  global const uint *mine = (global const uint *)in + get_sub_group_id() * 8;
  out += i * 5;
  out[0] = intel_sub_group_shuffle(v, (lane * 3 + 1) & 7);
  out[1] = intel_sub_group_shuffle_xor(v, 5);
  out[2] = intel_sub_group_shuffle_up(-v, v, 2);
  out[3] = intel_sub_group_shuffle_down(v, -v, 3);
  out[4] = intel_sub_group_block_read(mine);
  if (get_sub_group_id() < get_num_sub_groups() - 1)
    intel_sub_group_block_write2(blocks + get_sub_group_id() * 16, intel_sub_group_block_read2(mine) + 1);
}
