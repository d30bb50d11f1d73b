package streams

import (
	"fmt"
	"math/bits"
	"slices"

	"offlink/runtime/driver"
)

// Write copies data into memory.
func (q *Queue) Write(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	to, err := q.device.RangeAddress(m, offset, int64(len(data)))
	if err != nil {
		return fmt.Errorf("Write: %w", err)
	}
	if len(data) == 0 {
		return q.Barrier(s)
	}
	return q.Enqueue(s, func(stream Stream) error { return q.device.memory.WriteMemory(to, data, stream) })
}

// Read copies memory into data.
func (q *Queue) Read(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	from, err := q.device.RangeAddress(m, offset, int64(len(data)))
	if err != nil {
		return fmt.Errorf("Read: %w", err)
	}
	if len(data) == 0 {
		return q.Barrier(s)
	}
	return q.Enqueue(s, func(stream Stream) error { return q.device.memory.ReadMemory(data, from, stream) })
}

// Copy copies between memories of the device.
func (q *Queue) Copy(to driver.Memory, toOffset int64, from driver.Memory, fromOffset, size int64, s driver.Sync) error {
	target, err := q.device.RangeAddress(to, toOffset, size)
	if err != nil {
		return fmt.Errorf("Copy: %w", err)
	}
	source, err := q.device.RangeAddress(from, fromOffset, size)
	if err != nil {
		return fmt.Errorf("Copy: %w", err)
	}
	if size == 0 {
		return q.Barrier(s)
	}
	return q.Enqueue(s, func(stream Stream) error { return q.device.memory.CopyMemory(target, source, size, stream) })
}

// MaxPattern is the length of the longest pattern of a Fill.
const MaxPattern = 128

// Fill repeats a pattern, which the caller may change afterwards.
func (q *Queue) Fill(m driver.Memory, offset, size int64, pattern []byte, s driver.Sync) error {
	to, err := q.device.RangeAddress(m, offset, size)
	if err != nil {
		return fmt.Errorf("Fill: %w", err)
	}
	n := len(pattern)
	if n > MaxPattern || bits.OnesCount(uint(n)) != 1 {
		return fmt.Errorf("Fill: a pattern of %d bytes; it has 1 to %d, a power of two", n, MaxPattern)
	}
	if size%int64(n) != 0 {
		return fmt.Errorf("Fill: %d bytes are not a multiple of the pattern's %d", size, n)
	}
	if size == 0 {
		return q.Barrier(s)
	}
	pattern = slices.Clone(pattern)
	return q.Enqueue(s, func(stream Stream) error { return q.device.memory.FillMemory(to, size, pattern, stream) })
}
