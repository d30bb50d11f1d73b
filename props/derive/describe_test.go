package derive

import (
	"testing"

	"offlink/props"
)

func TestDescribe(t *testing.T) {
	for _, test := range []struct {
		set, name string
		value     props.Value
		want      string
	}{
		{props.SetDeviceRequirements, "aspects", props.Uint32s(5, 6), "[5 6]"},
		{props.SetDeviceRequirements, "aspects", props.Bytes(nil), "[]"},
		{props.SetDeviceRequirements, "reqd_work_group_size_uint64_t", props.Uint64s(64), "[64]"},
		{props.SetDeviceRequirements, "joint_matrix", props.String("matrix_type::fp16"), `"matrix_type::fp16"`},
		{props.SetKernelParamOpt, "k", props.Bits([]byte{0b101}, 3), "3 parameters, removed [0 2]"},
		{props.SetDeviceGlobals, "id", props.Bytes([]byte{4, 0, 0, 0, 1, 0xcc, 0xcc, 0xcc}), "4 bytes, of the image (device_image_scope)"},
		{props.SetDeviceGlobals, "id", props.Bytes([]byte{4}), "04"},
		{props.SetSpecConstants, "c", props.Uint32s(0, 0, 4, 0xFFFFFFFF, 4, 4), "id 0 at 0, 4 bytes; padding at 4, 4 bytes"},
		{props.SetSpecConstants, "c", props.Uint32s(0, 0), "0000000000000000"},
		{props.SetProgramMetadata, "k@reqd_work_group_size", props.Uint32s(2, 8), "[2 8]"},
		{props.SetProgramMetadata, "id@global_id_mapping", props.String("_Z1g"), `"_Z1g"`},
		{props.SetHostPipes, "p", props.Uint32s(12), "12 bytes"},
		{props.SetMiscProperties, "optLevel", props.Uint32(2), "2"},
		{props.SetSYCLBINGlobalMetadata, "state", props.Uint32(2), "executable"},
		{props.SetSYCLBINModuleMetadata, "type", props.Uint32(7), "7"},
		{props.SetOfflinkImage, "size", props.Uint64s(1 << 20), "1048576 bytes"},
		{props.SetOfflinkImage, "sha256", props.Bytes([]byte("abc")), "616263"},
		{props.SetKernelParamOpt, "k", props.Uint32(7), "7"},
		{"other", "text", props.String("text"), `"text"`},
		{"other", "bytes", props.Bytes([]byte{0, 255}), "00ff"},
	} {
		if got := Describe(test.set, test.name, test.value); got != test.want {
			t.Errorf("Describe(%q, %q, %x) = %s, want %s", test.set, test.name, test.value.Raw(), got, test.want)
		}
	}
}
