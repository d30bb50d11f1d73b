package streams

import (
	"testing"

	"offlink/runtime/driver"
)

// TestGrid holds the work-groups of a range, and the reasons of those that no device runs.
func TestGrid(t *testing.T) {
	limits := Limits{Group: [3]int{1024, 1024, 64}, Groups: [3]int64{1 << 31, 65535, 65535}}
	for _, c := range []struct {
		name          string
		global, local []int
		rules         GroupRules
		groups, group [3]uint32
		want          string
	}{
		{
			name: "chosen size", global: []int{512, 6}, rules: GroupRules{Most: 1024},
			groups: [3]uint32{2, 6, 1}, group: [3]uint32{256, 1, 1},
		},
		{
			name: "size of the code", global: []int{64, 8}, rules: GroupRules{Most: 1024, Required: [3]int{8, 8, 1}},
			groups: [3]uint32{8, 1, 1}, group: [3]uint32{8, 8, 1},
		},
		{
			name: "other size than the code's", global: []int{64}, local: []int{16}, rules: GroupRules{Most: 1024, Required: [3]int{8, 1, 1}},
			want: "the code asks for work-groups of [8 1 1] work-items, and the local size is [16 1 1]",
		},
		{
			name: "no divisor", global: []int{10}, local: []int{4}, rules: GroupRules{Most: 1024},
			want: "the local size [4 1 1] does not divide the global size [10 1 1]",
		},
		{
			name: "long dimension", global: []int{8192}, local: []int{8192}, rules: GroupRules{Most: 1024},
			want: "the local size [8192 1 1] has 8192 work-items in dimension 0; the device takes 1024",
		},
		{
			name: "many groups", global: []int{1, 65536}, local: []int{1, 1}, rules: GroupRules{Most: 1024},
			want: "the range has 65536 work-groups in dimension 1; the device takes 65535",
		},
		{
			name: "large group", global: []int{64, 64}, local: []int{64, 64}, rules: GroupRules{Most: 1024},
			want: "the local size [64 64 1] has 4096 work-items; the kernel takes 1024 on this device",
		},
		{name: "dimensions", global: []int{1, 1, 1, 1}, rules: GroupRules{Most: 1024}, want: "a range of 4 dimensions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var groups, group [3]uint32
			err := limits.Grid(driver.Range{Global: c.global, Local: c.local}, &c.rules, &groups, &group)
			if c.want != "" {
				if err == nil || err.Error() != c.want {
					t.Errorf("%v; want %s", err, c.want)
				}
				return
			}
			if err != nil || groups != c.groups || group != c.group {
				t.Errorf("%v groups of %v, %v; want %v of %v", groups, group, err, c.groups, c.group)
			}
		})
	}
}
