package fromir

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnknownExtension is the error for a name that no extension has.
var ErrUnknownExtension = errors.New("unknown extension")

// AllowExtensions sets the allowed extensions from a list in the form of llvm-spirv's
// --spirv-ext: "+NAME" and "-NAME", separated by commas. "+all" and "-all" set all
// extensions. Of several words about an extension the last one counts.
func (o *Options) AllowExtensions(list string) error {
	if o.Extensions == nil {
		o.Extensions = make(map[string]bool)
	}
	for word := range strings.SplitSeq(list, ",") {
		if word == "" {
			continue
		}
		on := word[0] == '+'
		if !on && word[0] != '-' || len(word) == 1 {
			return fmt.Errorf("%q: want +NAME or -NAME", word)
		}
		switch name := word[1:]; {
		case name == "all":
			o.AllExtensions = on
			clear(o.Extensions)
			clear(o.declaredNames)
		case earlierNames.Get()[name] != "":
			o.allowEarlier(name, on)
		case !knownExtensions.Get()[name]:
			return fmt.Errorf("%w %s", ErrUnknownExtension, name)
		default:
			o.Extensions[name] = on
			delete(o.declaredNames, name)
		}
	}
	return nil
}

// allowEarlier allows an extension by its earlier name, or forbids it. Modules then declare
// that name, since a consumer of the same age may know only that one.
func (o *Options) allowEarlier(earlier string, on bool) {
	name := earlierNames.Get()[earlier]
	if on && !o.Extensions[name] {
		if o.declaredNames == nil {
			o.declaredNames = make(map[string]string)
		}
		o.declaredNames[name] = earlier
	}
	o.Extensions[name] = on
}

// declaredName is the name by which modules declare an extension.
func (o *Options) declaredName(extension string) string {
	if earlier := o.declaredNames[extension]; earlier != "" {
		return earlier
	}
	return extension
}
