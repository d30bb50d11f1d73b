package bitcode_test

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// canonical returns the text of a module without its incidental parts: the name of the file, numbers of metadata and attribute groups,
// the order of declarations, the order of attachments to a function
// (which follows the numbers of kinds), and the order of predecessors in
// comments (which follows the order of uses). The lifetime markers of LLVM 21 that
// LLVM 22 replaces and leaves unused go too.
func canonical(text string) string {
	c := renumbering{definitions: map[string]string{}, numbers: map[string]int{}}
	var body, declarations []string
	for _, line := range strings.Split(text, "\n") {
		line = predecessors.ReplaceAllString(line, "")
		switch m := definition.FindStringSubmatch(line); {
		case m != nil:
			c.definitions[m[1]] = m[2]
		case dropped.MatchString(line):
		case strings.HasPrefix(line, "declare "):
			declarations = append(declarations, line)
		default:
			body = append(body, line)
		}
	}
	slices.SortFunc(declarations, func(a, b string) int {
		return cmp.Compare(declared.FindString(a), declared.FindString(b))
	})
	var b strings.Builder
	for _, line := range append(body, declarations...) {
		b.WriteString(c.line(attachments.ReplaceAllStringFunc(line, sortAttachments)) + "\n")
	}
	for i := 0; i < len(c.order); i++ { // grows
		b.WriteString(strconv.Itoa(i) + " = " + c.line(c.definitions[c.order[i]]) + "\n")
	}
	return b.String()
}

var (
	dropped      = regexp.MustCompile(`^(; ModuleID|; Function Attrs|declare void @llvm\.lifetime|$)`)
	predecessors = regexp.MustCompile(` *; preds = .*`)
	definition   = regexp.MustCompile(`^(?:attributes )?([!#]\d+) = (.*)`)
	declared     = regexp.MustCompile(`@[^(]+`)
	attachment   = regexp.MustCompile(` ![^ \n!"]+ !\d+`)
	attachments  = regexp.MustCompile(`( ![^ \n!"]+ !\d+){2,}`)
	reference    = regexp.MustCompile(`"[^"]*"|[!#]\d+`)
)

func sortAttachments(list string) string {
	pairs := attachment.FindAllString(list, -1)
	slices.Sort(pairs)
	return strings.Join(pairs, "")
}

// renumbering gives numbers to metadata and attribute groups in the order in
// which they are named.
type renumbering struct {
	definitions map[string]string
	numbers     map[string]int
	order       []string
}

func (c *renumbering) line(line string) string {
	return reference.ReplaceAllStringFunc(line, func(word string) string {
		if word[0] == '"' {
			return word
		}
		n, ok := c.numbers[word]
		if !ok {
			n = len(c.order)
			c.numbers[word] = n
			c.order = append(c.order, word)
		}
		return word[:1] + strconv.Itoa(n)
	})
}
