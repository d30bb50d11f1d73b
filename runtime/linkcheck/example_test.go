package linkcheck_test

import (
	"fmt"
	"log"
	"os"

	"offlink/props"
	"offlink/runtime/linkcheck"
	"offlink/runtime/registry"
	"offlink/wrapper/devimg"
)

// An import that no loaded image provides is found without a device.
func ExampleCheck() {
	code, err := os.ReadFile("../../spirv/testdata/app.spv")
	if err != nil {
		log.Fatal(err)
	}
	imports := new(props.Sets)
	imports.Put(props.SetImportedSymbols, "LibDeviceFunc", props.Uint32(1))
	var images registry.Registry
	images.Add(registry.Owner{Name: "app"}, []*devimg.Image{{
		Kind: devimg.KindSYCL, Format: devimg.FormatSPIRV, Target: "spir64",
		Code: devimg.Bytes(code), Entries: []string{"app"}, HasEntries: true, Properties: imports,
	}})
	report := linkcheck.Check(linkcheck.Program{Loaded: images.Snapshot()}, nil)
	for _, p := range report.Problems {
		fmt.Println(p.Severity, p.Kind, p.Symbol)
	}
	// Output: error unresolved LibDeviceFunc
}
