//go:build race

package testtool

// RaceDetector tells whether the race detector watches the tests. sync.Pool drops
// values at random under it, so that counts of allocations say nothing.
const RaceDetector = true
