package devicelib_test

import (
	"encoding/binary"
	"slices"
	"testing"
)

// randomSource calls rand once or twice a launch, after srand where the seed is not 0.
const randomSource = `
int rand(void);
void srand(unsigned seed);
kernel void numbers(global int *out, global const int *seed) {
  size_t i = get_global_id(0);
  if (seed[i])
    srand(seed[i]);
  int first = rand();
  out[i] = seed[i] ? first ^ rand() << 1 : first;
}`

// TestRandom: the numbers of a work-item follow from its seed, go on in the next launch,
// and differ between the work-items; srand repeats them.
func TestRandom(t *testing.T) {
	const count = 4096
	p := compile(t, randomSource)
	launch := func(seed int) []int32 {
		seeds := make([]byte, 4*count)
		for i := range count {
			binary.LittleEndian.PutUint32(seeds[4*i:], uint32(seed))
		}
		out := p.launch("numbers", seeds, 4)
		values := make([]int32, count)
		for i := range values {
			values[i] = int32(binary.LittleEndian.Uint32(out[4*i:]))
		}
		return values
	}
	first, second := launch(0), launch(0)
	all := slices.Sorted(slices.Values(append(slices.Clone(first), second...)))
	if all[0] < 0 || len(slices.Compact(all)) < 2*count-20 {
		t.Errorf("of %d numbers %d differ, and the least is %d", 2*count, len(slices.Compact(all)), all[0])
	}
	mean := 0.0
	for _, v := range all {
		mean += float64(v) / float64(len(all)) / (1 << 31)
	}
	if mean < 0.48 || mean > 0.52 {
		t.Errorf("the mean is %g of RAND_MAX", mean)
	}
	seeded := launch(7)
	if again := launch(7); !slices.Equal(seeded, again) || seeded[0] != seeded[count-1] {
		t.Error("srand does not repeat the numbers")
	}
	if other := launch(8); other[0] == seeded[0] {
		t.Error("another seed has the same numbers")
	}
	fresh := compile(t, randomSource) // without srand, the first work-item has seed 1
	one := make([]byte, 4)
	start := fresh.launch("numbers", one, 4)
	binary.LittleEndian.PutUint32(one, 1)
	next := fresh.launch("numbers", one, 4)
	if got := binary.LittleEndian.Uint32(next) ^ binary.LittleEndian.Uint32(start); first[0] != int32(binary.LittleEndian.Uint32(start)) || got&1 != 0 {
		t.Errorf("the first number is %d, after srand(1) %d", binary.LittleEndian.Uint32(start), got)
	}
}
