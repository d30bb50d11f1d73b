/* imf_special.cl: functions of sycl::ext::intel::math that OpenCL C lacks: those of the normal
 * distribution, inverses of the error functions, Bessel functions.
 */
#include "library.h"
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

/* IMF with a name that is a macro. */
#define IMF_NAMED(...) IMF(__VA_ARGS__)

#define REAL float
#define F(name) name##_float
#define NAME(name) name##f
#define EPSILON FLT_EPSILON
#define LARGEST FLT_MAX
#define LEAST 1e-30f
#define SCALE 1e20f
#define PI M_PI_F
#define SQRT_PI 1.77245385f
#define HALF_SQRT_PI 0.886226925f
#define ONE_BY_SQRT_PI 0.564189584f
#define SQRT_TWO M_SQRT2_F
#define SQRT_HALF M_SQRT1_2_F
#define SQRT_HALF_REST 1.21016175e-8f /* of the square root of 1/2 */
#define EULER_GAMMA 0.577215665f
#define SCALED_FROM 6
#define SCALED_TERMS 8
#define MODIFIED_FROM 12
#define NEAR_TERMS 9
#define FAR_FROM 12
#define MILLER 12 /* pairs of orders above x */
#define ORDERS 80 /* above n, the square root of so many n */
#include "imf_special.inc"

#undef REAL
#undef F
#undef NAME
#undef EPSILON
#undef LARGEST
#undef LEAST
#undef SCALE
#undef PI
#undef SQRT_PI
#undef HALF_SQRT_PI
#undef ONE_BY_SQRT_PI
#undef SQRT_TWO
#undef SQRT_HALF
#undef SQRT_HALF_REST
#undef EULER_GAMMA
#undef SCALED_FROM
#undef SCALED_TERMS
#undef MODIFIED_FROM
#undef NEAR_TERMS
#undef FAR_FROM
#undef MILLER
#undef ORDERS
#define REAL double
#define F(name) name##_double
#define NAME(name) name
#define EPSILON DBL_EPSILON
#define LARGEST DBL_MAX
#define LEAST 1e-200
#define SCALE 1e100
#define PI M_PI
#define SQRT_PI 1.7724538509055160273
#define HALF_SQRT_PI 0.88622692545275801365
#define ONE_BY_SQRT_PI 0.56418958354775628695
#define SQRT_TWO M_SQRT2
#define SQRT_HALF M_SQRT1_2
#define SQRT_HALF_REST -4.8336466567264567e-17
#define EULER_GAMMA 0.57721566490153286061
#define SCALED_FROM 10
#define SCALED_TERMS 13
#define MODIFIED_FROM 25
#define NEAR_TERMS 15
#define FAR_FROM 25
#define MILLER 24
#define ORDERS 240
#include "imf_special.inc"

/* The reciprocal with the upper 32 bits of a double alone. */
IMF(double, rcp64h, (double x), as_double(as_ulong(1 / x) & 0xFFFFFFFF00000000ul))
