package irtext_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"offlink/internal/irgen"
	"offlink/ir/irtext"
)

var token = regexp.MustCompile(`"[^"\n]*"|[-\w$.]+|\s+|.`)

// mutate changes a few tokens of a module: drops, doubles, swaps or replaces
// them by others of the module. It gets further than changing bytes.
func mutate(tokens [][]byte, r *rand.Rand) (out []byte) {
	tokens = append([][]byte(nil), tokens...)
	for range 1 + r.IntN(3) {
		at, other := r.IntN(len(tokens)), r.IntN(len(tokens))
		switch r.IntN(4) {
		case 0:
			tokens[at] = nil
		case 1:
			tokens[at] = append(append([]byte{}, tokens[at]...), tokens[at]...)
		case 2:
			tokens[at], tokens[other] = tokens[other], tokens[at]
		case 3:
			tokens[at] = tokens[other]
		}
	}
	for _, t := range tokens {
		out = append(out, t...)
	}
	return out
}

// checkMutated holds the reader and writer to the property of FuzzParse.
func checkMutated(t *testing.T, data []byte, seed uint64) {
	m, err := irtext.Parse("in.ll", data)
	if err != nil {
		return
	}
	decodeAll(m)
	checkAgain(t, whole(m))
	checkAgain(t, randomPartition(m, seed))
}

func smallInputs(t testing.TB) (inputs [][]byte) {
	paths, _ := filepath.Glob("testdata/whole/*.ll")
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, data)
	}
	for _, in := range goldenInputs(t) {
		if len(in.data) < 6000 {
			inputs = append(inputs, in.data)
		}
	}
	return append(inputs, []byte(specModule), generated(t, irgen.Config{Kernels: 2, Debug: true}))
}

func TestMutated(t *testing.T) {
	for i, input := range smallInputs(t) {
		tokens := token.FindAll(input, -1)
		if len(tokens) == 0 {
			continue
		}
		for seed := range uint64(60) {
			checkMutated(t, mutate(tokens, rand.New(rand.NewPCG(uint64(i), seed))), seed)
		}
	}
}

func FuzzMutated(f *testing.F) {
	inputs := smallInputs(f)
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 2))
		if tokens := token.FindAll(inputs[r.IntN(len(inputs))], -1); len(tokens) > 0 {
			checkMutated(t, mutate(tokens, r), seed)
		}
	})
}
