package props

import "testing"

func TestDescribe(t *testing.T) {
	for _, test := range []struct {
		set, name string
		value     Value
		want      string
	}{
		{SetDeviceRequirements, "aspects", Uint32s(5, 6), "[5 6]"},
		{SetDeviceRequirements, "aspects", Bytes(nil), "[]"},
		{SetDeviceRequirements, "reqd_work_group_size_uint64_t", Uint64s(64), "[64]"},
		{SetDeviceRequirements, "joint_matrix", String("matrix_type::fp16"), `"matrix_type::fp16"`},
		{SetKernelParamOpt, "k", Bits([]byte{0b101}, 3), "3 parameters, removed [0 2]"},
		{SetDeviceGlobals, "id", Bytes([]byte{4, 0, 0, 0, 1, 0xcc, 0xcc, 0xcc}), "4 bytes, of the image (device_image_scope)"},
		{SetDeviceGlobals, "id", Bytes([]byte{4}), "04"},
		{SetSpecConstants, "c", Uint32s(0, 0, 4, 0xFFFFFFFF, 4, 4), "id 0 at 0, 4 bytes; padding at 4, 4 bytes"},
		{SetSpecConstants, "c", Uint32s(0, 0), "0000000000000000"},
		{SetProgramMetadata, "k@reqd_work_group_size", Uint32s(2, 8), "[2 8]"},
		{SetProgramMetadata, "id@global_id_mapping", String("_Z1g"), `"_Z1g"`},
		{SetHostPipes, "p", Uint32s(12), "12 bytes"},
		{SetMiscProperties, "optLevel", Uint32(2), "2"},
		{SetSYCLBINGlobalMetadata, "state", Uint32(2), "executable"},
		{SetSYCLBINModuleMetadata, "type", Uint32(7), "7"},
		{SetOfflinkImage, "size", Uint64s(1 << 20), "1048576 bytes"},
		{SetOfflinkImage, "sha256", Bytes([]byte("abc")), "616263"},
		{"other", "text", String("text"), `"text"`},
		{"other", "bytes", Bytes([]byte{0, 255}), "00ff"},
	} {
		if got := Describe(test.set, test.name, test.value); got != test.want {
			t.Errorf("Describe(%q, %q, %x) = %s, want %s", test.set, test.name, test.value.Raw(), got, test.want)
		}
	}
}
