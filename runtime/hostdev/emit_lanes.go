package hostdev

// Steps for scalars and for vectors, one component at a time. Those for scalars
// avoid a loop, which is most of the cost of a simple operation.

func stepLanes1(it *item, in *inst) status {
	s := it.s
	if in.n == 1 {
		s[in.dst] = in.f1(s[in.a])
		return running
	}
	for i := range in.n {
		s[in.dst+i] = in.f1(s[in.a+i])
	}
	return running
}

func stepLanes2(it *item, in *inst) status {
	s := it.s
	if in.n == 1 {
		s[in.dst] = in.f2(s[in.a], s[in.b])
		return running
	}
	for i := range in.n {
		s[in.dst+i] = in.f2(s[in.a+i], s[in.b+i])
	}
	return running
}

func stepLanes3(it *item, in *inst) status {
	s := it.s
	for i := range in.n {
		s[in.dst+i] = in.f3(s[in.a+i], s[in.b+i], s[in.c+i])
	}
	return running
}
