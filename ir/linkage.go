package ir

// Linkage is the linkage of a global value.
type Linkage uint8

// The linkages. External is the one that text does not print.
const (
	External Linkage = iota
	AvailableExternally
	LinkOnceAny
	LinkOnceODR
	WeakAny
	WeakODR
	Appending
	Internal
	Private
	ExternWeak
	Common
)

var linkageNames = [...]string{
	External:            "external",
	AvailableExternally: "available_externally",
	LinkOnceAny:         "linkonce",
	LinkOnceODR:         "linkonce_odr",
	WeakAny:             "weak",
	WeakODR:             "weak_odr",
	Appending:           "appending",
	Internal:            "internal",
	Private:             "private",
	ExternWeak:          "extern_weak",
	Common:              "common",
}

// String returns the keyword of textual IR.
func (l Linkage) String() string {
	if int(l) < len(linkageNames) {
		return linkageNames[l]
	}
	return "unknown linkage"
}

// ParseLinkage returns the linkage of that keyword.
func ParseLinkage(word string) (Linkage, bool) {
	for l, name := range linkageNames {
		if name == word {
			return Linkage(l), true
		}
	}
	return 0, false
}

// Discardable reports whether an unused definition may be dropped.
func (l Linkage) Discardable() bool {
	switch l {
	case LinkOnceAny, LinkOnceODR, Internal, Private, AvailableExternally:
		return true
	}
	return false
}
