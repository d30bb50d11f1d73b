// Conversions between all types.

#define TO_INT(FROM, TO) \
kernel void FROM##_to_##TO(global const FROM *in, global TO *out) { \
  size_t i = get_global_id(0); \
  out[6 * i] = convert_##TO##_sat(in[i]); \
  out[6 * i + 1] = convert_##TO##_sat_rte(in[i]); \
  out[6 * i + 2] = convert_##TO##_sat_rtz(in[i]); \
  out[6 * i + 3] = convert_##TO##_sat_rtp(in[i]); \
  out[6 * i + 4] = convert_##TO##_sat_rtn(in[i]); \
  out[6 * i + 5] = convert_##TO(in[i]); \
}
#define TO_FLOAT(FROM, TO) \
kernel void FROM##_to_##TO(global const FROM *in, global TO *out) { \
  size_t i = get_global_id(0); \
  out[6 * i] = convert_##TO(in[i]); \
  out[6 * i + 1] = convert_##TO##_rte(in[i]); \
  out[6 * i + 2] = convert_##TO##_rtz(in[i]); \
  out[6 * i + 3] = convert_##TO##_rtp(in[i]); \
  out[6 * i + 4] = convert_##TO##_rtn(in[i]); \
  out[6 * i + 5] = (TO)in[i]; \
}
#define FROM(T) TO_INT(T, char) TO_INT(T, uchar) TO_INT(T, short) TO_INT(T, ushort) \
  TO_INT(T, int) TO_INT(T, uint) TO_INT(T, long) TO_INT(T, ulong) TO_FLOAT(T, float) TO_FLOAT(T, double)
FROM(char)
FROM(uchar)
FROM(short)
FROM(ushort)
FROM(int)
FROM(uint)
FROM(long)
FROM(ulong)
FROM(float)
FROM(double)

kernel void vector_conversions(global const float4 *in, global int4 *out, global uchar4 *bytes) {
  size_t i = get_global_id(0);
  out[i] = convert_int4_rte(in[i]);
  bytes[i] = convert_uchar4_sat(in[i]);
}
