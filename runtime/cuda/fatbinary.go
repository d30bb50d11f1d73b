package cuda

import (
	"fmt"
	"strconv"
	"strings"

	"offlink/ptx"
	"offlink/wrapper/container"
)

// fatEntry is an entry of a fat binary: code for one architecture.
type fatEntry struct {
	sm    int // 90 for sm_90
	form  string
	code  []byte // nil if it is compressed
	exact bool   // for devices of that architecture alone, as sm_90a is
}

// openFatBinary puts the entry of a fat binary that fits the device best in its place, as the
// driver would choose: native code for the architecture, or for an older one of the same
// generation, else the newest PTX that the device is not too old for. With the entry's PTX or
// cubin the parameters of kernels are known, and it can be linked with others. Where only
// compressed entries fit, the fat binary stays, and the driver chooses.
func (o *object) openFatBinary(major, minor int) error {
	if err := checkFatBinary(o.code); err != nil {
		return err
	}
	entries, err := fatEntries(o.code)
	if err != nil {
		return err
	}
	best, packed := bestEntry(entries, 10*major+minor)
	if best == nil && !packed {
		return fmt.Errorf("the fat binary has %s, and nothing for sm_%d%d", describeEntries(entries), major, minor)
	}
	if best != nil {
		o.code, o.kind = best.code, kindOf(best.code)
	}
	return nil
}

// fatEntries reads the entries with native code and with PTX.
func fatEntries(code []byte) (list []fatEntry, err error) {
	found, err := container.Read(code, container.NewBudget(0))
	if err != nil {
		return nil, err
	}
	for i := range found {
		e := &found[i]
		sm, err := strconv.Atoi(strings.TrimPrefix(e.Arch, "sm_"))
		if e.Form != container.FatBinary || err != nil {
			continue
		}
		own := fatEntry{sm: sm, code: e.Data}
		for _, s := range e.Strings {
			if s.Key == container.StringCompression {
				own.code = nil
			}
		}
		if _, form, ok := strings.Cut(e.Name, "."); ok {
			own.form = form
		}
		own.exact = own.form == "ptx" && own.code != nil && hasExactTarget(own.code, e.Arch)
		list = append(list, own)
	}
	return list, nil
}

// hasExactTarget reports whether PTX is for the features of one architecture or family:
// ".target sm_90a" (PTX ISA, .target).
func hasExactTarget(code []byte, arch string) bool {
	m, err := ptx.Parse("", code)
	return err == nil && len(m.Targets) > 0 && m.Targets[0] != arch && strings.HasPrefix(m.Targets[0], arch)
}

// bestEntry returns the entry to take, nil if none fits that is not compressed; packed reports
// whether a compressed one fits.
func bestEntry(entries []fatEntry, device int) (best *fatEntry, packed bool) {
	for i := range entries {
		e := &entries[i]
		switch {
		case !e.fits(device):
		case e.code == nil:
			packed = true
		case best == nil || e.isBetter(best):
			best = e
		}
	}
	return best, packed
}

// generation is how far native code of an older architecture runs: sm_86 runs on sm_89, not
// on sm_90.
const generation = 10

func (e *fatEntry) fits(device int) bool {
	switch {
	case e.sm > device:
		return false
	case e.form == "elf":
		return e.sm/generation == device/generation
	}
	return e.form == "ptx" && (e.sm == device || !e.exact)
}

func (e *fatEntry) isBetter(than *fatEntry) bool {
	if e.form != than.form {
		return e.form == "elf"
	}
	return e.sm > than.sm
}

// describeEntries lists the entries for a message.
func describeEntries(entries []fatEntry) string {
	if len(entries) == 0 {
		return "no code"
	}
	const most = 16
	var names []string
	for i, e := range entries {
		if i == most {
			names = append(names, fmt.Sprintf("%d more", len(entries)-most))
			break
		}
		name := fmt.Sprintf("%s for sm_%d", e.form, e.sm)
		if e.exact {
			name += " alone"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}
