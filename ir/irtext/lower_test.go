package irtext_test

import (
	"bytes"
	"regexp"
)

// lowering replaces constructs that LLVM 20 to 23 print and LLVM 19 does not read. It
// serves comparisons only: both sides are treated alike.
var lowering = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`captures\(none\)`), "nocapture"},
	{regexp.MustCompile(`captures\([^)]*\) ?`), ""},
	{regexp.MustCompile(`initializes\((\([^)]*\)(, )?)+\) ?`), ""},
	{regexp.MustCompile(`nocreateundeforpoison ?`), ""},
	{regexp.MustCompile(`icmp samesign`), "icmp"},
	{regexp.MustCompile(`(fptrunc|fpext) ((nnan|ninf|nsz|arcp|contract|afn|reassoc|fast) )+`), "$1 "},
	{regexp.MustCompile(`, (errnomem|target_mem[01]?): \w+`), ""},
	{regexp.MustCompile(`memory\((errnomem|target_mem[01]?): \w+, `), "memory("},
	{regexp.MustCompile(`(?m)^declare void @llvm\.lifetime\.(start|end)\.i64\(.*$`), ""},
	{regexp.MustCompile(`(call void @llvm\.lifetime\.(start|end)\.p\d+\()ptr`), "${1}i64 -1, ptr"},
	{regexp.MustCompile(`(declare void @llvm\.lifetime\.(start|end)\.p\d+\()ptr`), "${1}i64 immarg, ptr"},
}

// lower19 makes a module of a newer LLVM readable for LLVM 19.
func lower19(module []byte) []byte {
	module = bytes.Clone(module)
	for _, l := range lowering {
		module = l.pattern.ReplaceAll(module, []byte(l.with))
	}
	return module
}
