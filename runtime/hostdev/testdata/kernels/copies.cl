// Asynchronous copies of vectors of three components, which are those of four.

kernel void async_threes(global const uint3 *in, global uint3 *out, local uint3 *tile) {
  event_t e = async_work_group_copy(tile, in, 5, 0);
  wait_group_events(1, &e);
  e = async_work_group_strided_copy(out, tile, 5, 2, 0);
  wait_group_events(1, &e);
}

kernel void async_bytes(global const uchar3 *in, global uchar3 *out, local uchar3 *tile) {
  event_t e = async_work_group_strided_copy(tile, in, 5, 2, 0);
  wait_group_events(1, &e);
  e = async_work_group_copy(out, tile, 5, 0);
  wait_group_events(1, &e);
}
