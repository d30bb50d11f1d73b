package main

import (
	"errors"

	"offlink/cmd/internal/cli"
	"offlink/parallel"
	"offlink/split"
)

// image is one device image: the group that it is made of and, once it is
// made, the cells of its row in the tables.
type image struct {
	number   int
	group    *split.Group
	defaults bool // the copy with default values of specialization constants

	code, symbols string
	properties    map[string]string // by target; a target that is missing cannot run the image
	undefined     []string          // functions that no image and no library defines
	missing       []split.MissingFunction
	native        []*nativeImage
	notNative     []string // kernels without native code, each with the reason
	unmodified    bool     // the code is the input itself
	mixed         bool     // there is ESIMD code and other code in it
	bfloat16      bool     // it imports from the bfloat16 device libraries
	libraryCalls  []string // functions of other device libraries
}

// makeImages writes the files of every image, several at a time, until the
// run's context ends.
func (b *build) makeImages(g *split.Graph, groups []split.Group, spirv *translator) ([]*image, error) {
	images := listImages(g, groups, b.options.jobs)
	if b.options.split.Single && len(images) > 1 {
		return nil, errors.New("error: some modules had to be split, '-ir-output-only' can't be used")
	}
	progress := cli.StartProgress(b.streams.Err, "device images")
	defer progress.Stop()
	progress.SetTotal(len(images))
	// The input itself can then be the image, without being read a second time.
	alone := len(images) == 1 && !g.Modified()
	err := parallel.ForEach(len(images), spirv.limitJobs(b.options.jobs), func() func(int) error {
		w := newImageWriter(b, g.Module, spirv, alone)
		x := g.NewExtractor()
		return func(i int) error {
			// A signal ends the context; the files that were written are removed by the outputs.
			if b.ctx.Err() != nil {
				return errors.New("interrupted: nothing was written")
			}
			defer progress.Add(1)
			return w.writeImage(images[i], x)
		}
	})
	return images, err
}

// listImages numbers the images. Where copies with the default values of
// specialization constants are asked for, the copy of an image follows it.
func listImages(g *split.Graph, groups []split.Group, jobs int) []*image {
	copied := make([]bool, len(groups))
	// Only images that have specialization constants have a copy, which the extractor finds
	// by looking at their calls.
	if g.Options().DefaultImages {
		parallel.ForEach(len(groups), jobs, func() func(int) error {
			x := g.NewExtractor()
			return func(i int) error {
				copied[i] = x.HasSpecConstants(&groups[i])
				return nil
			}
		})
	}
	var images []*image
	for i := range groups {
		images = append(images, &image{number: len(images), group: &groups[i]})
		if copied[i] {
			images = append(images, &image{number: len(images), group: &groups[i], defaults: true})
		}
	}
	return images
}
