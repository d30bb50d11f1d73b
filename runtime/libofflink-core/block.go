package main

/*
#cgo CFLAGS: -I${SRCDIR}/../libofflink -I${SRCDIR}/../../include
#include <stdlib.h>
#include "mailbox.h"
*/
import "C"

import (
	"errors"
	"unsafe"
)

// block is one block of memory from malloc with several things in it, so that
// C frees them at once. It is filled twice by the same function: without
// memory, to find its size, and then with it.
type block struct {
	memory unsafe.Pointer // nil while the size is counted
	size   uintptr
}

var errMemory = errors.New("out of memory")

// fillBlock returns a block that fill has filled.
func fillBlock(fill func(b *block)) (unsafe.Pointer, error) {
	count := new(block)
	fill(count)
	memory := C.calloc(1, C.size_t(count.size))
	if memory == nil {
		return nil, errMemory
	}
	fill(&block{memory: memory})
	return memory, nil
}

// takeRoom returns room for size bytes, nil while the size is counted.
func (b *block) takeRoom(size uintptr) unsafe.Pointer {
	const align = 8
	at := b.size
	b.size = (b.size + size + align - 1) &^ (align - 1)
	if b.memory == nil {
		return nil
	}
	return unsafe.Add(b.memory, at)
}

// putStruct copies a struct into the block, and returns where; nil while the size is
// counted.
func putStruct[T any](b *block, v *T) *T {
	to := (*T)(b.takeRoom(unsafe.Sizeof(*v)))
	if to != nil {
		*to = *v
	}
	return to
}

func (b *block) putText(s string) *C.char {
	to := b.takeRoom(uintptr(len(s)) + 1)
	if to != nil {
		copy(unsafe.Slice((*byte)(to), len(s)), s) // the end is zero already
	}
	return (*C.char)(to)
}

// putTexts puts a list that ends with a null pointer.
func (b *block) putTexts(list []string) **C.char {
	to := b.takeRoom(uintptr(len(list)+1) * unsafe.Sizeof(uintptr(0)))
	for i, s := range list {
		text := b.putText(s)
		if to != nil {
			*(**C.char)(unsafe.Add(to, uintptr(i)*unsafe.Sizeof(text))) = text
		}
	}
	return (**C.char)(to)
}

func (b *block) putSizes(list []int) *C.size_t {
	to := b.takeRoom(uintptr(len(list)) * unsafe.Sizeof(C.size_t(0)))
	if to != nil {
		for i, n := range list {
			unsafe.Slice((*C.size_t)(to), len(list))[i] = C.size_t(n)
		}
	}
	return (*C.size_t)(to)
}
