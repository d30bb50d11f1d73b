// Package lazy makes package variables when they are first used: a program that starts
// for each file of a build must not make the tables of all its packages.
package lazy

import (
	"sync"
	"sync/atomic"
)

// Value is a value that the function New makes when it is first wanted. As a package
// variable it costs nothing at the start of a program, since the compiler lays out a
// struct with a function. It must not be copied. Several goroutines may use it.
type Value[T any] struct {
	New func() T

	made  atomic.Bool
	once  sync.Once
	value T
}

// Map is a table that is made on first use. Nobody changes it.
type Map[K comparable, V any] = Value[map[K]V]

// Get returns the value. It is small enough to be copied into its callers, which look rows up for
// each word of a module.
func (v *Value[T]) Get() T {
	if !v.made.Load() {
		v.makeOnce()
	}
	return v.value
}

func (v *Value[T]) makeOnce() {
	v.once.Do(func() { v.value = v.New() })
	v.made.Store(true)
}
