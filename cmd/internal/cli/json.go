package cli

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"
)

// WriteJSON prints v indented, with a line end, as every -json listing does. HTML characters
// are not escaped. A byte of a string that is not part of UTF-8 becomes U+FFFD and two
// hexadecimal digits: names in binaries may be any bytes, and two that differ must not look
// the same. For the same reason the bytes of U+FFFD itself are written in that form too.
func WriteJSON(w io.Writer, v any) error {
	text, err := encodeJSON(v)
	if err != nil {
		return err
	}
	// The encoder writes \ufffd for a byte outside UTF-8.
	if bytes.Contains(text, []byte(`\ufffd`)) || bytes.Contains(text, []byte(replacement)) {
		if text, err = encodeJSON(spellInvalid(reflect.ValueOf(v)).Interface()); err != nil {
			return err
		}
	}
	_, err = w.Write(text)
	return err
}

func encodeJSON(v any) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return text.Bytes(), err
}

const replacement = string(utf8.RuneError)

// spellInvalid returns a copy of a value in which strings are spelled as WriteJSON
// says. Fields that JSON does not have are as they were.
func spellInvalid(v reflect.Value) reflect.Value {
	if !v.IsValid() {
		return v
	}
	made := reflect.New(v.Type()).Elem()
	made.Set(v)
	switch v.Kind() {
	case reflect.String:
		made.SetString(spellString(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			made.Set(reflect.New(v.Type().Elem()))
			made.Elem().Set(spellInvalid(v.Elem()))
		}
	case reflect.Interface:
		if !v.IsNil() {
			made.Set(spellInvalid(v.Elem()))
		}
	case reflect.Slice:
		if !v.IsNil() {
			made.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		}
		spellElements(made, v)
	case reflect.Array:
		spellElements(made, v)
	case reflect.Map:
		spellMap(made, v)
	case reflect.Struct:
		spellFields(made)
	}
	return made
}

// spellFields spells the fields of a copied struct, those of embedded ones too.
func spellFields(made reflect.Value) {
	for i := range made.NumField() {
		switch f := made.Type().Field(i); {
		case f.IsExported():
			made.Field(i).Set(spellInvalid(made.Field(i)))
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			spellFields(made.Field(i))
		}
	}
}

func spellElements(made, v reflect.Value) {
	for i := range v.Len() {
		made.Index(i).Set(spellInvalid(v.Index(i)))
	}
}

func spellMap(made, v reflect.Value) {
	if v.IsNil() {
		return
	}
	made.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
	for each := v.MapRange(); each.Next(); {
		made.SetMapIndex(spellInvalid(each.Key()), spellInvalid(each.Value()))
	}
}

// spellString spells the bytes outside UTF-8.
func spellString(s string) string {
	if utf8.ValidString(s) && !strings.Contains(s, replacement) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r != utf8.RuneError {
			b.WriteString(s[:size])
		} else {
			for _, c := range []byte(s[:size]) {
				b.WriteString(replacement + hex.EncodeToString([]byte{c}))
			}
		}
		s = s[size:]
	}
	return b.String()
}
