//go:build unix && !linux

package mem

const mapNoReserve = 0

func discard(b []byte) { clear(b) }
