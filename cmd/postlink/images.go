package main

import (
	"context"
	"errors"

	"offlink/cmd/internal/cli"
	"offlink/parallel"
	"offlink/split"
)

// image is one device image: what it is made of, and once it is made the
// cells of its row in the tables.
type image struct {
	number   int
	group    *split.Group
	defaults bool // the copy with default values of specialization constants

	code, symbols string
	properties    map[string]string // by target; a target that is missing cannot run the image
	undefined     []string          // functions that nobody gives
	missing       []split.MissingFunction
	unmodified    bool     // the code is the input itself
	mixed         bool     // there is ESIMD code and other code in it
	bfloat16      bool     // it imports from the bfloat16 device libraries
	libraryCalls  []string // functions of other device libraries
}

// makeImages writes the files of every image, several at a time, until ctx
// ends.
func makeImages(ctx context.Context, g *split.Graph, groups []split.Group, o *options, folder *libraryFolder, outputs *cli.Outputs, spirv *translator, s cli.Streams) ([]*image, error) {
	images := listImages(g, groups, o)
	if o.split.Single && len(images) > 1 {
		return nil, errors.New("error: some modules had to be split, '-ir-output-only' can't be used")
	}
	progress := cli.StartProgress(s.Err, "device images")
	defer progress.Stop()
	progress.SetTotal(len(images))
	err := parallel.ForEach(len(images), o.jobs, func() func(int) error {
		m := newMaker(g, o, outputs, spirv, s, len(images))
		m.folder = folder
		return func(i int) error {
			if ctx.Err() != nil {
				return errors.New("interrupted: nothing was written")
			}
			defer progress.Add(1)
			return m.make(images[i])
		}
	})
	return images, err
}

// listImages numbers the images. Behind an image with specialization
// constants comes its copy with their default values, where that is asked for.
func listImages(g *split.Graph, groups []split.Group, o *options) []*image {
	copied := make([]bool, len(groups))
	if o.defaultCopy {
		parallel.ForEach(len(groups), o.jobs, func() func(int) error {
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
