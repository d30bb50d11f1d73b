package main

import (
	"fmt"
	"os"
	"path/filepath"

	"offlink/cmd/internal/cli"
	"offlink/filemap"
	"offlink/wrapper"
	"offlink/wrapper/devimg"
)

// prepareImages changes the images as the options ask: notes, digest, compression.
// The caller calls release when it is done with their code.
func (o *options) prepareImages(images []*devimg.Image, s cli.Streams) (_ []*devimg.Image, release func(), err error) {
	release = func() {}
	// The order matters: notes are part of the code that the digest is of, and the digest is
	// of the code before compression, so that a reader can compare it with the file.
	if o.notes {
		images = o.addNotes(images, s)
	}
	if o.digest {
		if images, err = wrapper.Digest(images); err != nil {
			return nil, nil, err
		}
	}
	// Code of the host's own is called, not loaded: it cannot be compressed.
	if o.compress && !o.wrap.NativeCPU {
		var scratch *os.File
		if scratch, release, err = o.scratchFile(); err != nil {
			return nil, nil, err
		}
		if images, err = wrapper.Compress(images, o.level, scratch); err != nil {
			release()
			return nil, nil, err
		}
	}
	if o.verbose {
		for i, image := range images {
			fmt.Fprintf(s.Err, "%s: image %d: offload kind=%v, target=%s, format=%v, %d bytes\n",
				program, i, image.Kind, image.Target, image.Format, image.Code.Size())
		}
	}
	return images, release, nil
}

// addNotes adds the OpenMP notes where it can; the rest is wrapped as it is.
func (o *options) addNotes(images []*devimg.Image, s cli.Streams) []*devimg.Image {
	noted := make([]*devimg.Image, len(images))
	for i, image := range images {
		var err error
		if noted[i], err = wrapper.AddOpenMPNotes(image, "offlink", cli.Version()); err != nil {
			// clang-offload-wrapper's behaviour: only ELF images have a place for notes.
			fmt.Fprintf(s.Err, "%s: warning: image %d gets no OpenMP notes: %v\n", program, i, err)
		}
	}
	return noted
}

// scratchFile opens a nameless file in the folder of the output, where there must be room for
// something of its size anyway.
func (o *options) scratchFile() (f *os.File, release func(), err error) {
	f, err = filemap.CreateNameless(filepath.Dir(o.output), ".offload-wrap-*")
	if err != nil {
		return nil, nil, err
	}
	return f, func() {
		f.Close()
		os.Remove(f.Name()) // where an open file cannot be removed
	}, nil
}
