package spirv

// FindRecursion returns a function that can call itself, by way of others too, and 0 if there
// is none. OpenCL has no recursion, and drivers end at it. Calls through pointers do not
// count. It does not recurse, since the depth of the calls is the input's.
func (m *Module) FindRecursion() ID {
	calls := make(map[ID][]ID, len(m.functions))
	for _, f := range m.functions {
		for _, in := range f.Body {
			if in.Op == OpFunctionCall && len(in.Words) > 2 {
				calls[f.ID()] = append(calls[f.ID()], ID(in.Words[2]))
			}
		}
	}
	// A function without calls that are left is not in a cycle: take these away, callers after
	// those that they call.
	callers, open := make(map[ID][]ID), make(map[ID]int)
	var done []ID
	for _, f := range m.functions {
		id := f.ID()
		open[id] = len(calls[id])
		for _, called := range calls[id] {
			callers[called] = append(callers[called], id)
		}
		if open[id] == 0 {
			done = append(done, id)
		}
	}
	for len(done) > 0 {
		last := done[len(done)-1]
		done = done[:len(done)-1]
		for _, caller := range callers[last] {
			if open[caller]--; open[caller] == 0 {
				done = append(done, caller)
			}
		}
	}
	return firstOnCycle(m.functions, calls, open)
}

// firstOnCycle follows the calls that are left from the first function that has some: each
// leads to another one with such calls, until one comes again.
func firstOnCycle(functions []*Function, calls map[ID][]ID, open map[ID]int) ID {
	for _, f := range functions {
		at := f.ID()
		if open[at] == 0 {
			continue
		}
		seen := map[ID]bool{}
		for !seen[at] {
			seen[at] = true
			for _, called := range calls[at] {
				if open[called] > 0 {
					at = called
					break
				}
			}
		}
		return at
	}
	return 0
}
