package hostdev

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"offlink/lazy"
)

// processorMHz is the highest clock frequency of this machine's first processor, in MHz.
var processorMHz = lazy.Value[int]{New: func() int { return clockMHz(os.DirFS("/")) }}

// clockMHz reads the frequency that Linux has: the driver's limit, in kHz, else, as on virtual
// machines, the present one of /proc/cpuinfo, which processors of Arm do not have. It is 0 where
// neither is known.
func clockMHz(root fs.FS) int {
	if text, err := fs.ReadFile(root, "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"); err == nil {
		if khz, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 31); err == nil {
			return int(khz / 1000)
		}
	}
	file, err := root.Open("proc/cpuinfo")
	if err != nil {
		return 0
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if name, value, _ := bytes.Cut(lines.Bytes(), []byte(":")); string(bytes.TrimSpace(name)) == "cpu MHz" {
			mhz, _ := strconv.ParseFloat(string(bytes.TrimSpace(value)), 32)
			if !(mhz > 0) {
				return 0
			}
			return int(min(mhz, 1<<20))
		}
	}
	return 0
}
