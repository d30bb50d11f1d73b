// Package abort lets recursive decoders stop at a fault without passing an
// error through every function of a grammar. It is the one place that does so
// with a panic: [With] takes only errors, [Catch] returns only those, and every
// other panic, a fault of the program, goes on. The two must be called in one
// goroutine.
package abort

// abortion is private, so that no panic of other code is taken for one.
type abortion struct{ err error }

// With ends the step of the innermost Catch, which returns the error.
func With(err error) { panic(abortion{err}) }

// Catch calls step and returns the error that it was ended with, nil if it came
// to its end.
func Catch(step func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case abortion:
			err = r.err
		default:
			panic(r)
		}
	}()
	step()
	return nil
}
