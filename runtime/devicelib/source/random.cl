/* random.cl: the state of rand() and srand(), memory of the program, which lasts from one
 * launch to the next. Each work-item has a counter of its own, but for those that are a
 * multiple of the number of counters apart. A counter goes up in odd steps, so that its
 * 2^32 values are all there. Without srand() a work-item has the numbers of the seed
 * 1 + its number, that of the first work-item thus 1, as in C.
 */
#include "library.h"

#define COUNTERS 4096
#define STEP 0x9e3779b9u
static global uint counters[COUNTERS];

/* next_random sets the counter of the work-item to the seed, or else moves it on and
 * returns the seed that it stood for. */
OFFLINK_EXTERNAL uint next_random(int set, uint seed) __asm("offlink_next_random");
OFFLINK_EXTERNAL uint next_random(int set, uint seed) {
  uint slot = (uint)get_global_linear_id() % COUNTERS;
  volatile global uint *counter = &counters[slot];
  return set ? atomic_xchg(counter, seed - slot - 1) : atomic_add(counter, STEP) + slot + 1;
}
