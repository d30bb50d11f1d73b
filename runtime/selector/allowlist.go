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

// allowsDevice tells whether the allow list has the device, or there is none.
func (f *Filter) allowsDevice(d Device) bool {
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
	for {
		holds, after, err := parseItem(rest)
		if err != nil {
			return err
		}
		current = append(current, holds)
		if after == "" {
			f.allow = append(f.allow, current)
			return nil
		}
		if after[0] == '|' {
			f.allow = append(f.allow, current)
			current = nil
		}
		rest = after[1:]
	}
}

// parseItem reads "key:value" up to a "," or "|", which it leaves.
func parseItem(text string) (condition, string, error) {
	key, rest, ok := strings.Cut(text, ":")
	key = strings.TrimSpace(key)
	if !ok {
		return nil, "", fmt.Errorf("%q has no \":\"; an item is KEY:VALUE", text)
	}
	if get := textConditions[key]; get != nil {
		return parsePattern(key, rest, get)
	}
	end := strings.IndexAny(rest, ",|")
	if end < 0 {
		end = len(rest)
	}
	holds, err := parseWord(key, strings.TrimSpace(rest[:end]))
	return holds, rest[end:], err
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

func parseWord(key, word string) (condition, error) {
	word = strings.ToLower(word)
	switch key {
	case "BackendName":
		return func(d Device) bool { return word == "*" || d.Backend == word }, oneOf("back end", word, backendNames)
	case "DeviceType":
		t, ok := filterTypes[word]
		if !ok {
			return nil, fmt.Errorf("%q is not a type of device; there are cpu, gpu, acc, host, *", word)
		}
		return func(d Device) bool {
			return (t == "*" || d.Type == t) && (word != "host" || d.Backend == "host")
		}, nil
	case "DeviceVendorId":
		id, err := strconv.ParseUint(word, 0, 32)
		if err != nil {
			return nil, errors.New("DeviceVendorId is a number such as 0x8086")
		}
		return func(d Device) bool { return d.VendorID == uint32(id) }, nil
	}
	return nil, fmt.Errorf("%q is not a key; there are BackendName, DeviceType, DeviceVendorId, DeviceName, DriverVersion, PlatformName, PlatformVersion", key)
}
