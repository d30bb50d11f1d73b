package wrapper

import (
	"cmp"
	"io"
	"slices"

	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
	"offlink/wrapper/internal/objfile"
)

// rope is the bytes of an edited file as a list of pieces, most of them
// stretches of the file as it was.
type rope []objfile.Content

// size returns the length of the joined pieces.
func (r rope) size() int64 {
	var n int64
	for _, c := range r {
		n += c.Size()
	}
	return n
}

// newRope returns the bytes of data after a plan. If patches overlap, the later one counts.
func newRope(data []byte, plan objfile.Plan) rope {
	var r rope
	at := int64(0)
	for _, p := range sortPatches(plan.Patches) {
		r = append(r, objfile.Bytes(data[at:p.Offset]), p.Content)
		at = p.Offset + p.Content.Size()
	}
	end := int64(len(data))
	if len(plan.Tail) > 0 {
		end = min(end, plan.TailStart)
	}
	r = append(r, objfile.Bytes(data[at:end]))
	if len(plan.Tail) > 0 {
		r = append(r, objfile.Zeros(plan.TailStart-end))
		r = append(r, plan.Tail...)
	}
	return r
}

// sortPatches sorts patches by offset. Of two at the same offset the later one
// counts: an edit plans an offset once, except for words that several tables
// refer to.
func sortPatches(patches []objfile.Patch) []objfile.Patch {
	patches = slices.Clone(patches)
	slices.SortStableFunc(patches, func(a, b objfile.Patch) int { return cmp.Compare(a.Offset, b.Offset) })
	kept := patches[:0]
	for _, p := range patches {
		if n := len(kept); n > 0 && kept[n-1].Offset+kept[n-1].Content.Size() > p.Offset {
			if kept[n-1].Offset == p.Offset && kept[n-1].Content.Size() == p.Content.Size() {
				kept[n-1] = p
			}
			continue
		}
		kept = append(kept, p)
	}
	return kept
}

// writeTo writes the bytes, and calls release at intervals, so that the pages
// of the original file do not pile up.
func (r rope) writeTo(w io.Writer, release func()) error {
	for _, c := range r {
		b, ok := c.(objfile.Bytes)
		if !ok {
			if err := devimg.Copy(w, devimg.Code(c)); err != nil {
				return err
			}
			continue
		}
		for len(b) > 0 {
			n := min(len(b), releaseEvery)
			if _, err := w.Write(b[:n]); err != nil {
				return err
			}
			if b = b[n:]; n == releaseEvery {
				release()
			}
		}
	}
	return nil
}

// ReadAt implements [io.ReaderAt], so that edited bytes can be the code of an
// envelope's entry.
func (r rope) ReadAt(b []byte, off int64) (int, error) {
	n := 0
	for _, c := range r {
		if off >= c.Size() {
			off -= c.Size()
			continue
		}
		m, err := c.ReadAt(b[n:min(int64(len(b)), int64(n)+c.Size()-off)], off)
		if n += m; err != nil && err != io.EOF {
			return n, err
		}
		if off = 0; n == len(b) {
			return n, nil
		}
	}
	return n, io.EOF
}

// Size is the length in bytes.
func (r rope) Size() int64 { return r.size() }

// replaceEntry returns an envelope's bytes with other code of an entry, or without the entry if the
// code is nil.
func replaceEntry(p *part, n int, code devimg.Code, b *container.Budget) (rope, error) {
	var pieces []devimg.Code
	var err error
	if p.pointed != nil {
		pieces, err = container.ReplaceInPlace(p.data, n, code, !p.pointed.linked, b)
	} else {
		pieces, err = container.Replace(p.data, n, code, b)
	}
	if err != nil {
		return nil, err
	}
	r := make(rope, len(pieces))
	for i, p := range pieces {
		r[i] = p
	}
	return r, nil
}

// replaceSection returns an object file's bytes with other bytes of a section
// that nothing points into.
func replaceSection(data []byte, s *objfile.FileSection, content rope) (rope, error) {
	e, err := objfile.NewEditor(data)
	if err != nil {
		return nil, err
	}
	if err := e.ReplaceSection(s, content); err != nil {
		return nil, err
	}
	return newRope(data, e.Plan()), nil
}
