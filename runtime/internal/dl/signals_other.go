//go:build !linux

package dl

// Signals are the actions of all signals at one moment. Only on Linux are
// drivers known to replace them; elsewhere nothing is saved.
type Signals struct{}

// SaveSignals records the actions of all signals.
func SaveSignals() *Signals { return new(Signals) }

// Restore puts back the actions that have changed since, and returns the
// signals.
func (s *Signals) Restore() (changed []int) { return nil }
