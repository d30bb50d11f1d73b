// What the embedded device refuses, in one function that a kernel uses and in
// one that none does.
kernel void reads_image(read_only image2d_t image, global float4 *out) {
  const sampler_t nearest = CLK_FILTER_NEAREST | CLK_NORMALIZED_COORDS_FALSE;
  out[0] = read_imagef(image, nearest, (int2)(1, 2));
}
