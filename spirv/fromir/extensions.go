package fromir

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnknownExtension is the error for a name that no extension has.
var ErrUnknownExtension = errors.New("unknown extension")

// AllowExtensions sets the allowed extensions as llvm-spirv's --spirv-ext has
// them: "+NAME" and "-NAME" with commas between; "+all" and "-all" are about
// those that are not named. The last word about an extension decides.
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
		case !knownExtensions[name]:
			return fmt.Errorf("%w %s", ErrUnknownExtension, name)
		default:
			o.Extensions[name] = on
		}
	}
	return nil
}
