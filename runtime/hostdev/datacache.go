package hostdev

import (
	"io/fs"
	"os"
	"strconv"
	"strings"

	"offlink/lazy"
)

// dataCache is a cache of the processor; the sizes are in bytes, and 0 where they are not known.
type dataCache struct{ size, line int64 }

// processorCache is the largest cache of this machine's first processor.
var processorCache = lazy.Value[dataCache]{New: func() dataCache {
	return largestDataCache(os.DirFS("/sys/devices/system/cpu/cpu0/cache"))
}}

// mostCaches is more than any processor has.
const mostCaches = 16

// largestDataCache reads the folder in which Linux describes the caches of a processor, index0
// and on (Documentation/ABI/testing/sysfs-devices-system-cpu). Caches of instructions alone do
// not count.
func largestDataCache(folder fs.FS) dataCache {
	var largest dataCache
	for i := range mostCaches {
		place := "index" + strconv.Itoa(i) + "/"
		kind := cacheText(folder, place+"type")
		if kind == "" {
			break
		}
		size, unit := cacheText(folder, place+"size"), int64(1)
		if number, ok := strings.CutSuffix(size, "K"); ok {
			size, unit = number, 1<<10
		}
		n, err := strconv.ParseInt(size, 10, 32)
		if err == nil && kind != "Instruction" && n*unit > largest.size {
			line, _ := strconv.ParseInt(cacheText(folder, place+"coherency_line_size"), 10, 32)
			largest = dataCache{n * unit, line}
		}
	}
	return largest
}

func cacheText(folder fs.FS, name string) string {
	text, err := fs.ReadFile(folder, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
