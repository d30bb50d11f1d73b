package container

import (
	"errors"
	"fmt"

	"offlink/wrapper/devimg"
)

// Replace returns the bytes of the envelopes in data with other code of entry
// n, counted as Read counts them, or without that entry where code is nil.
// The bytes are a list of pieces, most of them shared with data.
func Replace(data []byte, n int, code devimg.Code) ([]devimg.Code, error) {
	for at := 0; at < len(data); {
		form := Sniff(data[at:])
		if form == None {
			break
		}
		size, entries, err := readOne(form, data[at:], NewBudget(0))
		if err != nil {
			return nil, err
		}
		if n < len(entries) {
			return splice(data, at, size, form, n, code)
		}
		n -= len(entries)
		for at += size; at < len(data) && data[at] == 0; at++ {
		}
	}
	return nil, errors.New("there is no such entry")
}

// splice makes one envelope among others anew.
func splice(data []byte, at, size int, form Form, n int, code devimg.Code) ([]devimg.Code, error) {
	pieces, err := rebuild(form, data[at:at+size], n, code)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", form, err)
	}
	all := append([]devimg.Code{devimg.Bytes(data[:at])}, pieces...)
	return append(all, devimg.Bytes(data[at+size:])), nil
}

func rebuild(form Form, data []byte, n int, code devimg.Code) ([]devimg.Code, error) {
	return nil, errors.New("entries of this envelope cannot be changed")
}
