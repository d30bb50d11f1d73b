package devicecode

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"offlink/spirv"
)

// A module of a version that a device does not list is given an older one if it uses
// nothing of its own.
func TestVersions(t *testing.T) {
	code, err := os.ReadFile("../../../spirv/testdata/app.spv")
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(code[4:], uint32(spirv.Version1_3))
	newer := append([]byte(nil), code[:20]...)
	newer = binary.LittleEndian.AppendUint32(newer, 2<<16|uint32(spirv.OpCapability))
	newer = append(binary.LittleEndian.AppendUint32(newer, 61), code[20:]...) // GroupNonUniform
	for _, tt := range []struct {
		name     string
		code     []byte
		versions string
		want     spirv.Version
		fault    string
	}{
		{"none told", code, "", spirv.Version1_3, ""},
		{"its own", code, "SPIR-V_1.2 SPIR-V_1.3", spirv.Version1_3, ""},
		{"a newer one", code, "SPIR-V_1.6", spirv.Version1_3, ""},
		{"older ones", code, "SPIR-V_1.0 SPIR-V_1.2 SPIR-V_1.1", spirv.Version1_2, ""},
		{"no versions", code, "OTHER_1.0 SPIR-V_ SPIR-V_x.y SPIR-V_999.0", spirv.Version1_3, ""},
		{"an instruction of 1.3", newer, "SPIR-V_1.2", 0, "the module is SPIR-V 1.3; the device takes up to 1.2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := ParseModule(tt.code, Limits{Device: "d", ILVersions: strings.Fields(tt.versions)})
			switch {
			case tt.fault != "":
				if err == nil || err.Error() != tt.fault {
					t.Errorf("%v", err)
				}
			case err != nil:
				t.Error(err)
			case m.Version != tt.want || binary.LittleEndian.Uint32(m.Bytes()[4:]) != uint32(tt.want):
				t.Errorf("SPIR-V %v, want %v", m.Version, tt.want)
			}
		})
	}
}
