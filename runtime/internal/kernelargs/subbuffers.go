package kernelargs

import "errors"

// SubBuffers are the parts of memory objects that the arguments of one kernel
// object refer to, by parameter. The zero value is ready; the kernel's lock guards
// it.
type SubBuffers struct {
	byParam map[int]uintptr
}

// Replace notes the part, 0 for none, that a parameter was set to, and releases the
// one before: launches hold on to their arguments by themselves.
func (s *SubBuffers) Replace(i int, part uintptr, release func(uintptr) error) error {
	old := s.byParam[i]
	if part != 0 {
		if s.byParam == nil {
			s.byParam = make(map[int]uintptr)
		}
		s.byParam[i] = part
	} else {
		delete(s.byParam, i)
	}
	if old == 0 {
		return nil
	}
	return release(old)
}

// Close releases the parts that are there.
func (s *SubBuffers) Close(release func(uintptr) error) error {
	var errs []error
	for i := range s.byParam {
		errs = append(errs, s.Replace(i, 0, release))
	}
	return errors.Join(errs...)
}
