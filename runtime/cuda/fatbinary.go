package cuda

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"offlink/ptx"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// fatEntry is an entry of a fat binary: code for one architecture.
type fatEntry struct {
	sm    int // 90 for sm_90
	form  string
	image *devimg.Image // perhaps compressed
	code  []byte        // of PTX, once it was looked at
	exact bool          // for devices of that architecture alone, as sm_90a is
}

// openFatBinary puts the entry of a fat binary that fits the device best in its place, as the
// driver would choose: native code for the architecture, or for an older one of the same
// generation, else the newest PTX that the device is not too old for. With the entry's PTX or
// cubin the parameters of kernels are known, and it can be linked with others. Compressed
// entries are inflated: PTX, as its text says for which devices it is, and the entry that is
// taken.
func (o *object) openFatBinary(major, minor int) error {
	if err := checkFatBinary(o.code); err != nil {
		return err
	}
	budget := container.NewBudget(0)
	entries, err := fatEntries(o.code, 10*major+minor, budget)
	if err != nil {
		return err
	}
	best := bestEntry(entries, 10*major+minor)
	if best == nil {
		return fmt.Errorf("the fat binary has %s, and nothing for sm_%d%d", describeEntries(entries), major, minor)
	}
	code, err := best.inflate(budget)
	if err != nil {
		return err
	}
	if o.code, o.kind = code, kindOf(code); o.kind == codeFatBinary {
		return fmt.Errorf("the fat binary's %s for sm_%d is a fat binary again", best.form, best.sm)
	}
	return nil
}

// inflate returns the code of the entry.
func (e *fatEntry) inflate(budget *container.Budget) ([]byte, error) {
	if e.code != nil {
		return e.code, nil
	}
	var code bytes.Buffer // grows with the content: compressed code may promise more than it has
	plain, err := container.Uncompress(e.image, budget)
	if err == nil {
		err = devimg.Copy(&code, plain.Code)
	}
	if err != nil {
		return nil, fmt.Errorf("the fat binary's %s for sm_%d: %w", e.form, e.sm, err)
	}
	e.code = code.Bytes()
	return e.code, nil
}

// fatEntries reads the entries with native code and with PTX. Of PTX that is not too new for the
// device it reads the text.
func fatEntries(code []byte, device int, budget *container.Budget) (list []fatEntry, err error) {
	found, err := container.Read(code, budget)
	if err != nil {
		return nil, err
	}
	for i := range found {
		e := &found[i]
		sm, err := strconv.Atoi(strings.TrimPrefix(e.Arch, "sm_"))
		if e.Form != container.FatBinary || err != nil {
			continue
		}
		own := fatEntry{sm: sm, image: &e.Image}
		if _, form, ok := strings.Cut(e.Name, "."); ok {
			own.form = form
		}
		if _, packed := container.PackedSize(&e.Image); own.form == "ptx" && (sm <= device || !packed) {
			text, err := own.inflate(budget)
			if err != nil {
				return nil, err
			}
			own.exact = hasExactTarget(text, e.Arch)
		}
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

// bestEntry returns the entry to take, nil if none fits.
func bestEntry(entries []fatEntry, device int) (best *fatEntry) {
	for i := range entries {
		if e := &entries[i]; e.fits(device) && (best == nil || e.isBetter(best)) {
			best = e
		}
	}
	return best
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
