package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/ir"
	"offlink/parallel"
	"offlink/split"
)

// whyAnswer explains whether and why one image has a symbol.
type whyAnswer struct {
	Image  int       `json:"image"`
	Scope  string    `json:"scope"`
	Symbol string    `json:"symbol"`
	Status string    `json:"status"` // defined, declared, absent
	Rule   string    `json:"rule"`
	Chain  []whyStep `json:"chain,omitempty"`
	// Others are the other images that have the symbol, where no image was
	// asked for.
	Others []int `json:"otherImages,omitempty"`
}

// whyStep is a value on the way from an entry point to the symbol.
type whyStep struct {
	Symbol string `json:"symbol"`
	Reason string `json:"reason"` // its relation to the step before
}

// newWhyCommand makes "postlink why".
func newWhyCommand(s cli.Streams) *cobra.Command {
	i := &inspection{}
	c := &cobra.Command{
		Use:   "why SYMBOL FILE",
		Short: "show why a function or variable is in an image",
		Long: "SYMBOL is a name as the compiler mangled it or as it stands in the source, or a part of it.\n" +
			"why shows the shortest chain of references from an entry point of an image to a symbol,\n" +
			"and the rule that exported, imported or internalised it there. Without --image it takes\n" +
			"the first image that has the symbol.",
		Args: exactArgs("SYMBOL", "FILE"),
	}
	i.addFlags(c)
	mode := c.Flags().String("split", "source", "how the module is split: `MODE` is none, source, kernel or auto")
	number := c.Flags().Int("image", -1, "the image's number `N` (the first that has the symbol)")
	c.RunE = func(_ *cobra.Command, args []string) (err error) {
		if err := i.parseWords(); err != nil {
			return err
		}
		if i.split.Mode, err = split.ParseMode(*mode); err != nil {
			return cli.Usagef("%w", err)
		}
		// As for plan: the answer is about the module, not about its format.
		i.input, i.anyFormat = args[1], true
		answer, err := explainSymbol(i, args[0], *number, s)
		if err != nil {
			return err
		}
		return answer.printAnswer(i.json, s.Out)
	}
	return c
}

// explainSymbol plans the split, without writing images, and asks the image.
func explainSymbol(i *inspection, symbol string, number int, s cli.Streams) (*whyAnswer, error) {
	input, err := openModule(context.Background(), i.input, &i.options, s)
	if err != nil {
		return nil, err
	}
	defer input.Close()
	module := input.Module
	graph, groups, err := planModule(module, i.split)
	if err != nil {
		return nil, err
	}
	id, err := lookUp(module, symbol)
	if err != nil {
		return nil, locatedError(module, err)
	}
	if number >= len(groups) {
		return nil, fmt.Errorf("%s: there is no image %d: this split makes %s", module.Path, number, countNoun(len(groups), "image"))
	}
	return answerFor(graph, groups, id, number, i.jobs)
}

// answerFor explains the symbol in the image of that number. Without one (-1) it takes the
// first image that has the symbol, and lists the others.
func answerFor(graph *split.Graph, groups []split.Group, id ir.ValueID, number, jobs int) (*whyAnswer, error) {
	module := graph.Module
	symbol, x := module.Values[id].Name, graph.NewExtractor()
	var others []int
	if number < 0 {
		var err error
		if others, err = imagesWith(graph, groups, id, jobs); err != nil {
			return nil, locatedError(module, err)
		}
		if len(others) == 0 {
			return &whyAnswer{Image: -1, Symbol: symbol, Status: string(split.StatusAbsent), Rule: x.Why(&groups[0], id).Rule}, nil
		}
		number, others = others[0], others[1:]
	}
	answer := newWhyAnswer(module, x.Why(&groups[number], id), symbol)
	answer.Image, answer.Scope, answer.Others = number, groups[number].Scope, others
	return answer, nil
}

// lookUp finds the value that a user means by a name or a part of it.
func lookUp(m *ir.Module, symbol string) (ir.ValueID, error) {
	if id, ok := m.Lookup(symbol); ok {
		return id, nil
	}
	var names []string
	var ids []ir.ValueID
	for i := range m.Values {
		// A user who gives a part of a name does not mean LLVM's own lists and
		// intrinsics.
		if name := m.Values[i].Name; name != "" && !strings.HasPrefix(name, "llvm.") {
			names, ids = append(names, name), append(ids, ir.ValueID(i))
		}
	}
	n, err := cli.FindName(symbol, "function or variable", names)
	if err != nil {
		return 0, err
	}
	return ids[n], nil
}

// imagesWith returns the numbers of the images that have the value.
func imagesWith(g *split.Graph, groups []split.Group, id ir.ValueID, jobs int) ([]int, error) {
	has := make([]bool, len(groups))
	err := parallel.ForEach(len(groups), jobs, func() func(int) error {
		x := g.NewExtractor()
		return func(i int) error {
			partition, err := x.Extract(&groups[i])
			has[i] = err == nil && partition.Has(id)
			return err
		}
	})
	if err != nil {
		return nil, err
	}
	var numbers []int
	for i, yes := range has {
		if yes {
			numbers = append(numbers, i)
		}
	}
	return numbers, nil
}

// newWhyAnswer makes the answer that is printed, with names instead of numbers.
func newWhyAnswer(m *ir.Module, a split.Answer, symbol string) *whyAnswer {
	w := &whyAnswer{Symbol: symbol, Status: string(a.Status), Rule: a.Rule}
	for _, step := range a.Chain {
		w.Chain = append(w.Chain, whyStep{valueName(m, step.Value), string(step.Reason)})
	}
	return w
}

// valueName returns the name of a global value for a message.
func valueName(m *ir.Module, id ir.ValueID) string {
	if name := m.Values[id].Name; name != "" {
		return name
	}
	return "(a value without name)"
}

// printAnswer prints the chain of references from an entry point to the
// symbol.
func (a *whyAnswer) printAnswer(json bool, w io.Writer) error {
	if json {
		return cli.WriteJSON(w, a)
	}
	if a.Image < 0 {
		fmt.Fprintf(w, "%s: in no image: nothing in any image refers to it\n", symbolText(a.Symbol))
		return nil
	}
	scope := "" // clang writes no names of sources
	if a.Scope != "" {
		scope = " (" + a.Scope + ")"
	}
	fmt.Fprintf(w, "image %d%s: %s is %s: %s\n", a.Image, scope, symbolText(a.Symbol), a.Status, a.Rule)
	for n, step := range a.Chain {
		if n == 0 {
			fmt.Fprintf(w, "  %s: %s\n", symbolText(step.Symbol), step.Reason)
			continue
		}
		fmt.Fprintf(w, "  %s: %s %s\n", symbolText(step.Symbol), step.Reason, symbolText(a.Chain[n-1].Symbol))
	}
	if len(a.Others) > 0 {
		fmt.Fprintf(w, "also in %s\n", countNoun(len(a.Others), "other image"))
	}
	return nil
}
