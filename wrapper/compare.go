package wrapper

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"offlink/props"
	"offlink/props/derive"
	"offlink/wrapper/abi"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// Difference is one thing in which two files' images differ.
type Difference struct {
	// A and B are the numbers of the images that were compared; -1 where the
	// image is in the other file only.
	A, B int
	// Field is the part that differs: "image", "code", "target", "entries", ...
	Field string
	// Detail is the difference in words.
	Detail string
}

// Compare returns the differences of two lists of images. Images are paired
// by kind, target and entries, and equal ones by their code, so that their
// order does not matter. Neither does storage: an image that is compressed in
// one file equals one that is not, and neither envelopes nor the properties
// that offlink adds about an image's own code (props.SetOfflinkImage) are
// compared. The forms of image records are compared where both images have
// one, because a runtime reads one form only.
func Compare(a, b []Located, budget *container.Budget) ([]Difference, error) {
	left, err := summarizeImages(a, budget)
	if err != nil {
		return nil, err
	}
	right, err := summarizeImages(b, budget)
	if err != nil {
		return nil, err
	}
	var differences []Difference
	for _, p := range pairImages(left, right) {
		switch {
		case p.b == nil:
			differences = append(differences, Difference{p.a.index, -1, "image", "only in the first: " + p.a.imageTitle()})
		case p.a == nil:
			differences = append(differences, Difference{-1, p.b.index, "image", "only in the second: " + p.b.imageTitle()})
		default:
			differences = append(differences, p.listDifferences()...)
		}
	}
	return differences, nil
}

// summary is an image without its compression, and the keys that pair it.
type summary struct {
	index int
	*devimg.Image
	record abi.Record
	digest [sha256.Size]byte
	offers string // kind, target, architecture and entries
	// format is the image's, or the one that its code begins like where the
	// image leaves that to the runtime.
	format devimg.Format
}

// summarizeImages describes images for a comparison. Compressed code is
// compared by its content, as two compressors give different bytes.
func summarizeImages(images []Located, budget *container.Budget) ([]*summary, error) {
	all := make([]*summary, len(images))
	for i := range images {
		plain, err := container.Uncompress(&images[i].Image, budget)
		if err != nil {
			return nil, fmt.Errorf("image %d: %w", i, err)
		}
		s := &summary{index: i, Image: plain, record: images[i].record}
		if s.digest, err = CodeDigest(plain.Code); err != nil {
			return nil, fmt.Errorf("image %d: %w", i, err)
		}
		s.offers = fmt.Sprintf("%v %q %q %q", plain.Kind, plain.Target, plain.Arch, slices.Sorted(slices.Values(plain.Entries)))
		if s.format = plain.Format; s.format == devimg.FormatNone {
			s.format = devimg.Sniff(plain.Code)
		}
		all[i] = s
	}
	return all, nil
}

// CodeDigest returns the SHA-256 of code, which is read in pieces.
func CodeDigest(c devimg.Code) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	if err = devimg.Copy(h, c); err == nil {
		h.Sum(sum[:0])
	}
	return sum, err
}

// imageTitle names an image in a message.
func (s *summary) imageTitle() string {
	title := fmt.Sprintf("%v %s, %d bytes", s.Kind, s.Target, s.Code.Size())
	switch len(s.Entries) {
	case 0:
		return title + ", no entries"
	case 1:
		return title + ", entry " + printableName(s.Entries[0])
	}
	return fmt.Sprintf("%s, entry %s and %d more", title, printableName(s.Entries[0]), len(s.Entries)-1)
}

// imagePair is two images to compare, or one image and nil.
type imagePair struct{ a, b *summary }

// pairImages pairs images that offer the same with the same code first, then those that offer the
// same, then those with the same code: an edit usually changes only one of the two.
func pairImages(a, b []*summary) []imagePair {
	partner := make([]*summary, len(a))
	free := make(map[*summary]bool, len(b))
	for _, s := range b {
		free[s] = true
	}
	for _, key := range []func(*summary) string{
		func(s *summary) string { return s.offers + string(s.digest[:]) },
		func(s *summary) string { return s.offers },
		func(s *summary) string { return string(s.digest[:]) },
	} {
		pairBy(a, b, partner, free, key)
	}
	var pairs []imagePair
	for i, s := range a {
		pairs = append(pairs, imagePair{s, partner[i]})
	}
	for _, s := range b {
		if free[s] {
			pairs = append(pairs, imagePair{nil, s})
		}
	}
	return pairs
}

// pairBy pairs the images that are still free and have equal keys, in their
// order.
func pairBy(a, b []*summary, partner []*summary, free map[*summary]bool, key func(*summary) string) {
	candidates := make(map[string][]*summary)
	for _, s := range b {
		if free[s] {
			candidates[key(s)] = append(candidates[key(s)], s)
		}
	}
	for i, s := range a {
		if partner[i] != nil {
			continue
		}
		if list := candidates[key(s)]; len(list) > 0 {
			partner[i], candidates[key(s)] = list[0], list[1:]
			free[list[0]] = false
		}
	}
}

// listDifferences lists the differences of a pair that has both images.
func (c imagePair) listDifferences() []Difference {
	var found []Difference
	differ := func(field, format string, args ...any) {
		found = append(found, Difference{c.a.index, c.b.index, field, fmt.Sprintf(format, args...)})
	}
	for _, field := range []struct{ name, a, b string }{
		{"kind", c.a.Kind.String(), c.b.Kind.String()},
		{"target", c.a.Target, c.b.Target},
		{"architecture", c.a.Arch, c.b.Arch},
		{"format", c.a.format.String(), c.b.format.String()},
		{"compile options", c.a.CompileOptions, c.b.CompileOptions},
		{"link options", c.a.LinkOptions, c.b.LinkOptions},
	} {
		if field.a != field.b {
			differ(field.name, "%q and %q", field.a, field.b)
		}
	}
	if c.a.record != c.b.record && c.a.record != 0 && c.b.record != 0 {
		differ("record", "%v and %v", c.a.record, c.b.record)
	}
	if c.a.digest != c.b.digest {
		differ("code", "%s", codeDifference(c.a.Code, c.b.Code))
	}
	if !bytes.Equal(c.a.Manifest, c.b.Manifest) {
		differ("manifest", "%d and %d bytes", len(c.a.Manifest), len(c.b.Manifest))
	}
	for _, line := range EntryDifferences(c.a.Entries, c.b.Entries) {
		differ("entries", "%s", line)
	}
	for _, line := range PropertyDifferences(c.a.Properties, c.b.Properties) {
		differ("properties", "%s", line)
	}
	return found
}

// codeDifference describes the sizes of two codes and the first byte that differs.
func codeDifference(a, b devimg.Code) string {
	at, ok := firstDifference(a, b)
	if !ok {
		return fmt.Sprintf("%d and %d bytes", a.Size(), b.Size())
	}
	return fmt.Sprintf("%d and %d bytes, the first difference at %#x", a.Size(), b.Size(), at)
}

// firstDifference returns the place of the first byte at which code differs, reading both in
// pieces. There is none if one is the beginning of the other.
func firstDifference(a, b devimg.Code) (int64, bool) {
	var left, right [1 << 12]byte
	for at := int64(0); ; at += int64(len(left)) {
		n, _ := a.ReadAt(left[:], at)
		m, _ := b.ReadAt(right[:], at)
		for i := range min(n, m) {
			if left[i] != right[i] {
				return at + int64(i), true
			}
		}
		if n < len(left) || m < len(right) {
			return 0, false
		}
	}
}

// EntryDifferences describes the entries that two images do not share, a line
// each. Their order is a difference only if all of them are the same.
func EntryDifferences(a, b []string) []string {
	if slices.Equal(a, b) {
		return nil
	}
	var lines []string
	for _, e := range namesOnlyIn(a, b) {
		lines = append(lines, "only in the first: "+printableName(e))
	}
	for _, e := range namesOnlyIn(b, a) {
		lines = append(lines, "only in the second: "+printableName(e))
	}
	if lines == nil {
		lines = []string{"the same in another order: " + printableName(strings.Join(a, " ")) + " and " + printableName(strings.Join(b, " "))}
	}
	return lines
}

// namesOnlyIn returns the names that a has more often than b, in a's order.
func namesOnlyIn(a, b []string) []string {
	have := make(map[string]int, len(b))
	for _, s := range b {
		have[s]++
	}
	var lacking []string
	for _, s := range a {
		if have[s]--; have[s] < 0 {
			lacking = append(lacking, s)
		}
	}
	return lacking
}

// PropertyDifferences describes the properties that two images do not share,
// a line each. A nil list is an empty one, and order does not matter, as
// consumers look properties up by name. The properties that offlink adds about
// the code itself are not compared.
func PropertyDifferences(a, b *props.Sets) []string {
	var lines []string
	for _, name := range setNames(a, b) {
		if name == props.SetOfflinkImage {
			continue
		}
		lines = append(lines, setDifferences(name, a.Get(name), b.Get(name))...)
	}
	return lines
}

// setNames returns the names of all sets, each once, in the order in which they occur first.
func setNames(lists ...*props.Sets) []string {
	var names []string
	seen := make(map[string]bool)
	for _, sets := range lists {
		if sets == nil {
			continue
		}
		for _, set := range sets.All {
			if !seen[set.Name] {
				seen[set.Name] = true
				names = append(names, set.Name)
			}
		}
	}
	return names
}

// setDifferences compares the properties of one set.
func setDifferences(name string, a, b *props.Set) []string {
	switch {
	case b == nil:
		return []string{fmt.Sprintf("the set %q (%d properties) is only in the first", name, len(a.Properties))}
	case a == nil:
		return []string{fmt.Sprintf("the set %q (%d properties) is only in the second", name, len(b.Properties))}
	}
	var lines []string
	for _, p := range a.Properties {
		other, ok := b.Get(p.Name)
		if !ok {
			lines = append(lines, fmt.Sprintf("%s: %s is only in the first: %s", name, printableName(p.Name), derive.Describe(name, p.Name, p.Value)))
		} else if !p.Value.Equal(other) {
			lines = append(lines, fmt.Sprintf("%s: %s: %s and %s", name, printableName(p.Name),
				derive.Describe(name, p.Name, p.Value), derive.Describe(name, p.Name, other)))
		}
	}
	for _, p := range b.Properties {
		if _, ok := a.Get(p.Name); !ok {
			lines = append(lines, fmt.Sprintf("%s: %s is only in the second: %s", name, printableName(p.Name), derive.Describe(name, p.Name, p.Value)))
		}
	}
	return lines
}
