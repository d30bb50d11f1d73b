package main

import "offlink/wrapper"

// kernelsOf returns the names of an image's kernels: its entries, or the kernels
// of its code if it has no table of them. Damaged code has none.
func kernelsOf(img *wrapper.Located) []string {
	if len(img.Entries) > 0 || img.HasEntries {
		return img.Entries
	}
	names, err := wrapper.KernelNames(&img.Image)
	if err != nil {
		return nil
	}
	return names
}
