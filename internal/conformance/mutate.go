package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// Mutations of textual IR: each changes one line such that the result may still be valid.
// LLVM's verifier rejects the rest.

// wordSwaps are words that may stand for each other.
var wordSwaps = [][]string{
	{"add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "sdiv", "urem", "srem"},
	{"fadd", "fsub", "fmul", "fdiv", "frem"},
	{"eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"},
	{"oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "une", "uno", "ult", "true", "false"},
	{"zext", "sext"},
	{"sitofp", "uitofp"},
	{"fptosi", "fptoui"},
	{"i8", "i16", "i32", "i64", "i1", "i24", "i4", "i33"},
	{"half", "float", "double"},
	{"<2", "<3", "<4", "<8", "<16", "<1"},
	{"nsw", "nuw", "nuw nsw", ""},
	{"fast", "nnan", "contract", "reassoc nsz", ""},
	{"true", "false", "undef", "poison"},
	{"0", "1", "-1", "7", "31", "undef", "poison", "2147483647"},
	{"addrspace(1)", "addrspace(3)", "addrspace(4)", ""},
	{"internal", "weak", "linkonce_odr", "private", "available_externally", ""},
	{"monotonic", "acquire", "release", "acq_rel", "seq_cst", "unordered"},
	{"umax", "umin", "smax", "smin"},
	{"llvm.sadd.sat", "llvm.uadd.sat", "llvm.ssub.sat", "llvm.usub.sat", "llvm.sshl.sat"},
	{"llvm.fshl", "llvm.fshr"},
	{"llvm.bswap", "llvm.bitreverse", "llvm.ctpop"},
	{"volatile ", ""},
	{"inbounds ", ""},
	{"spir_kernel", "spir_func"},
}

var irWord = regexp.MustCompile(`[A-Za-z_.][A-Za-z0-9_.]*(\([0-9]\))?|-?\b[0-9]+\b|<[0-9]+`)

// mutateText returns IR with some lines of its functions changed.
func mutateText(text string, r *rand.Rand) string {
	lines := strings.Split(text, "\n")
	var body []int
	inside := false
	for i, line := range lines {
		inside = inside && !strings.HasPrefix(line, "}") || strings.HasPrefix(line, "define")
		if inside {
			body = append(body, i)
		}
	}
	for range 1 + r.IntN(3) {
		if len(body) == 0 {
			break
		}
		i := body[r.IntN(len(body))]
		switch r.IntN(12) {
		case 0:
			lines[i] = "  " + freezeLine(lines[i], r)
		case 1: // a store or a void call may go
			if t := strings.TrimSpace(lines[i]); strings.HasPrefix(t, "store") || strings.HasPrefix(t, "call void") {
				lines[i] = ""
			}
		default:
			lines[i] = swapWord(lines[i], r)
		}
	}
	return strings.Join(lines, "\n")
}

// swapWord puts another word in the place of one of a line.
func swapWord(line string, r *rand.Rand) string {
	spots := irWord.FindAllStringIndex(line, -1)
	r.Shuffle(len(spots), func(i, j int) { spots[i], spots[j] = spots[j], spots[i] })
	for _, s := range spots {
		word := line[s[0]:s[1]]
		for _, group := range wordSwaps {
			for _, w := range group {
				if w == word && w != "" {
					return line[:s[0]] + group[r.IntN(len(group))] + line[s[1]:]
				}
			}
		}
	}
	return line
}

// freezeLine freezes an operand of an arithmetic instruction.
func freezeLine(line string, r *rand.Rand) string {
	t := strings.TrimSpace(line)
	fields := strings.Fields(t)
	if len(fields) == 6 && fields[1] == "=" && strings.HasSuffix(fields[4], ",") && strings.HasPrefix(fields[4], "%") {
		name := fmt.Sprintf("%%frozen%d", r.IntN(1<<30))
		return fmt.Sprintf("%s = freeze %s %s\n  %s = %s %s %s, %s", name, fields[3], strings.TrimSuffix(fields[4], ","), fields[0], fields[2], fields[3], name, fields[5])
	}
	return t
}
