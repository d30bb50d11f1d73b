package main

import (
	"encoding/hex"
	"fmt"
	"io"

	"offlink/props"
	"offlink/props/derive"
	"offlink/wrapper"
	"offlink/wrapper/container"
)

// record is an image in the listing.
type record struct {
	// docs/json.md describes the fields.
	File           string        `json:"file"`
	Image          int           `json:"image"`
	Kind           string        `json:"kind"`
	Target         string        `json:"target"`
	Arch           string        `json:"arch,omitempty"`
	Format         string        `json:"format"`
	Inside         string        `json:"inside,omitempty"`
	Size           int64         `json:"size"`
	Version        uint16        `json:"version,omitempty"`
	Record         string        `json:"record,omitempty"`
	Entries        []string      `json:"entries"`
	HasEntries     bool          `json:"hasEntries"`
	Kernels        []string      `json:"kernels"`
	Exports        []string      `json:"exports"`
	Imports        []string      `json:"imports"`
	CompileOptions string        `json:"compileOptions,omitempty"`
	LinkOptions    string        `json:"linkOptions,omitempty"`
	Manifest       *int          `json:"manifest,omitempty"`
	Digest         string        `json:"digest,omitempty"`
	Where          where         `json:"where"`
	Strings        []keyValue    `json:"strings,omitempty"`
	PropertySets   []propertySet `json:"propertySets"`

	place      wrapper.Location
	properties *props.Sets
}

// keyValue is a string of an envelope that no field of an image has.
type keyValue struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// where is a place in JSON.
type where struct {
	Path       []string `json:"path,omitempty"`
	Envelope   string   `json:"envelope"`
	Name       string   `json:"name,omitempty"`
	Section    string   `json:"section,omitempty"`
	Offset     *int64   `json:"offset,omitempty"`
	Descriptor string   `json:"descriptor,omitempty"`
}

// propertySet is a property set in JSON, in the order in which the image has it.
type propertySet struct {
	Name       string     `json:"name"`
	Properties []property `json:"properties"`
}

// property is a property in JSON: a number, or bytes in hexadecimal as they
// are stored, with their length in bits in front.
type property struct {
	Name    string  `json:"name"`
	Type    string  `json:"type"`
	Number  *uint32 `json:"number,omitempty"`
	Bytes   string  `json:"bytes,omitempty"`
	Decoded string  `json:"decoded"`
}

// newRecord describes an image for the listings.
func newRecord(f *wrapper.File, i int, found finding) *record {
	img := &f.Images()[i]
	// Only images of descriptor tables have a record; its version says which runtime reads it.
	form := ""
	if img.ImageRecord() != 0 {
		form = img.ImageRecord().String()
	}
	return &record{
		Arch: img.Arch, Record: form, Kernels: found.kernels,
		File: f.Name(), Image: i, Kind: img.Kind.String(), Target: img.Target, Format: img.Format.String(), Inside: found.inside,
		Size: img.Code.Size(), Version: img.Version, Entries: img.Entries, HasEntries: img.HasEntries,
		Exports:        img.Properties.Get(props.SetExportedSymbols).Names(),
		Imports:        img.Properties.Get(props.SetImportedSymbols).Names(),
		CompileOptions: img.CompileOptions, LinkOptions: img.LinkOptions, Digest: found.digest,
		Strings: keyValues(img.Strings), place: img.Location, properties: img.Properties,
	}
}

// keyValues copies the strings of an OffloadBinary's entry.
func keyValues(strings []container.String) []keyValue {
	var pairs []keyValue
	for _, s := range strings {
		pairs = append(pairs, keyValue(s))
	}
	return pairs
}

// fillJSON adds the parts that only JSON shows: properties, the manifest's size, places.
func (r *record) fillJSON(img *wrapper.Located) {
	for _, list := range []*[]string{&r.Entries, &r.Kernels, &r.Exports, &r.Imports} {
		if *list == nil { // [], not null
			*list = []string{}
		}
	}
	if img.Manifest != nil {
		// The size alone: a manifest is text of any length.
		n := len(img.Manifest)
		r.Manifest = &n
	}
	r.Where = where{Path: img.Path, Envelope: string(img.Envelope), Name: img.Name, Section: img.Section}
	// An image in a compressed section or an archive has no offset in the file.
	if img.Offset >= 0 {
		r.Where.Offset = &img.Location.Offset
	}
	if img.Descriptor != 0 {
		r.Where.Descriptor = fmt.Sprintf("%#x", img.Descriptor)
	}
	r.PropertySets = []propertySet{}
	if img.Properties == nil {
		return
	}
	for _, set := range img.Properties.All {
		s := propertySet{set.Name, []property{}}
		for _, p := range set.Properties {
			s.Properties = append(s.Properties, newProperty(set.Name, p))
		}
		r.PropertySets = append(r.PropertySets, s)
	}
}

// newProperty describes a property by its row of the catalogue.
func newProperty(set string, p props.Property) property {
	j := property{Name: p.Name, Type: p.Value.Type().String(), Decoded: derive.Describe(set, p.Name, p.Value)}
	if p.Value.Type() == props.TypeUint32 {
		n := p.Value.Uint32()
		j.Number = &n
	} else {
		// The stored form, with the length in front, so that a script can compare it with .prop.
		j.Bytes = hex.EncodeToString(p.Value.Raw())
	}
	return j
}

// printAll prints an image with all its properties. Names come from the file, so that
// control characters in them are quoted: a terminal would obey them.
func (r *record) printAll(w io.Writer) {
	fmt.Fprintf(w, "image %d: %s %s %s %d bytes\n  where: %s\n", r.Image, r.Kind, quoteOdd(r.Target), formatCell(r.Format, r.Inside), r.Size, r.File+": "+r.place.String())
	for _, field := range []struct{ name, value string }{
		{"architecture", r.Arch}, {"record", r.Record}, {"compile options", r.CompileOptions}, {"link options", r.LinkOptions}, {"digest", r.Digest},
	} {
		if field.value != "" {
			fmt.Fprintf(w, "  %s: %s\n", field.name, quoteControls(field.value))
		}
	}
	for _, s := range r.Strings {
		fmt.Fprintf(w, "  %s: %s\n", quoteOdd(s.Key), quoteOdd(s.Value))
	}
	for _, e := range r.Entries {
		fmt.Fprintf(w, "  entry %s\n", quoteOdd(e))
	}
	if !r.HasEntries {
		for _, k := range r.Kernels {
			fmt.Fprintf(w, "  kernel %s\n", quoteOdd(k))
		}
	}
	if r.properties == nil {
		return
	}
	for _, set := range r.properties.All {
		fmt.Fprintf(w, "  [%s]\n", quoteControls(set.Name))
		for _, p := range set.Properties {
			fmt.Fprintf(w, "    %s = %s\n", quoteOdd(p.Name), derive.Describe(set.Name, p.Name, p.Value))
		}
	}
}
