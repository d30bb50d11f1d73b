/* imf_packed.cl: the functions of sycl::ext::intel::math for two integers of 16 bits
 * or four of 8 in a word, part by part, and the sums with maxima and minima.
 */
#include "library.h"

/* A function of packed words, for halves and bytes; S and U are the vectors with sign
 * and without. */
#define PACKED1(name, value2, value4) IMF(uint, name##2, (uint x), value2) IMF(uint, name##4, (uint x), value4)
#define PACKED2(name, function, convert2, convert4) \
  IMF(uint, name##2, (uint x, uint y), as_uint(function(convert2(x), convert2(y)))) \
  IMF(uint, name##4, (uint x, uint y), as_uint(function(convert4(x), convert4(y))))
#define PACKED_SIGNED(name, function) PACKED2(name, function, as_short2, as_char4)
#define PACKED_UNSIGNED(name, function) PACKED2(name, function, as_ushort2, as_uchar4)

#define ADD(x, y) ((x) + (y))
#define SUBTRACT(x, y) ((x) - (y))

PACKED1(vabs, as_uint(abs(as_short2(x))), as_uint(abs(as_char4(x))))
PACKED1(vabsss, as_uint(min(abs(as_short2(x)), (ushort2)SHRT_MAX)), as_uint(min(abs(as_char4(x)), (uchar4)CHAR_MAX)))
PACKED1(vneg, as_uint(-as_short2(x)), as_uint(-as_char4(x)))
PACKED1(vnegss, as_uint(sub_sat((short2)0, as_short2(x))), as_uint(sub_sat((char4)0, as_char4(x))))
PACKED_SIGNED(vabsdiffs, abs_diff)
PACKED_UNSIGNED(vabsdiffu, abs_diff)
PACKED_UNSIGNED(vadd, ADD)
PACKED_SIGNED(vaddss, add_sat)
PACKED_UNSIGNED(vaddus, add_sat)
PACKED_UNSIGNED(vsub, SUBTRACT)
PACKED_SIGNED(vsubss, sub_sat)
PACKED_UNSIGNED(vsubus, sub_sat)
PACKED_UNSIGNED(vavgu, rhadd)
PACKED_UNSIGNED(vhaddu, hadd)
PACKED_SIGNED(vmaxs, max)
PACKED_UNSIGNED(vmaxu, max)
PACKED_SIGNED(vmins, min)
PACKED_UNSIGNED(vminu, min)

/* Comparisons: all bits of a part (vcmp), or its lowest (vset). */
#define EQUAL(x, y) ((x) == (y))
#define DIFFERENT(x, y) ((x) != (y))
#define GREATER(x, y) ((x) > (y))
#define AT_LEAST(x, y) ((x) >= (y))
#define LESS(x, y) ((x) < (y))
#define AT_MOST(x, y) ((x) <= (y))
#define EQUAL_ONE(x, y) (-EQUAL(x, y))
#define DIFFERENT_ONE(x, y) (-DIFFERENT(x, y))
#define GREATER_ONE(x, y) (-GREATER(x, y))
#define AT_LEAST_ONE(x, y) (-AT_LEAST(x, y))
#define LESS_ONE(x, y) (-LESS(x, y))
#define AT_MOST_ONE(x, y) (-AT_MOST(x, y))
#define COMPARED(name, relation) \
  PACKED_SIGNED(vcmp##name##s, relation) PACKED_UNSIGNED(vcmp##name##u, relation) \
  PACKED_SIGNED(vset##name##s, relation##_ONE) PACKED_UNSIGNED(vset##name##u, relation##_ONE)

PACKED_UNSIGNED(vcmpeq, EQUAL)
PACKED_UNSIGNED(vcmpne, DIFFERENT)
PACKED_UNSIGNED(vseteq, EQUAL_ONE)
PACKED_UNSIGNED(vsetne, DIFFERENT_ONE)
COMPARED(ge, AT_LEAST)
COMPARED(gt, GREATER)
COMPARED(le, AT_MOST)
COMPARED(lt, LESS)

static uint sum2(ushort2 parts) { return (uint)parts.x + parts.y; }
static uint sum4(uchar4 parts) { return (uint)parts.x + parts.y + parts.z + parts.w; }

/* Averages whose halves are rounded away from zero. */
static short2 average2(short2 x, short2 y) { return hadd(x, y) < (short2)0 ? hadd(x, y) : rhadd(x, y); }
static char4 average4(char4 x, char4 y) { return hadd(x, y) < (char4)0 ? hadd(x, y) : rhadd(x, y); }

IMF(uint, vavgs2, (uint x, uint y), as_uint(average2(as_short2(x), as_short2(y))))
IMF(uint, vavgs4, (uint x, uint y), as_uint(average4(as_char4(x), as_char4(y))))
IMF(uint, vsads2, (uint x, uint y), sum2(abs_diff(as_short2(x), as_short2(y))))
IMF(uint, vsads4, (uint x, uint y), sum4(abs_diff(as_char4(x), as_char4(y))))
IMF(uint, vsadu2, (uint x, uint y), sum2(abs_diff(as_ushort2(x), as_ushort2(y))))
IMF(uint, vsadu4, (uint x, uint y), sum4(abs_diff(as_uchar4(x), as_uchar4(y))))

/* The greatest and the least of three, and of a sum and a third; relu: at least 0. */
#define EXTREMES(name, function) \
  IMF(int, vi##name##3_s32, (int x, int y, int z), function(function(x, y), z)) \
  IMF(uint, vi##name##3_u32, (uint x, uint y, uint z), function(function(x, y), z)) \
  IMF(int, vi##name##3_s32_relu, (int x, int y, int z), max(function(function(x, y), z), 0)) \
  IMF(int, vi##name##_s32_relu, (int x, int y), max(function(x, y), 0)) \
  IMF(int, viadd##name##_s32, (int x, int y, int z), function((int)((uint)x + (uint)y), z)) \
  IMF(uint, viadd##name##_u32, (uint x, uint y, uint z), function(x + y, z)) \
  IMF(int, viadd##name##_s32_relu, (int x, int y, int z), max(function((int)((uint)x + (uint)y), z), 0)) \
  IMF(uint, vi##name##3_s16x2, (uint x, uint y, uint z), as_uint(function(function(as_short2(x), as_short2(y)), as_short2(z)))) \
  IMF(uint, vi##name##3_u16x2, (uint x, uint y, uint z), as_uint(function(function(as_ushort2(x), as_ushort2(y)), as_ushort2(z)))) \
  IMF(uint, vi##name##3_s16x2_relu, (uint x, uint y, uint z), \
      as_uint(max(function(function(as_short2(x), as_short2(y)), as_short2(z)), (short2)0))) \
  IMF(uint, vi##name##_s16x2_relu, (uint x, uint y), as_uint(max(function(as_short2(x), as_short2(y)), (short2)0))) \
  IMF(uint, viadd##name##_s16x2, (uint x, uint y, uint z), \
      as_uint(function(as_short2(as_ushort2(x) + as_ushort2(y)), as_short2(z)))) \
  IMF(uint, viadd##name##_u16x2, (uint x, uint y, uint z), as_uint(function(as_ushort2(x) + as_ushort2(y), as_ushort2(z)))) \
  IMF(uint, viadd##name##_s16x2_relu, (uint x, uint y, uint z), \
      as_uint(max(function(as_short2(as_ushort2(x) + as_ushort2(y)), as_short2(z)), (short2)0)))

EXTREMES(max, max)
EXTREMES(min, min)
