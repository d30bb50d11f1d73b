package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/ir"
	"offlink/ir/sycl"
	"offlink/parallel"
	"offlink/split"
)

// modePlan lists the images that one split mode would make of a module.
type modePlan struct {
	Mode   string      `json:"mode"`
	Images []imagePlan `json:"images"`
	// Bytes is the size of all images, in bytes of the input. Duplicated is the part
	// of it that an earlier image has already.
	Bytes      int64 `json:"bytes"`
	Duplicated int64 `json:"duplicatedBytes"`
}

// imagePlan is one image of a plan.
type imagePlan struct {
	Number    int      `json:"image"`
	Scope     string   `json:"scope"`
	Features  []string `json:"features,omitempty"` // that its entry points share
	Part      string   `json:"part,omitempty"`     // "esimd" for an image of ESIMD code
	Entries   []string `json:"entries"`
	Functions int      `json:"functions"` // defined in the image
	Variables int      `json:"variables"`
	Imports   []string `json:"imports,omitempty"`
	Bytes     int64    `json:"bytes"`
	Shared    int64    `json:"sharedBytes"` // that other images have too
}

// newPlanCommand makes "postlink plan".
func newPlanCommand(s cli.Streams) *cobra.Command {
	i := &inspection{}
	c := &cobra.Command{
		Use:   "plan FILE",
		Short: "show the images that each split mode would make, without writing them",
		Long: "plan shows the images of each split mode, their entry points, sizes and shared parts.\n" +
			"Sizes are the bytes that the definitions take in the input.",
		Args: exactArgs("FILE"),
	}
	i.addFlags(c)
	modes := c.Flags().StringSlice("split", []string{"none", "source", "kernel"}, "the `MODES` to show, with commas")
	order := c.Flags().String("sort", "number", "`ORDER` of the images: number, size, shared, name")
	limit := c.Flags().Int("limit", 0, "show `N` images of each mode (0: all); JSON has all")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if err := i.parseWords(); err != nil {
			return err
		}
		// A plan is only looked at, so that it takes text and bitcode, whatever -S would say.
		i.input, i.anyFormat = args[0], true
		return showPlans(i, *modes, *order, *limit, s)
	}
	return c
}

// showPlans makes the plans and prints them in the order that was asked for.
func showPlans(i *inspection, modes []string, order string, limit int, s cli.Streams) error {
	compare, ok := planOrders[order]
	switch {
	case !ok:
		return cli.Usagef("--sort=%s: use number, size, shared or name", order)
	case limit < 0:
		return cli.Usagef("--limit=%d: want a number of images, or 0 for all", limit)
	}
	plans, err := makePlans(i, modes, s)
	if err != nil {
		return err
	}
	for n := range plans {
		// Stable: images of one size stay in the order of their numbers.
		slices.SortStableFunc(plans[n].Images, compare)
	}
	if i.json {
		return cli.WriteJSON(s.Out, plans)
	}
	printPlans(s.Out, plans, limit)
	return nil
}

// planOrders are the orders of images: sizes fall, numbers and names rise.
var planOrders = map[string]func(a, b imagePlan) int{
	"number": func(a, b imagePlan) int { return cmp.Compare(a.Number, b.Number) },
	"size":   func(a, b imagePlan) int { return cmp.Compare(b.Bytes, a.Bytes) },
	"shared": func(a, b imagePlan) int { return cmp.Compare(b.Shared, a.Shared) },
	"name":   func(a, b imagePlan) int { return cmp.Compare(scopeText(a), scopeText(b)) },
}

// makePlans makes the plans of the modes.
func makePlans(i *inspection, modes []string, s cli.Streams) ([]modePlan, error) {
	var wanted []split.Mode
	for _, name := range modes {
		m, err := split.ParseMode(name)
		if err != nil {
			return nil, cli.Usagef("%w", err)
		}
		wanted = append(wanted, m)
	}
	input, err := openModule(context.Background(), i.input, &i.options, s)
	if err != nil {
		return nil, err
	}
	defer input.Close()
	module := input.Module
	// Annotations become attributes, by which the module is split. They are applied once
	// for all modes, as they belong to the module.
	if _, err := split.ApplyAnnotations(module); err != nil {
		return nil, locatedError(module, err)
	}
	plans := []modePlan{}
	for _, m := range wanted {
		options := i.split
		options.Mode = m
		p, err := planMode(module, options, i.jobs)
		if err != nil {
			return nil, locatedError(module, err)
		}
		plans = append(plans, p)
	}
	return plans, nil
}

// printPlans prints a summary of the modes, where there are several, and then
// their images.
func printPlans(w io.Writer, plans []modePlan, limit int) {
	if len(plans) > 1 {
		for n := range plans {
			plans[n].printSummary(w)
		}
	}
	for n := range plans {
		if len(plans) > 1 {
			fmt.Fprintln(w)
		}
		plans[n].printImages(w, limit)
	}
}

// planMode makes the plan of one mode.
func planMode(module *ir.Module, options split.Options, jobs int) (modePlan, error) {
	p := modePlan{Mode: options.Mode.String()}
	graph, err := split.NewGraph(module, options)
	if err != nil {
		return p, err
	}
	groups, err := graph.Plan()
	if err != nil {
		return p, err
	}
	p.Images = make([]imagePlan, len(groups))
	holds := make([][]ir.ValueID, len(groups))
	err = parallel.ForEach(len(groups), jobs, func() func(int) error {
		x := graph.NewExtractor()
		return func(i int) error {
			// Extracted as for real images, so that the sizes are those of their
			// contents, and not of all code that is reachable.
			partition, err := x.Extract(&groups[i])
			if err != nil {
				return err
			}
			holds[i] = partition.Definitions
			p.Images[i] = planImage(partition, i)
			p.Images[i].Features, err = graph.Features(&groups[i])
			return err
		}
	})
	p.addSizes(module, holds)
	return p, err
}

// planImage describes an image that a split would make.
func planImage(s *split.Partition, number int) imagePlan {
	p := imagePlan{Number: number, Scope: s.Group.Scope, Entries: s.Symbols()}
	if s.Group.Part == split.PartESIMD {
		p.Part = "esimd"
	}
	for _, id := range s.Definitions {
		switch s.Module.Values[id].Kind {
		case ir.Function:
			p.Functions++
		case ir.Variable:
			p.Variables++
		}
	}
	for _, id := range s.Imports() {
		p.Imports = append(p.Imports, s.Module.Values[id].Name)
	}
	return p
}

// addSizes adds up the sizes of the definitions of the images.
func (p *modePlan) addSizes(module *ir.Module, holds [][]ir.ValueID) {
	sizer, ok := module.Source.(ir.Sizer)
	if !ok {
		return
	}
	// In how many images each definition is.
	count := make([]int, len(module.Values))
	for _, ids := range holds {
		for _, id := range ids {
			count[id]++
		}
	}
	for i, ids := range holds {
		for _, id := range ids {
			size := sizer.ValueSize(id)
			p.Images[i].Bytes += size
			if count[id] > 1 {
				p.Images[i].Shared += size
			}
		}
		p.Bytes += p.Images[i].Bytes
	}
	// The rest, after each definition was counted once.
	p.Duplicated = p.Bytes
	for id, n := range count {
		if n > 0 {
			p.Duplicated -= sizer.ValueSize(ir.ValueID(id))
		}
	}
}

func (p *modePlan) printSummary(w io.Writer) {
	fmt.Fprintf(w, "%s: %s, %s, %s duplicated\n", p.Mode, countNoun(len(p.Images), "image"), bytesText(p.Bytes), bytesText(p.Duplicated))
}

// printImages prints the images of a mode, up to a limit: modes that make thousands are
// compared by their summaries.
func (p *modePlan) printImages(w io.Writer, limit int) {
	p.printSummary(w)
	images := p.Images
	if limit > 0 && limit < len(images) {
		images = images[:limit]
	}
	for _, i := range images {
		p.printImage(w, i)
	}
	if left := len(p.Images) - len(images); left > 0 {
		fmt.Fprintf(w, "  and %s more (--limit=%d)\n", countNoun(left, "image"), limit)
	}
	for _, i := range images {
		for _, name := range i.Imports {
			fmt.Fprintf(w, "  image %d imports %s\n", i.Number, symbolText(name))
		}
	}
}

// printImage prints an image and its entry points.
func (p *modePlan) printImage(w io.Writer, i imagePlan) {
	fmt.Fprintf(w, "  %d  %s: %s, %s, %s, %s shared\n", i.Number, scopeText(i), countNoun(i.Functions, "function"), countNoun(i.Variables, "variable"), bytesText(i.Bytes), bytesText(i.Shared))
	if p.Mode == split.Kernel.String() {
		return // the scope is the entry point
	}
	for _, name := range i.Entries {
		fmt.Fprintf(w, "       %s\n", symbolText(name))
	}
}

// symbolText is a name as its author wrote it. SYCL compilers name kernels after
// types, with the symbol of the type's name in C++.
func symbolText(name string) string {
	return strings.TrimPrefix(sycl.Demangle(name), "typeinfo name for ")
}

// scopeText names the scope of an image.
func scopeText(i imagePlan) string {
	scope := i.Scope
	if scope == "" {
		scope = "(no name)"
	}
	if slices.Contains(i.Entries, scope) {
		scope = symbolText(scope)
	}
	if i.Part != "" {
		scope += " (" + i.Part + ")"
	}
	if i.Features != nil {
		scope += " (" + strings.Join(i.Features, "; ") + ")"
	}
	return scope
}

// countNoun is "1 image" or "3 images".
func countNoun(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func bytesText(n int64) string { return fmt.Sprintf("%d bytes", n) }
