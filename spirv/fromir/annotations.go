package fromir

import (
	"slices"
	"strconv"
	"strings"

	"offlink/lazy"
	"offlink/lazyregexp"
)

// annotationDecoration is a decoration that the text of an annotation asks for.
type annotationDecoration struct {
	number uint32
	values []string
}

// annotationBlock is a part of an annotation in braces: a word, and values after a
// colon. Intel's and Altera's compilers write decorations so: {register:1},
// {6442:"0","1"}.
var annotationBlock = lazyregexp.New(`\{\w([\w:,-]|"[^"]*")*\}`)

// memoryAttributes are the words of annotations that mean decorations of
// SPV_INTEL_fpga_memory_attributes.
var memoryAttributes = lazy.Map[string, uint32]{New: func() map[string]uint32 {
	return map[string]uint32{
		"register": 5825, "memory": decMemoryName, "numbanks": 5827, "bankwidth": 5828, "private_copies": 5829, "max_replicates": 5832,
		"simple_dual_port": 5833, "merge": decMergeNames, "bank_bits": 5835, "force_pow2_depth": 5836, "stride_size": 5883, "word_size": 5884,
		"true_dual_port": 5885,
	}
}}

// Decorations whose operands are strings.
const (
	decMemoryName = 5826
	decMergeNames = 5834
)

// plainAttributes are those of these decorations that have no operands.
var plainAttributes = []uint32{5825, 5830, 5831, 5833, 5885}

// annotationDecorations returns the decorations of an annotation: those of its blocks if at
// least one is known, else its whole text as a UserSemantic.
func (t *translator) annotationDecorations(text string) (list []annotationDecoration) {
	known := false
	for _, block := range annotationBlock().FindAllString(text, -1) {
		name, values, _ := strings.Cut(block[1:len(block)-1], ":")
		switch number, err := strconv.ParseUint(name, 10, 32); {
		case err == nil:
			known = true
			list = append(list, annotationDecoration{uint32(number), splitValues(values)})
		case name == "params" && t.allowsDecoration(5899):
			known = true
			list = append(list, accessDecorations(values, text)...)
		case name == "cache-size": // accessDecorations reads it
		case t.allowsDecoration(decMemoryName):
			if d, ok := memoryAttribute(name, values); ok {
				known = true
				list = append(list, d)
			} else {
				list = append(list, annotationDecoration{decUserSemantic, []string{block}})
			}
		}
	}
	if !known {
		return []annotationDecoration{{decUserSemantic, []string{text}}}
	}
	return list
}

// splitValues splits values at commas, and takes the quotation marks off.
func splitValues(text string) []string {
	if text == "" {
		return nil
	}
	values := strings.Split(text, ",")
	for i := range values {
		values[i] = strings.Trim(values[i], `"`)
	}
	return values
}

// memoryAttribute returns the decoration of a word for the memory of an FPGA.
func memoryAttribute(name, values string) (d annotationDecoration, ok bool) {
	if name == "pump" {
		number, ok := map[string]uint32{"1": 5830, "2": 5831}[values]
		return annotationDecoration{number: number}, ok
	}
	number, ok := memoryAttributes.Get()[name]
	switch {
	case slices.Contains(plainAttributes, number):
		return annotationDecoration{number: number}, ok
	case number == decMergeNames:
		first, second, _ := strings.Cut(values, ":")
		return annotationDecoration{number, []string{first, second}}, ok
	}
	return annotationDecoration{number, strings.Split(values, ",")}, ok
}

// accessDecorations returns the decorations of {params:MASK}. The bits of the mask are bursts,
// cache, no static coalescing and prefetching; the size of the cache is in a block of its own.
func accessDecorations(mask, text string) (list []annotationDecoration) {
	bits, _ := strconv.ParseUint(mask, 10, 32)
	if bits&1 != 0 {
		list = append(list, annotationDecoration{number: 5899})
	}
	if bits&4 != 0 {
		list = append(list, annotationDecoration{number: 5901})
	}
	if bits&2 != 0 {
		size := "0"
		if _, rest, ok := strings.Cut(text, "{cache-size:"); ok {
			size, _, _ = strings.Cut(rest, "}")
		}
		list = append(list, annotationDecoration{5900, []string{size}})
	}
	if bits&8 != 0 {
		list = append(list, annotationDecoration{5902, []string{"0"}})
	}
	return list
}

// annotateWith decorates an identifier with the decorations of an annotation. It leaves out
// those of unknown extensions or of extensions that are not allowed, those that the caller
// lists, and kinds that the identifier has already.
func (t *translator) annotateWith(n id, text string, without ...uint32) {
	for _, d := range t.annotationDecorations(text) {
		if slices.Contains(without, d.number) || d.number != decUserSemantic && t.b.hasDecoration(n, d.number) {
			continue
		}
		if d.number == decUserSemantic {
			if len(d.values) == 1 {
				t.annotateID(n, d.values[0])
			}
			continue
		}
		if _, ok := decorationNeeds.Get()[d.number]; !ok || !t.allowsDecoration(d.number) {
			continue
		}
		if words, ok := d.operandWords(); ok {
			t.decorateNeeded(n, d.number, words...)
		}
	}
}

// operandWords returns the operands of a decoration; ok is false if a value is not a number
// where the decoration wants one.
func (d *annotationDecoration) operandWords() (words []uint32, ok bool) {
	for _, v := range d.values {
		if d.number == decMemoryName || d.number == decMergeNames {
			words = appendText(words, v)
			continue
		}
		number, err := strconv.ParseUint(v, 10, 31)
		if err != nil {
			return nil, false
		}
		words = append(words, uint32(number))
	}
	return words, true
}
