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
	ptx.Architecture
	form  string
	image *devimg.Image // perhaps compressed
	code  []byte        // of code that was looked at
}

// openFatBinary puts the entry of a fat binary that fits the device best in its place, as the
// driver would choose: native code for the architecture, or for an older one of the same
// generation, else the newest PTX that the device is not too old for; sm_90a and the like for
// their own architecture alone. With the entry's PTX or
// cubin the parameters of kernels are known, and it can be linked with others. Compressed
// entries are inflated: those whose code says for which devices it is, and the entry that is
// taken.
func (o *object) openFatBinary(device int) error {
	if err := checkFatBinary(o.code); err != nil {
		return err
	}
	budget := container.NewBudget(0)
	entries, err := fatEntries(o.code, device, budget)
	if err != nil {
		return err
	}
	best := bestEntry(entries, device)
	if best == nil {
		return fmt.Errorf("the fat binary has %s, and nothing for sm_%d", describeEntries(entries), device)
	}
	code, err := best.inflate(budget)
	if err != nil {
		return err
	}
	if o.code, o.kind = code, kindOf(code); o.kind == codeFatBinary {
		return fmt.Errorf("the fat binary's %s for %v is a fat binary again", best.form, best.Architecture)
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
		return nil, fmt.Errorf("the fat binary's %s for %v: %w", e.form, e.Architecture, err)
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
		own := fatEntry{Architecture: ptx.Architecture{SM: sm}, image: &e.Image}
		if _, form, ok := strings.Cut(e.Name, "."); ok {
			own.form = form
		}
		if _, packed := container.PackedSize(&e.Image); own.hasVariants(device, packed) {
			text, err := own.inflate(budget)
			if err != nil {
				return nil, err
			}
			own.readArchitecture(text)
		}
		list = append(list, own)
	}
	return list, nil
}

// hasVariants reports whether the entry's code has to say whether it fits the device, as the
// entry has the architecture without the letter of sm_90a. The code that the device is too old
// for is not inflated.
func (e *fatEntry) hasVariants(device int, packed bool) bool {
	switch e.form {
	case "ptx":
		return e.SM <= device || !packed
	case "elf":
		return e.SM != device && e.RunsNative(device)
	}
	return false
}

// readArchitecture takes the architecture that the code itself names.
func (e *fatEntry) readArchitecture(code []byte) {
	named, ok := ptx.CubinArchitecture(code)
	if e.form == "ptx" {
		if m, err := ptx.Parse("", code); err == nil {
			named, ok = m.Architecture()
		}
	}
	if ok && named.SM == e.SM {
		e.Architecture = named
	}
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

func (e *fatEntry) fits(device int) bool {
	switch e.form {
	case "elf":
		return e.RunsNative(device)
	case "ptx":
		return e.Compiles(device)
	}
	return false
}

func (e *fatEntry) isBetter(than *fatEntry) bool {
	if e.form != than.form {
		return e.form == "elf"
	}
	return e.SM > than.SM
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
		names = append(names, fmt.Sprintf("%s for %v", e.form, e.Architecture))
	}
	return strings.Join(names, ", ")
}
