package runtime

import (
	"runtime/debug"
	"testing"
)

// TestBuildDigest: the commands and the library of one build share stored programs.
func TestBuildDigest(t *testing.T) {
	build := func(path, mode, goVersion, module string, more ...*debug.Module) *debug.BuildInfo {
		return &debug.BuildInfo{
			GoVersion: goVersion, Path: path, Deps: append([]*debug.Module{{Path: "example.org/engine", Version: module}}, more...),
			Settings: []debug.BuildSetting{{Key: "-buildmode", Value: mode}, {Key: "CGO_ENABLED", Value: mode}, {Key: "GOARCH", Value: "amd64"}},
		}
	}
	library := buildDigest(build("offlink/runtime/libofflink-core", "c-shared", "go1.26.8", "v1"), "0.1.0")
	command := build("offlink/cmd/devrun", "exe", "go1.26.8", "v1", &debug.Module{Path: "github.com/spf13/cobra", Version: "v1.10.2"})
	if got := buildDigest(command, "0.1.0"); got != library {
		t.Errorf("the command and the library of a build: %s and %s", got, library)
	}
	for name, other := range map[string]string{
		"version": buildDigest(command, "0.2.0"),
		"Go":      buildDigest(build("offlink/cmd/devrun", "exe", "go1.27", "v1"), "0.1.0"),
		"module":  buildDigest(build("offlink/cmd/devrun", "exe", "go1.26.8", "v2"), "0.1.0"),
	} {
		if other == library {
			t.Errorf("another %s is the same build", name)
		}
	}
}
