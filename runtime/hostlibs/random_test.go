package hostlibs

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	graphs    = flag.Int("graphs", 6, "random programs of TestLikeTheLoader")
	firstSeed = flag.Uint64("seed", 1, "seed of the first random program of TestLikeTheLoader")
)

// randomGraph is a program with libraries that need each other at random, in folders that
// RPATH, RUNPATH and LD_LIBRARY_PATH name or do not name. The constructor of each prints its
// path, as the program prints that it begins and which libraries it cannot open.
type randomGraph struct {
	*tree
	rng     *rand.Rand
	count   int      // of libraries
	folders []string // that hold them
	files   []string // of all libraries
	env     []string
	opened  []string // by the program itself, in order
	preload []string
}

const constructorSource = `#include <string.h>
#include <unistd.h>
__attribute__((constructor)) static void begin(void) { write(1, NAME "\n", strlen(NAME) + 1); }
`

const openingSource = constructorSource + `#include <dlfcn.h>
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (!dlopen(argv[i], RTLD_NOW)) { write(1, "! ", 2); write(1, argv[i], strlen(argv[i])); write(1, "\n", 1); }
}
`

func (g *randomGraph) chance(percent int) bool { return g.rng.IntN(100) < percent }

func (g *randomGraph) pick(list ...string) string { return list[g.rng.IntN(len(list))] }

func libraryName(i int) string { return fmt.Sprintf("liblib%d.so", i) }

// soname is that of library i; one in eight has none, one another name than its file.
func (g *randomGraph) soname(i int) string {
	switch i % 8 {
	case 3:
		return ""
	case 5:
		return fmt.Sprintf("libother%d.so", i)
	}
	return libraryName(i)
}

// stub is an empty library against which others are linked, so that libraries can need each
// other in a circle.
func (g *randomGraph) stub(i int) string {
	out := filepath.Join(g.dir, "stubs", libraryName(i))
	if _, err := os.Stat(out); err != nil {
		g.gcc(out, "", g.sharedFlags(i)...)
	}
	return out
}

func (g *randomGraph) sharedFlags(i int) []string {
	flags := []string{"-shared", "-fPIC", "-nostdlib"}
	if name := g.soname(i); name != "" {
		flags = append(flags, "-Wl,-soname,"+name)
	}
	return flags
}

// needs are flags that link with random libraries, and with a random search path. A library
// without a soname is needed by its path, as the linker does; -l:NAME gives the name alone.
func (g *randomGraph) needs(percent int) []string {
	flags := []string{"-Wl,--no-as-needed", "-L" + filepath.Join(g.dir, "stubs")}
	for _, i := range g.rng.Perm(g.count) {
		if !g.chance(percent) {
			continue
		}
		placed := filepath.Join(g.pick(g.folders...), libraryName(i))
		if g.soname(i) == "" && g.chance(50) && slices.Contains(g.files, placed) {
			flags = append(flags, placed) // needed by its path
		} else {
			flags = append(flags, "-l:"+filepath.Base(g.stub(i)))
		}
	}
	if g.chance(10) {
		flags = append(flags, "-Wl,-z,nodefaultlib")
	}
	switch list := g.searchPath(); {
	case list == "":
	case g.chance(50):
		flags = append(flags, "-Wl,-rpath,"+list, "-Wl,--disable-new-dtags")
	default:
		flags = append(flags, "-Wl,-rpath,"+list, "-Wl,--enable-new-dtags")
	}
	return flags
}

// searchPath is a list of some folders, "" in one of four.
func (g *randomGraph) searchPath() string {
	if g.chance(25) {
		return ""
	}
	var list []string
	for _, i := range g.rng.Perm(len(g.folders)) {
		folder := g.folders[i]
		switch g.rng.IntN(5) {
		case 0:
			continue
		case 4:
			folder = g.pick("", "$LIB", folder) // "" is the current folder
		case 1:
			folder = "$ORIGIN/../" + filepath.Base(folder)
		case 2:
			folder = "${ORIGIN}/" + filepath.Base(folder) // of the program
		}
		list = append(list, folder)
	}
	return strings.Join(list, ":")
}

// placeLibrary links library i in one or two folders, by a link of another folder at times.
func (g *randomGraph) placeLibrary(i int) {
	order := g.rng.Perm(len(g.folders))
	for _, f := range order[:1+g.rng.IntN(2)] {
		out := filepath.Join(g.folders[f], libraryName(i))
		if g.chance(4) { // the loader's search ends at a file that is not a library
			if err := os.WriteFile(out, []byte("INPUT(-lx)\n"), 0o666); err != nil {
				g.t.Fatal(err)
			}
			continue
		}
		flags := append(g.sharedFlags(i)[:2:2], g.sharedFlags(i)[3:]...)
		g.gcc(out, constructorSource, slices.Concat([]string{`-DNAME="` + out + `"`}, flags, g.needs(150/g.count))...)
		g.files = append(g.files, out)
		for _, name := range []string{g.soname(i), libraryName(i)} {
			if link := filepath.Join(g.folders[order[2]], name); name != "" && g.chance(25) {
				_ = os.Symlink(out, link)
			}
		}
		if name := g.soname(i); name != "" && name != libraryName(i) {
			_ = os.Symlink(libraryName(i), filepath.Join(g.folders[f], name))
		}
	}
}

func newRandomGraph(t *testing.T, seed uint64) *randomGraph {
	g := &randomGraph{tree: newTree(t), rng: rand.New(rand.NewPCG(seed, 0))}
	g.count = 2 + g.rng.IntN(6)
	for i := range 4 {
		g.folders = append(g.folders, filepath.Join(g.dir, fmt.Sprintf("d%d", i)))
		if err := os.MkdirAll(g.folders[i], 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for i := range g.count {
		g.placeLibrary(i)
	}
	for _, file := range g.files {
		if g.chance(15) {
			g.opened = append(g.opened, file)
		}
		if g.chance(5) {
			g.preload = append(g.preload, file)
		}
	}
	if g.chance(70) {
		var list []string
		for _, folder := range g.folders {
			if g.chance(50) {
				list = append(list, folder)
			}
		}
		g.env = append(g.env, "LD_LIBRARY_PATH="+strings.Join(list, ":"))
	}
	return g
}

// run is the output of the program, and whether it started.
func (g *randomGraph) run(program string) (lines []string, started bool) {
	c := exec.Command(program, g.opened...)
	c.Env = append(slices.Clone(g.env), "LD_PRELOAD="+strings.Join(g.preload, ":"))
	c.Dir = g.dir
	out, err := c.Output()
	return strings.Fields(strings.ReplaceAll(string(out), "! ", "!")), err == nil
}

// TestLikeTheLoader compares the libraries that random programs load, and the order of their
// constructors, with those that the machine's loader takes. go test -graphs 1000 -seed 2 tries more.
func TestLikeTheLoader(t *testing.T) {
	for seed := *firstSeed; seed < *firstSeed+uint64(*graphs); seed++ {
		g := newRandomGraph(t, seed)
		program := g.program("main", openingSource, append(g.needs(300/g.count), `-DNAME="main"`)...)
		want, started := g.run(program)
		t.Chdir(g.dir)
		got, complete := g.predict(program)
		if complete != started {
			t.Errorf("seed %d: all libraries are found: %v; the program starts: %v", seed, complete, started)
		} else if diff := cmp.Diff(want, got); started && diff != "" {
			t.Errorf("seed %d: -loader +closure\n%s", seed, diff)
		}
	}
}

func (g *randomGraph) predict(program string) (lines []string, complete bool) {
	l := Loader{Preload: strings.Join(g.preload, ":")}
	for _, v := range g.env {
		if value, ok := strings.CutPrefix(v, "LD_LIBRARY_PATH="); ok {
			l.LibraryPath = value
		}
	}
	m, err := l.Open(program)
	if err != nil {
		g.t.Fatal(err)
	}
	c := l.Closure(m)
	lines = g.lines(c.Constructors())
	for _, file := range g.opened {
		library, err := l.Open(file)
		if err != nil {
			g.t.Fatal(err)
		}
		if begun, missing := c.Open(library); len(missing) > 0 {
			lines = append(lines, "!"+file)
		} else {
			lines = append(lines, g.lines(begun)...)
		}
	}
	return lines, len(c.Missing) == 0
}

// lines are those that constructors print; those of the C library print nothing.
func (g *randomGraph) lines(modules []*Module) (list []string) {
	for _, m := range modules {
		real, _ := filepath.EvalSymlinks(m.Path)
		switch {
		case filepath.Base(m.Path) == "main":
			list = append(list, "main")
		case slices.Contains(g.files, real):
			list = append(list, real)
		}
	}
	return list
}
