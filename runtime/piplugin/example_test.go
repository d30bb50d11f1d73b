package piplugin_test

import (
	"fmt"
	"log"

	"offlink/runtime/piplugin"
)

// The devices of a plugin of DPC++, which the system's loader finds by its name.
func Example() {
	d, err := piplugin.Open(piplugin.Options{Libraries: []string{"libpi_level_zero.so"}})
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	devices, err := d.Devices()
	if err != nil {
		log.Fatal(err)
	}
	for _, device := range devices {
		fmt.Println(d.Name(), device.Info().Name)
	}
}

// Selectors choose the devices of a plugin by this name.
func ExampleBackendName() {
	fmt.Println(piplugin.BackendName("/opt/dpcpp/lib/libpi_level_zero.so"))
	fmt.Println(piplugin.BackendName("libpi_esimd_emulator.so"))
	// Output:
	// level_zero
	// esimd_emulator
}
