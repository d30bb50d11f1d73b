package hostdev

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// table is a table whose rows are in several files: each registers a function that makes its
// rows. They register, and the rows are made, when the first row is looked up: an init function
// in each file would read pages of the program that most of its starts do not need.
type table[K comparable, V any] struct {
	what  string // a row, for the message about two
	parts []func() map[K]V
	once  sync.Once
	made  atomic.Bool
	rows  map[K]V
}

// register adds rows. It is for the functions of [registerRows].
func (t *table[K, V]) register(rows func() map[K]V) { t.parts = append(t.parts, rows) }

// row returns the row of a key, the zero value if there is none.
func (t *table[K, V]) row(key K) V {
	if !t.made.Load() {
		t.once.Do(func() { t.rows = t.join() })
		t.made.Store(true)
	}
	return t.rows[key]
}

// join makes one table of the rows of all files. Two rows for a key would let the order of files
// decide.
func (t *table[K, V]) join() map[K]V {
	registered.Do(registerAll)
	joined := map[K]V{}
	for _, rows := range t.parts {
		for key, value := range rows() {
			if _, is := joined[key]; is {
				panic(fmt.Sprintf("two %s of %v", t.what, key))
			}
			joined[key] = value
		}
	}
	return joined
}

// registered has the files register once, by registerAll, which init sets: the rows refer to the
// tables themselves.
var (
	registered  sync.Once
	registerAll func()
)

func init() { registerAll = registerRows }

// registerRows has each file register its rows.
func registerRows() {
	registerArithEmitters()
	registerAtomicEmitters()
	registerBallotEmitters()
	registerCompositeEmitters()
	registerConversionEmitters()
	registerDotEmitters()
	registerFlowEmitters()
	registerGroupEmitters()
	registerLineEmitters()
	registerMemoryEmitters()
	registerSubgroupEmitters()

	registerArithLowerers()
	registerAtomicLowerers()
	registerBitLowerers()
	registerDotLowerers()
	registerFlowLowerers()
	registerGroupLowerers()
	registerMemoryLowerers()
	registerPairLowerers()
	registerSubgroupLowerers()

	registerFloatIntrinsics()
	registerImages()
	registerIntegerIntrinsics()
	registerMemoryIntrinsics()
	registerStdEmitter()
	registerStdIntegers()
	registerStdLowerer()
	registerStdMath()
	registerStdMemory()
}
