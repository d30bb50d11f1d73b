#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// Coordinates are vectors of four; each kind takes those that it has.
#define AT1(v) (v).x
#define AT2(v) (v).xy
#define AT4(v) (v)

#define KIND(kind, image, F, I)                                                                                  \
	kernel void sample_##kind##_f(read_only image im, sampler_t s, global const float4 *at, global float4 *out) { \
		size_t i = get_global_id(0);                                                                             \
		out[i] = read_imagef(im, s, F(at[i]));                                                                   \
	}                                                                                                            \
	kernel void sample_##kind##_i(read_only image im, sampler_t s, global const float4 *at, global int4 *out) {   \
		size_t i = get_global_id(0);                                                                             \
		out[i] = read_imagei(im, s, F(at[i]));                                                                   \
	}                                                                                                            \
	kernel void sample_##kind##_u(read_only image im, sampler_t s, global const float4 *at, global uint4 *out) {  \
		size_t i = get_global_id(0);                                                                             \
		out[i] = read_imageui(im, s, F(at[i]));                                                                  \
	}                                                                                                            \
	kernel void index_##kind##_f(read_only image im, sampler_t s, global const int4 *at, global float4 *out) {    \
		size_t i = get_global_id(0);                                                                             \
		out[i] = read_imagef(im, s, I(at[i]));                                                                   \
	}                                                                                                            \
	kernel void index_##kind##_i(read_only image im, sampler_t s, global const int4 *at, global int4 *out) {      \
		size_t i = get_global_id(0);                                                                             \
		out[i] = read_imagei(im, s, I(at[i]));                                                                   \
	}                                                                                                            \
	kernel void index_##kind##_u(read_only image im, sampler_t s, global const int4 *at, global uint4 *out) {     \
		size_t i = get_global_id(0);                                                                             \
		out[i] = read_imageui(im, s, I(at[i]));                                                                  \
	}                                                                                                            \
	PLAIN(kind, image, I)

#define PLAIN(kind, image, I)                                                                               \
	kernel void read_##kind##_f(read_only image im, global const int4 *at, global float4 *out) {            \
		size_t i = get_global_id(0);                                                                        \
		out[i] = read_imagef(im, I(at[i]));                                                                 \
	}                                                                                                       \
	kernel void read_##kind##_i(read_only image im, global const int4 *at, global int4 *out) {              \
		size_t i = get_global_id(0);                                                                        \
		out[i] = read_imagei(im, I(at[i]));                                                                 \
	}                                                                                                       \
	kernel void read_##kind##_u(read_only image im, global const int4 *at, global uint4 *out) {             \
		size_t i = get_global_id(0);                                                                        \
		out[i] = read_imageui(im, I(at[i]));                                                                \
	}                                                                                                       \
	kernel void write_##kind##_f(write_only image im, global const int4 *at, global const float4 *in) {     \
		size_t i = get_global_id(0);                                                                        \
		write_imagef(im, I(at[i]), in[i]);                                                                  \
	}                                                                                                       \
	kernel void write_##kind##_i(write_only image im, global const int4 *at, global const int4 *in) {       \
		size_t i = get_global_id(0);                                                                        \
		write_imagei(im, I(at[i]), in[i]);                                                                  \
	}                                                                                                       \
	kernel void write_##kind##_u(write_only image im, global const int4 *at, global const uint4 *in) {      \
		size_t i = get_global_id(0);                                                                        \
		write_imageui(im, I(at[i]), in[i]);                                                                 \
	}                                                                                                       \
	kernel void format_##kind(read_only image im, global int *out) {                                        \
		out[0] = get_image_channel_data_type(im);                                                           \
		out[1] = get_image_channel_order(im);                                                               \
		out[2] = get_image_width(im);                                                                       \
	}

KIND(1d, image1d_t, AT1, AT1)
KIND(1d_array, image1d_array_t, AT2, AT2)
KIND(2d, image2d_t, AT2, AT2)
KIND(2d_array, image2d_array_t, AT4, AT4)
KIND(3d, image3d_t, AT4, AT4)
PLAIN(1d_buffer, image1d_buffer_t, AT1)

kernel void sizes(read_only image2d_t a, read_only image2d_array_t b, read_only image3d_t c, read_only image1d_array_t d, global int *out) {
	out[0] = get_image_dim(a).x;
	out[1] = get_image_height(a);
	out[2] = get_image_dim(b).y;
	out[3] = get_image_array_size(b);
	out[4] = get_image_depth(c);
	out[5] = get_image_dim(c).z;
	out[6] = get_image_array_size(d);
}

#ifdef cl_khr_depth_images
kernel void depth(read_only image2d_depth_t from, write_only image2d_depth_t to, sampler_t s, global float *out) {
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	float v = read_imagef(from, at);
	out[at.y * get_global_size(0) + at.x] = v + read_imagef(from, s, convert_float2(at) + 0.5f);
	write_imagef(to, at, 1.0f - v);
}
#endif

#ifdef cl_khr_fp16
kernel void halves(read_only image2d_t im, sampler_t s, global const float2 *at, global half *out) {
	size_t i = get_global_id(0);
	vstore4(read_imageh(im, s, at[i]), i, out);
}
#endif

#if __OPENCL_C_VERSION__ >= 200
// Each work-item reads a texel, and after the barrier writes it to where its mirror
// image is.
kernel void mirror(read_write image2d_t im) {
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	float4 v = read_imagef(im, at);
	barrier(CLK_GLOBAL_MEM_FENCE);
	write_imagef(im, (int2)(get_global_size(0) - 1 - at.x, at.y), v);
}
#endif

constant sampler_t program_sampler = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;

// Samplers and images that go through functions, and branches that differ.
float4 blur(read_only image2d_t im, float2 at, sampler_t s) {
	float4 sum = 0;
	for (int i = -1; i <= 1; i++) sum += read_imagef(im, s, at + i * 0.125f);
	return sum;
}

kernel void passes(read_only image2d_t im, global const float2 *at, global float4 *out) {
	const sampler_t own = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
	size_t i = get_global_id(0);
	float4 v = blur(im, at[i], program_sampler);
	if (v.x > 1.0f) v += read_imagef(im, own, convert_int2(at[i] * 8));
	out[i] = v;
}
