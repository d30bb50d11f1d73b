package wrapper_test

import (
	"strings"
	"testing"

	"offlink/ir/irfile"
	"offlink/wrapper"
)

// Modules whose records lead elsewhere are errors, and records that share arrays are counted.
func TestDescribedImagesErrors(t *testing.T) {
	const images = "@.sycl_offloading.device_images = internal constant [1 x [12 x ptr]] [[12 x ptr] [ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr E, ptr null, ptr P, ptr null]]\n"
	for _, x := range []struct{ name, entries, sets, text, want string }{
		{"declared", "@x", "null", "@x = external global [1 x i8]", "@x is not a variable with a value"},
		{"function", "@x", "null", "define void @x() { ret void }", "@x is not a variable with a value"},
		{"entry", "@x", "null", "@x = global [1 x i8] c\"a\"", ""},
		{"fields of an entry", "@x", "null", "@x = global [1 x { i8 }] [{ i8 } { i8 1 }]", "an entry has 1 fields"},
		{"name", "@x", "null", "@x = global [1 x { ptr, ptr, i64, i32, i32 }] [{ ptr, ptr, i64, i32, i32 } { ptr null, ptr null, i64 0, i32 0, i32 0 }]", "a pointer does not lead to a variable"},
		{"number", "@x", "null", "@x = global [1 x { ptr, ptr, i64, i32, i32 }] [{ ptr, ptr, i64, i32, i32 } { ptr null, ptr @y, i64 0, i32 0, i32 0 }]\n@y = global i32 1", "@y does not hold bytes"},
		{"set", "null", "@s", "@s = global [1 x { ptr }] [{ ptr } { ptr null }]", "a property set has 1 fields"},
		{"type", "null", "@s", properties("i32 9, i64 0"), "n: type 9 is not known"},
		{"no length", "null", "@s", properties("i32 2, i64 0"), "n: a byte array of 2 bytes has no room for its length"},
	} {
		t.Run(x.name, func(t *testing.T) {
			text := strings.NewReplacer("ptr E", "ptr "+x.entries, "ptr P", "ptr "+x.sets).Replace(images) + x.text + "\n"
			m, err := irfile.Parse("in.ll", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			_, err = wrapper.DescribedImages(m)
			if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
				t.Errorf("DescribedImages() = %v, want %q", err, x.want)
			}
		})
	}
}

// properties returns a set with one property, whose value has two bytes.
func properties(fields string) string {
	return "@n = global [2 x i8] c\"n\\00\"\n" +
		"@s = global [1 x { ptr, ptr, ptr }] [{ ptr, ptr, ptr } { ptr @n, ptr @p, ptr null }]\n" +
		"@p = global [1 x { ptr, ptr, i32, i64 }] [{ ptr, ptr, i32, i64 } { ptr @n, ptr @n, " + fields + " }]"
}

// Many properties that share one large value of zeros end with an error, too.
func TestDescribedImagesShareValues(t *testing.T) {
	const n = 200
	property := "{ ptr, ptr, i32, i64 } { ptr @z, ptr @n, i32 1, i64 0 }"
	text := "@n = global [2 x i8] c\"n\\00\"\n@z = global [1000000 x i8] zeroinitializer\n" +
		"@p = global [200 x { ptr, ptr, i32, i64 }] [" + strings.TrimSuffix(strings.Repeat(property+", ", n), ", ") + "]\n" +
		"@s = global [1 x { ptr, ptr, ptr }] [{ ptr, ptr, ptr } { ptr @n, ptr @p, ptr null }]\n" +
		"@.sycl_offloading.device_images = global [1 x [12 x ptr]] [[12 x ptr] [ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr @s, ptr null]]\n"
	m, err := irfile.Parse("in.ll", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := wrapper.DescribedImages(m); err == nil || !strings.Contains(err.Error(), "67108864 bytes") {
		t.Errorf("DescribedImages() = %v, want the limit", err)
	}
}

// FuzzDescribedImages reads modules whose records are damaged.
func FuzzDescribedImages(f *testing.F) {
	f.Add([]byte("@.sycl_offloading.device_images = global [1 x [12 x ptr]] [[12 x ptr] [ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr @e, ptr null, ptr @s, ptr null]]\n" +
		"@e = global [1 x { ptr, ptr, i64, i32, i32 }] [{ ptr, ptr, i64, i32, i32 } { ptr null, ptr @n, i64 0, i32 0, i32 0 }]\n" + properties("i32 1, i64 7") + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := irfile.Parse("in.ll", text)
		if err != nil {
			return
		}
		images, err := wrapper.DescribedImages(m)
		if err != nil && images != nil {
			t.Errorf("%d images with the error %v", len(images), err)
		}
	})
}

// A module in which many records share one long array ends with an error, not with the memory.
func TestDescribedImagesLimit(t *testing.T) {
	const n = 1500
	list := func(element string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(element+", ", n), ", ") + "]"
	}
	record := "[12 x ptr] [ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr @e, ptr null, ptr null, ptr null]"
	text := "@n = global [2 x i8] c\"n\\00\"\n" +
		"@e = global [1500 x { ptr, ptr, i64, i32, i32 }] " + list("{ ptr, ptr, i64, i32, i32 } { ptr null, ptr @n, i64 0, i32 0, i32 0 }") + "\n" +
		"@.sycl_offloading.device_images = global [1500 x [12 x ptr]] " + list(record) + "\n"
	m, err := irfile.Parse("in.ll", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := wrapper.DescribedImages(m); err == nil || !strings.Contains(err.Error(), "more than 1048576 records") {
		t.Errorf("DescribedImages() = %v, want the limit", err)
	}
}
