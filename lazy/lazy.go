// Package lazy makes package variables when they are first used: a program that starts
// for each file of a build must not make the tables of all its packages.
package lazy

import "sync"

// Value is a value that the function New makes when it is first wanted. As a package
// variable it costs nothing at the start of a program, since the compiler lays out a
// struct with a function. It must not be copied. Several goroutines may use it.
type Value[T any] struct {
	New func() T

	once  sync.Once
	value T
}

// Map is a table that is made on first use. Nobody changes it.
type Map[K comparable, V any] = Value[map[K]V]

// Get returns the value.
func (v *Value[T]) Get() T {
	v.once.Do(v.set)
	return v.value
}

func (v *Value[T]) set() { v.value = v.New() }
