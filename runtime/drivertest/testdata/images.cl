// The kernels of the suite's case of images.
__kernel void sample(read_only image2d_t in, sampler_t how, __global float4 *out, float2 at) {
  out[get_global_id(0)] = read_imagef(in, how, at);
}

__kernel void paint(write_only image2d_t out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, at, (float4)(at.x, at.y, 0.5f, 1.0f));
}
