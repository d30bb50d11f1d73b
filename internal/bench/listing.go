package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// packageLibrary is the largest library of a Python package that the test of
// the DPC++ runtimes downloads.
const packageLibrary = "build/dpctl/files/dpctl/tensor/_tensor_impl.cpython-311-x86_64-linux-gnu.so"

// printListing measures offload-wrap list beside reading the same file once:
// a library of 10,000 images, and a real one where it is there.
func printListing(dir string) error {
	fmt.Println("listing                      offload-wrap   dd     ratio  (at most)   peak MB")
	made, err := makeLibrary(dir, 10000)
	if err != nil {
		return err
	}
	if err := printList("library of 10000 images", made); err != nil {
		return err
	}
	if _, err := os.Stat(packageLibrary); err != nil {
		return nil
	}
	return printList("dpctl's, of 4642 images", packageLibrary)
}

func printList(what, library string) error {
	library, err := filepath.Abs(library)
	if err != nil {
		return err
	}
	ours, dd, err := alternateRuns(
		func() (cost, error) { return runOnce("", programPath("offload-wrap"), "list", library) },
		func() (cost, error) {
			return runOnce("", "dd", "if="+library, "of="+os.DevNull, "bs=1M", "status=none")
		},
		func() {})
	if err != nil {
		return err
	}
	fmt.Printf("%-26s %12.3f s %6.3f s %5.2f  (3.00)     %8s\n", what, ours.wall.Seconds(), dd.wall.Seconds(),
		ours.wall.Seconds()/dd.wall.Seconds(), formatMB(ours.peak))
	return nil
}

// makeLibrary links a library of images as real ones have them: 4 to 13 kB of
// code, a kernel, three sets.
func makeLibrary(dir string, count int) (string, error) {
	table := []string{"[Code|Properties|Symbols]"}
	for i := range count {
		kernel := fmt.Sprintf("_ZTSN5dpctl6tensor7kernels12SomeFunctor%dE", i)
		for name, text := range map[string]string{
			"spv": strings.Repeat(spirvMagic, 1000+i%2250),
			"prop": "[SYCL/device requirements]\naspects=2|gAAAAAAAAAgBAAAA\n" +
				"[SYCL/kernel param opt]\n" + kernel + "=2|DAAAAAAAAAQB\n[SYCL/misc properties]\noptLevel=1|2\n",
			"sym": kernel + "\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("l%d.%s", i, name)), []byte(text), 0o666); err != nil {
				return "", err
			}
		}
		table = append(table, fmt.Sprintf("l%d.spv|l%d.prop|l%d.sym", i, i, i))
	}
	if err := os.WriteFile(filepath.Join(dir, "library.table"), []byte(strings.Join(table, "\n")+"\n"), 0o666); err != nil {
		return "", err
	}
	if _, err := runOnce(dir, programPath("offload-wrap"), "-o", "library.o", "-kind=sycl", "-target=spir64", "-batch", "library.table"); err != nil {
		return "", err
	}
	_, err := runOnce(dir, "cc", "-shared", "-o", "library.so", "library.o")
	return filepath.Join(dir, "library.so"), err
}
