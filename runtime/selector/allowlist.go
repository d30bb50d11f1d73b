package selector

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// allowed is one alternative of SYCL_DEVICE_ALLOWLIST: all of its conditions
// hold.
type allowed []condition

type condition func(d Device) bool

// textConditions are the keys whose values are regular expressions.
var textConditions = map[string]func(d Device) string{
	"DeviceName":      func(d Device) string { return d.Name },
	"DriverVersion":   func(d Device) string { return d.DriverVersion },
	"PlatformName":    func(d Device) string { return d.Platform },
	"PlatformVersion": func(d Device) string { return d.PlatformVersion },
}

// AllowsDevice reports whether the allow list allows the device, or there is no list. The
// numbers of selectors count only the devices of a back end that it allows.
func (f *Filter) AllowsDevice(d Device) bool {
	for _, alternative := range f.allow {
		all := true
		for _, holds := range alternative {
			all = all && holds(d)
		}
		if all {
			return true
		}
	}
	return len(f.allow) == 0
}

// parseAllowList reads alternatives joined by "|", each of items joined by ",":
//
//	BackendName:opencl  DeviceType:gpu  DeviceVendorId:0x8086
//	DeviceName:{{regular expression}}   and DriverVersion, PlatformName, PlatformVersion
func (f *Filter) parseAllowList(value string) error {
	rest := value
	var current allowed
	keys := map[string]bool{}
	for {
		key, holds, after, err := f.parseItem(rest)
		if err == nil && keys[key] {
			err = fmt.Errorf("%s is there twice; alternatives are joined by \"|\"", key)
		}
		if err != nil {
			return err
		}
		keys[key], current = true, append(current, holds)
		if strings.TrimSpace(strings.TrimLeft(after, ",|")) == "" && len(after) <= 1 { // one may end the list
			f.allow = append(f.allow, current)
			return nil
		}
		if after[0] == '|' {
			f.allow = append(f.allow, current)
			current, keys = nil, map[string]bool{}
		}
		rest = after[1:]
	}
}

// parseItem reads "key:value" up to a "," or "|", which it leaves.
func (f *Filter) parseItem(text string) (key string, holds condition, after string, err error) {
	key, rest, ok := strings.Cut(text, ":")
	key = strings.TrimSpace(key)
	if !ok {
		return key, nil, "", fmt.Errorf("%q has no \":\"; an item is KEY:VALUE", text)
	}
	if get := textConditions[key]; get != nil {
		holds, after, err = parsePattern(key, rest, get)
		return key, holds, after, err
	}
	end := strings.IndexAny(rest, ",|")
	if end < 0 {
		end = len(rest)
	}
	holds, err = f.parseWord(key, strings.TrimSpace(rest[:end]))
	return key, holds, rest[end:], err
}

func parsePattern(key, text string, get func(Device) string) (condition, string, error) {
	text = strings.TrimLeft(text, " ")
	inner, ok := strings.CutPrefix(text, "{{")
	end := strings.Index(inner, "}}")
	if !ok || end < 0 {
		return nil, "", fmt.Errorf("the value of %s is not {{REGULAR EXPRESSION}}", key)
	}
	pattern, err := regexp.Compile("^(?:" + inner[:end] + ")$")
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", key, err)
	}
	rest := strings.TrimLeft(inner[end+2:], " ")
	if rest != "" && rest[0] != ',' && rest[0] != '|' {
		return nil, "", fmt.Errorf("%q follows the value of %s; \",\" or \"|\" was expected", rest, key)
	}
	return func(d Device) bool { return pattern.MatchString(get(d)) }, rest, nil
}

func (f *Filter) parseWord(key, word string) (condition, error) {
	word = strings.ToLower(word)
	switch key {
	case "BackendName":
		return func(d Device) bool { return word == "*" || d.Backend == word }, oneOf("back end", word, f.backendNames())
	case "DeviceType":
		t, ok := filterTypes[word]
		if !ok {
			return nil, fmt.Errorf("%q is not a type of device; there are cpu, gpu, acc, host, *", word)
		}
		return func(d Device) bool {
			return (t == "*" || d.Type == t) && (word != "host" || d.Backend == "host")
		}, nil
	case "DeviceVendorId":
		digits, hex := strings.CutPrefix(word, "0x")
		id, err := strconv.ParseUint(digits, 16, 32)
		if err != nil || !hex {
			return nil, errors.New("DeviceVendorId is a hexadecimal number such as 0x8086")
		}
		return func(d Device) bool { return d.VendorID == uint32(id) }, nil
	}
	return nil, fmt.Errorf("%q is not a key; there are BackendName, DeviceType, DeviceVendorId, DeviceName, DriverVersion, PlatformName, PlatformVersion", key)
}
