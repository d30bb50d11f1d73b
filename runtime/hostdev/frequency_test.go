package hostdev

import (
	"testing"
	"testing/fstest"
)

func TestClockMHz(t *testing.T) {
	const limit, info = "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "proc/cpuinfo"
	for name, c := range map[string]struct {
		limit, info string
		want        int
	}{
		"the limit":         {"3500000\n", "processor : 0\ncpu MHz\t\t: 2100.000\n", 3500},
		"no limit":          {"", "processor\t: 0\nmodel name\t: X: Y\ncpu MHz\t\t: 2100.437\n\nprocessor\t: 1\ncpu MHz\t\t: 900\n", 2100},
		"a limit of words":  {"fast\n", "cpu MHz : 800.1", 800},
		"words":             {"", "cpu MHz : NaN\n", 0},
		"a large number":    {"", "cpu MHz : 1e30\n", 1 << 20},
		"a negative number": {"", "cpu MHz : -3\n", 0},
		"Arm":               {"", "processor\t: 0\nBogoMIPS\t: 243.75\n", 0},
		"nothing":           {"", "", 0},
	} {
		root := fstest.MapFS{}
		for path, text := range map[string]string{limit: c.limit, info: c.info} {
			if text != "" {
				root[path] = &fstest.MapFile{Data: []byte(text)}
			}
		}
		if got := clockMHz(root); got != c.want {
			t.Errorf("%s: %d MHz, want %d", name, got, c.want)
		}
	}
}
