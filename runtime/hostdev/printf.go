package hostdev

import (
	"math"
	"strconv"
	"strings"

	"offlink/spirv"
)

// printf of OpenCL C, section 6.15.14: the conversions of C without n, and a
// vector specifier vN before the length.

// printArg is an argument: its words and their type.
type printArg struct {
	words   []uint64
	kind    kind
	width   int // of a component
	text    string
	hasText bool
}

// emitPrintf compiles the call; the types of the arguments are kept for
// stepPrintf.
func (b *builder) emitPrintf(in *spirv.Instruction) {
	format := b.arg(in, 0)
	b.require(format.t.kind == kindPointer, "the format is not a pointer")
	to := b.defineLanes(in, kindInt, 0)
	var types []*typ
	call := inst{step: stepPrintf, dst: to.at, a: format.at}
	for i := range in.Operands()[1:] {
		v := b.arg(in, i+1)
		s := v.t.scalar()
		b.require(s.kind == kindInt || s.kind == kindFloat || s.kind == kindPointer,
			"an argument of type %s cannot be printed", b.typeName(v.t))
		types = append(types, v.t)
		call.list = append(call.list, v.at)
	}
	call.ext = types
	b.emit(call)
}

// stepPrintf formats and writes the text. Its result is 0, success.
func stepPrintf(it *item, in *inst) status {
	format, st := it.readString(pointer(it.s[in.a]))
	if st != running {
		return st
	}
	var args []printArg
	for i, t := range in.ext.([]*typ) {
		arg := printArg{words: it.s[in.list[i] : int64(in.list[i])+t.words], kind: t.scalar().kind, width: t.bits()}
		if arg.kind == kindPointer && wantsText(format, i) {
			if arg.text, st = it.readString(pointer(arg.words[0])); st != running {
				return st
			}
			arg.hasText = true
		}
		args = append(args, arg)
	}
	it.group.launch.printText(formatPrintf(format, args))
	it.s[in.dst] = 0
	return running
}

// printText writes the text of one call as a whole: work-items on several
// goroutines do not mix within a line.
func (l *launch) printText(text string) {
	l.device.output.Lock()
	defer l.device.output.Unlock()
	// A kernel cannot learn that its output is lost.
	_, _ = l.device.options.Output.Write([]byte(text))
}

// readString reads a NUL-terminated string from device memory. Each byte counts
// as a jump, since a string without an end in a large memory must stop with the
// launch.
func (it *item) readString(p pointer) (string, status) {
	var text strings.Builder
	for at := p; ; at++ {
		data := it.bytesAt(at, 1)
		if !it.burnFuel() {
			return "", faulted
		}
		if data == nil {
			return "", it.badAccess("load", at, 1)
		}
		if data[0] == 0 {
			return text.String(), running
		}
		text.WriteByte(data[0])
	}
}

// conversion is one conversion specification of a format.
type conversion struct {
	flags      string
	width      int
	precision  int // -1 if there is none
	components int
	length     string
	verb       byte
}

// wantsText tells whether argument i of a format is a string.
func wantsText(format string, i int) bool {
	for format != "" {
		var c *conversion
		_, c, format = cutConversion(format)
		if c == nil || c.verb == '%' {
			continue
		}
		if i == 0 {
			return c.verb == 's'
		}
		i--
	}
	return false
}

// cutConversion splits a format into the text before the first conversion, the
// conversion, and the rest; c is nil without a conversion.
func cutConversion(format string) (text string, c *conversion, rest string) {
	text, rest, found := strings.Cut(format, "%")
	if !found {
		return text, nil, ""
	}
	c = &conversion{precision: -1, components: 1}
	n := len(rest) - len(strings.TrimLeft(rest, "-+ #0"))
	c.flags, rest = rest[:n], rest[n:]
	c.width, rest = cutNumber(rest)
	if strings.HasPrefix(rest, ".") {
		c.precision, rest = cutNumber(rest[1:])
	}
	if strings.HasPrefix(rest, "v") {
		c.components, rest = cutNumber(rest[1:])
	}
	for _, length := range []string{"hh", "hl", "h", "l"} {
		if strings.HasPrefix(rest, length) {
			c.length, rest = length, rest[len(length):]
			break
		}
	}
	if rest == "" {
		return text, nil, ""
	}
	c.verb = rest[0]
	return text, c, rest[1:]
}

// maxPrintWidth bounds widths and precisions: a kernel chooses them.
const maxPrintWidth = 4096

func cutNumber(s string) (int, string) {
	n := len(s) - len(strings.TrimLeft(s, "0123456789"))
	v, _ := strconv.Atoi(s[:n])
	return min(v, maxPrintWidth), s[n:]
}

// formatPrintf formats the arguments; a conversion without an argument prints
// nothing.
func formatPrintf(format string, args []printArg) string {
	var out strings.Builder
	for format != "" {
		var text string
		var c *conversion
		text, c, format = cutConversion(format)
		out.WriteString(text)
		switch {
		case c == nil:
		case c.verb == '%':
			out.WriteByte('%')
		case len(args) > 0:
			out.WriteString(c.formatArg(&args[0]))
			args = args[1:]
		}
	}
	return out.String()
}

// formatArg formats an argument, a vector's components between commas.
func (c *conversion) formatArg(arg *printArg) string {
	if arg.hasText {
		return c.padText(c.cut(arg.text))
	}
	var parts []string
	for i := range min(c.components, len(arg.words)) {
		parts = append(parts, c.formatComponent(arg.words[i], arg))
	}
	return strings.Join(parts, ",")
}

func (c *conversion) cut(text string) string {
	if c.precision >= 0 && c.precision < len(text) {
		return text[:c.precision]
	}
	return text
}

func (c *conversion) formatComponent(v uint64, arg *printArg) string {
	switch c.verb {
	case 'd', 'i', 'u', 'o', 'x', 'X':
		return c.formatInteger(v, arg)
	case 'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A':
		return c.formatFloat(v, arg)
	case 'c':
		return c.padText(string([]byte{byte(v)}))
	case 'p':
		return c.padText("0x" + strconv.FormatUint(v, 16))
	}
	return ""
}

// bitsOf is the width that the length modifier gives.
func (c *conversion) bitsOf(arg *printArg) int {
	switch c.length {
	case "hh":
		return min(8, arg.width)
	case "h":
		return min(16, arg.width)
	case "hl":
		return min(32, arg.width)
	}
	return arg.width
}

func (c *conversion) formatInteger(v uint64, arg *printArg) string {
	w := c.bitsOf(arg)
	v &= mask(w)
	negative := (c.verb == 'd' || c.verb == 'i') && signExtend(v, w) < 0
	if negative {
		v = -uint64(signExtend(v, w))
	}
	base := map[byte]int{'o': 8, 'x': 16, 'X': 16}[c.verb]
	digits := strconv.FormatUint(v, max(base, 10))
	if base == 8 {
		digits = strconv.FormatUint(v, 8)
	}
	// C11, 7.21.6.1: a zero with precision zero prints no digits.
	if c.precision == 0 && v == 0 {
		digits = ""
	}
	digits = strings.Repeat("0", max(0, c.precision-len(digits))) + digits
	prefix := c.signPrefix(negative)
	if strings.Contains(c.flags, "#") {
		switch {
		case base == 16 && v != 0:
			prefix = "0x"
		case base == 8 && !strings.HasPrefix(digits, "0"):
			digits = "0" + digits
		}
	}
	text := c.fill(prefix, digits, c.precision < 0)
	if c.verb == 'X' {
		return strings.ToUpper(text)
	}
	return text
}

// signPrefix is the sign before a number; unsigned conversions have none.
func (c *conversion) signPrefix(negative bool) string {
	switch {
	case negative:
		return "-"
	case strings.IndexByte("uoxX", c.verb) >= 0:
		return ""
	case strings.Contains(c.flags, "+"):
		return "+"
	case strings.Contains(c.flags, " "):
		return " "
	}
	return ""
}

func (c *conversion) formatFloat(v uint64, arg *printArg) string {
	if arg.kind != kindFloat {
		return c.padText("")
	}
	f := widenToDouble(arg.width)(v)
	prefix := c.signPrefix(math.Signbit(f))
	digits, number := c.formatDigits(math.Abs(f))
	text := c.fill(prefix, digits, number)
	if strings.IndexByte("FEGA", c.verb) >= 0 {
		return strings.ToUpper(text)
	}
	return text
}

// formatDigits formats a number that is not negative.
func (c *conversion) formatDigits(f float64) (text string, number bool) {
	switch {
	case f != f:
		return "nan", false
	case math.IsInf(f, 0):
		return "inf", false
	}
	// Letters are made capital at the end (formatFloat), also those of "inf"
	// and "nan", as C asks for E, F, G and A.
	verb := c.verb | 0x20 // in lower case
	precision := c.precision
	switch verb {
	case 'a':
		return hexDigits(f, precision), true
	case 'g':
		return c.formatGeneral(f), true
	}
	if precision < 0 {
		precision = 6
	}
	text = strconv.FormatFloat(f, verb, precision, 64)
	if precision == 0 && strings.Contains(c.flags, "#") {
		text += "."
	}
	return text, true
}

// formatGeneral is the conversion g: six digits without a precision, and no
// trailing zeros without the flag #.
func (c *conversion) formatGeneral(f float64) string {
	precision := c.precision
	if precision < 0 {
		precision = 6
	}
	precision = max(precision, 1)
	// C takes the exponent that the number has after rounding to the precision
	// (C11, 7.21.6.1): 999999.5 with %g is 1e+06, not 1000000.
	exponential := strconv.FormatFloat(f, 'e', precision-1, 64)
	_, exponentText, _ := strings.Cut(exponential, "e")
	exponent, _ := strconv.Atoi(exponentText)
	text, tail := strconv.FormatFloat(f, 'f', max(0, precision-1-exponent), 64), ""
	if exponent < -4 || exponent >= precision {
		text, tail, _ = strings.Cut(exponential, "e")
		tail = "e" + tail
	}
	if strings.Contains(c.flags, "#") {
		return text + tail
	}
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text + tail
}

// hexDigits is the conversion a; the exponent has no leading zero.
func hexDigits(f float64, precision int) string {
	text := strconv.FormatFloat(f, 'x', precision, 64)
	mantissa, exponent, _ := strings.Cut(text, "p")
	if len(exponent) == 3 && exponent[1] == '0' {
		exponent = exponent[:1] + exponent[2:]
	}
	return mantissa + "p" + exponent
}

// fill pads a number to the width, with zeros after its sign if zeros.
func (c *conversion) fill(prefix, digits string, zeros bool) string {
	missing := c.width - len(prefix) - len(digits)
	if zeros && missing > 0 && strings.Contains(c.flags, "0") && !strings.Contains(c.flags, "-") {
		digits = strings.Repeat("0", missing) + digits
	}
	return c.padText(prefix + digits)
}

func (c *conversion) padText(text string) string {
	space := strings.Repeat(" ", max(0, c.width-len(text)))
	if strings.Contains(c.flags, "-") {
		return text + space
	}
	return space + text
}
