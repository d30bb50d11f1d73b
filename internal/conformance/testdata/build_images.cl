// Images, samplers, pipes, device enqueue, function pointers: built, not launched.

#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

kernel void reads(read_only image2d_t a, read_only image3d_t b, read_only image1d_t c, read_only image2d_array_t d, sampler_t s, global float4 *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  out[0] = read_imagef(a, at) + read_imagef(a, nearest, at) + read_imagef(a, s, convert_float2(at));
  out[1] = read_imagef(b, s, (float4)(0)) + read_imagef(c, 3) + read_imagef(d, nearest, (int4)(at, 1, 0));
  out[2] = convert_float4(read_imagei(a, at)) + convert_float4(read_imageui(b, (int4)(at, 0, 0)));
}
kernel void writes(write_only image2d_t a, write_only image3d_t b, write_only image1d_buffer_t c) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(a, at, (float4)(1)); write_imagei(a, at, (int4)(2)); write_imageui(c, at.x, (uint4)(3)); write_imagef(b, (int4)(at, 0, 0), (float4)(0));
}
kernel void queries(read_only image2d_t a, read_only image3d_t b, read_only image2d_array_t c, global int *out) {
  out[0] = get_image_width(a) + get_image_height(a) + get_image_depth(b) + (int)get_image_array_size(c);
  out[1] = get_image_channel_data_type(a) + get_image_channel_order(a);
  out[2] = get_image_dim(a).y + get_image_dim(b).z;
}
kernel void both(read_write image2d_t a) {
  int2 at = (int2)(get_global_id(0), 0);
  write_imagef(a, at, read_imagef(a, at) * 2);
}
