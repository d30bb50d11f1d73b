package bitcode

import "iter"

// symbolSpan is where a name lies in the string table.
type symbolSpan struct{ offset, size uint64 }

// stringTable is the string table of a partition. It holds only the names that are not those of
// values: a table of a million names is larger than most partitions, and the values have theirs.
type stringTable struct {
	size   uint64
	values int // names of values so far
	others []otherName
	spans  map[string]symbolSpan // of others
}

// otherName is a name of the string table that is not that of a value.
type otherName struct {
	after int // names of values that stand before it
	name  string
}

func (t *stringTable) resetTable() {
	t.size, t.values, t.others = 0, 0, t.others[:0]
	if t.spans == nil {
		t.spans = make(map[string]symbolSpan)
	}
	clear(t.spans)
}

// appendName reserves the bytes of a name at the end of the table.
func (t *stringTable) appendName(name string) symbolSpan {
	span := symbolSpan{t.size, uint64(len(name))}
	t.size += span.size
	return span
}

// valueName puts the name of a value of the partition into the table; they
// come in the order of the values. Comdats, which often have the name of a
// value, come first.
func (t *stringTable) valueName(name string) symbolSpan {
	t.values++
	if span, ok := t.spans[name]; ok {
		return span
	}
	return t.appendName(name)
}

// addSymbol puts a name into the table, once.
func (t *stringTable) addSymbol(name string) symbolSpan {
	if span, ok := t.spans[name]; ok {
		return span
	}
	span := t.appendName(name)
	t.others = append(t.others, otherName{t.values, name})
	t.spans[name] = span
	return span
}

// names returns the contents of the table.
func (t *stringTable) names(values iter.Seq[string]) iter.Seq[string] {
	return func(yield func(string) bool) {
		others, seen, offset := t.others, 0, uint64(0)
		take := func(name string) bool {
			offset += uint64(len(name))
			return yield(name)
		}
		for name := range values {
			for ; len(others) > 0 && others[0].after == seen; others = others[1:] {
				if !take(others[0].name) {
					return
				}
			}
			seen++
			// A name that was added after the value has bytes of its own, and so has the value.
			if span, ok := t.spans[name]; (!ok || span.offset >= offset) && !take(name) {
				return
			}
		}
		for _, o := range others {
			if !take(o.name) {
				return
			}
		}
	}
}

// valueNames returns the names of the values of the partition.
func (w *partitionWriter) valueNames() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range w.kept {
			if !yield(w.module.Values[w.kept[i].id()].Name) {
				return
			}
		}
	}
}
