package bitcode_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// canonical returns the text of a module with what says nothing about it
// taken out: numbers of metadata, the order of what is attached to a function
// (which follows the numbers of kinds), and the order of predecessors in
// comments (which follows the order of uses).
func canonical(text string) string {
	c := renumbering{nodes: map[string]string{}, numbers: map[string]int{}}
	var body []string
	for _, line := range strings.Split(text, "\n") {
		line = predecessors.ReplaceAllString(line, "")
		if m := definition.FindStringSubmatch(line); m != nil {
			c.nodes[m[1]] = m[2]
			continue
		}
		body = append(body, line)
	}
	var b strings.Builder
	for _, line := range body {
		line = attachments.ReplaceAllStringFunc(line, sortAttachments)
		b.WriteString(c.line(line) + "\n")
	}
	for i := 0; i < len(c.order); i++ { // grows
		b.WriteString("!" + strconv.Itoa(i) + " = " + c.line(c.nodes[c.order[i]]) + "\n")
	}
	return b.String()
}

var (
	predecessors = regexp.MustCompile(` *; preds = .*`)
	definition   = regexp.MustCompile(`^!(\d+) = (.*)`)
	attachment   = regexp.MustCompile(` ![^ \n!"]+ !\d+`)
	attachments  = regexp.MustCompile(`( ![^ \n!"]+ !\d+){2,}`)
	reference    = regexp.MustCompile(`"[^"]*"|!\d+`)
)

func sortAttachments(list string) string {
	pairs := attachment.FindAllString(list, -1)
	slices.Sort(pairs)
	return strings.Join(pairs, "")
}

// renumbering gives metadata numbers in the order in which it is named.
type renumbering struct {
	nodes   map[string]string
	numbers map[string]int
	order   []string
}

func (c *renumbering) line(line string) string {
	return reference.ReplaceAllStringFunc(line, func(word string) string {
		if word[0] == '"' {
			return word
		}
		n, ok := c.numbers[word[1:]]
		if !ok {
			n = len(c.order)
			c.numbers[word[1:]] = n
			c.order = append(c.order, word[1:])
		}
		return "!" + strconv.Itoa(n)
	})
}
