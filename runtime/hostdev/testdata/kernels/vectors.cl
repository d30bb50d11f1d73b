// Vectors of every size.

#define KERNEL(N) \
kernel void vectors##N(global const int *a, global const int *b, global int *out) { \
  size_t i = get_global_id(0); \
  int##N x = vload##N(i, a), y = vload##N(i, b); \
  vstore##N(x * y + (x - y) / (y | 1), 5 * i, out); \
  vstore##N(x > y, 5 * i + 1, out); \
  vstore##N(select(x, y, x < y), 5 * i + 2, out); \
  vstore##N(bitselect(x, y, (int##N)0x0f0f), 5 * i + 3, out); \
  vstore##N((int##N)(any(x > y) + 10 * all(x >= y)), 5 * i + 4, out); \
}
KERNEL(2)
KERNEL(3)
KERNEL(4)
KERNEL(8)
KERNEL(16)

kernel void swizzles(global const int4 *in, global int4 *out, global const int *index) {
  size_t i = get_global_id(0);
  int4 v = in[i], w;
  out[8 * i] = v.wzyx;
  out[8 * i + 1] = v.xxyy;
  out[8 * i + 2] = (int4)(v.lo, v.even);
  out[8 * i + 3] = (int4)(v.hi.x, 7, v.odd);
  w = v; w.yz = v.xw;
  out[8 * i + 4] = w;
  w = v; w[index[i]] = 99;
  out[8 * i + 5] = w;
  out[8 * i + 6] = (int4)(v[index[i]]);
  out[8 * i + 7] = shuffle2(v, w, (uint4)(7, 0, 5, 2));
}

kernel void shuffles(global const int16 *in, global const uint16 *masks, global int16 *out) {
  size_t i = get_global_id(0);
  out[3 * i] = shuffle(in[i], masks[i]);
  out[3 * i + 1] = shuffle2(in[i], in[i] * 100, masks[i]);
  out[3 * i + 2] = (int16)(shuffle(in[i].lo, masks[i].hi), shuffle2(in[i].s01, in[i].s23, masks[i].lo));
}

// vectors of three take the place of four in memory
kernel void threes(global const float3 *in, global float3 *out, global const char *packed, global char *packed_out) {
  size_t i = get_global_id(0);
  float3 t[2] = {in[i], in[i] * 2};
  out[i] = t[0].zyx + t[1];
  vstore3(vload3(i, packed) + (char3)(1, 2, 3), i, packed_out);
}

// vectors of narrow components, cut from and into other types
kernel void bitcasts(global const uint *in, global uint *out, global ulong *wide) {
  size_t i = get_global_id(0);
  uchar4 bytes = as_uchar4(in[i]);
  out[4 * i] = as_uint(bytes.wzyx);
  ushort2 halves = as_ushort2(in[i]);
  out[4 * i + 1] = as_uint(halves.yx);
  out[4 * i + 2] = as_uint(as_float(in[i]));
  out[4 * i + 3] = as_uint(as_uchar4((uchar4)(1, 2, 3, 4) + bytes));
  wide[2 * i] = as_ulong((uint2)(in[i], 5));
  wide[2 * i + 1] = as_ulong(as_double(as_ulong((ushort4)(1, 2, 3, in[i]))));
}

kernel void bools(global const int *a, global int *out) {
  size_t i = get_global_id(0);
  int3 v = vload3(i, a);
  out[4 * i] = any(v < 0);
  out[4 * i + 1] = all(v < 0);
  out[4 * i + 2] = any((char2)(a[i], 0) == (char2)(7));
  out[4 * i + 3] = all(convert_char3(v) != (char3)(0));
}

kernel void doubles(global const double4 *in, global double4 *out) {
  size_t i = get_global_id(0);
  double4 v = in[i];
  out[i] = v * 2.0 + v.wzyx / (double4)(1, 2, 4, 8) - 1.0;
}
