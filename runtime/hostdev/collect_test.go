package hostdev

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

// TestCollectLater: the collector begins later where little is in use, and as in other programs
// where much is.
func TestCollectLater(t *testing.T) {
	for live, want := range map[uint64]int{0: 400, 1 << 20: 400, 64 << 20: 400, 128 << 20: 200, 256 << 20: 100, 1 << 40: 100} {
		if got := percentFor(live); got != want {
			t.Errorf("%d bytes in use: %d percent, want %d", live, got, want)
		}
	}
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	CollectLater()
	awaitPercent(t, func(percent uint64) bool { return percent > 300 })
	kept := make([]byte, 200<<20) // its pages are never touched
	awaitPercent(t, func(percent uint64) bool { return percent < 150 })
	runtime.KeepAlive(kept)
	kept = nil
	awaitPercent(t, func(percent uint64) bool { return percent > 300 })
}

// awaitPercent collects until the percentage is as wanted.
func awaitPercent(t *testing.T, wanted func(uint64) bool) {
	t.Helper()
	percent := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		runtime.GC()
		if metrics.Read(percent); wanted(percent[0].Value.Uint64()) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the percentage stays %d", percent[0].Value.Uint64())
		}
	}
}
