// Dot products of integers (cl_khr_integer_dot_product).

kernel void dots(global const uchar4 *a, global const uchar4 *b, global const int *sums, global int *out) {
  size_t i = get_global_id(0);
  uchar4 ux = a[i], uy = b[i];
  char4 sx = as_char4(ux), sy = as_char4(uy);
  uint px = as_uint(ux), py = as_uint(uy);
  int sum = sums[i];
  out += 16 * i;
  out[0] = dot(ux, uy);
  out[1] = dot(sx, sy);
  out[2] = dot(ux, sy);
  out[3] = dot(sx, uy);
  out[4] = dot_acc_sat(ux, uy, (uint)sum);
  out[5] = dot_acc_sat(sx, sy, sum);
  out[6] = dot_acc_sat(ux, sy, sum);
  out[7] = dot_acc_sat(sx, uy, sum);
  out[8] = dot_4x8packed_uu_uint(px, py);
  out[9] = dot_4x8packed_ss_int(px, py);
  out[10] = dot_4x8packed_us_int(px, py);
  out[11] = dot_4x8packed_su_int(px, py);
  out[12] = dot_acc_sat_4x8packed_uu_uint(px, py, sum);
  out[13] = dot_acc_sat_4x8packed_ss_int(px, py, sum);
  out[14] = dot_acc_sat_4x8packed_us_int(px, py, sum);
  out[15] = dot_acc_sat_4x8packed_su_int(px, py, sum);
}
