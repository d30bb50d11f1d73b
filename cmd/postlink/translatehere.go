package main

import (
	"errors"
	"fmt"
	"io"

	"offlink/ir"
	"offlink/ir/irfile"
	"offlink/props/derive"
	"offlink/spirv"
	"offlink/spirv/fromir"
	"offlink/toolchain"
)

// translatesPart reports whether the process translates a part of the input directly. Other
// parts are written as modules and read again.
func (t *translator) translatesPart(part *ir.Partition) bool {
	return t.here != nil && part.Module == t.module && t.here.Takes(part)
}

// translatePart translates a part of the input in the process. It overwrites to, whose
// memory it reuses.
func (t *translator) translatePart(to []byte, n int, kernels string, part *ir.Partition) ([]byte, error) {
	words, err := t.here.AppendPartition(to[:0], part, t.imageName(n))
	if err != nil {
		return nil, fmt.Errorf("-to=spirv: %s%w", kernels, err)
	}
	if err := toolchain.RaiseVersion(words, t.options.Version); err != nil {
		return nil, fmt.Errorf("-to=spirv: %w", err)
	}
	return words, nil
}

// reportStatistics says how often functions were translated, where that is asked
// for; t may be nil.
func (t *translator) reportStatistics(images int, to io.Writer) {
	if t == nil || t.here == nil || !t.options.statistics {
		return
	}
	translated, used := t.here.Functions()
	fmt.Fprintf(to, "%s: %d images have %d functions, made of %d translations\n", program, images, used, translated)
}

// translateHere translates the module of an image in the process. name is the
// image's for messages.
func (t *translator) translateHere(name, kernels string, module []byte) ([]byte, error) {
	options, err := t.options.fromIROptions()
	if err != nil {
		return nil, err
	}
	m, err := irfile.Parse(name, module)
	if err != nil {
		return nil, fmt.Errorf("-to=spirv: %w", err)
	}
	words, err := fromir.Translate(m, options)
	if err != nil {
		return nil, fmt.Errorf("-to=spirv: %s%w", kernels, err)
	}
	if err := toolchain.RaiseVersion(words, t.options.Version); err != nil {
		return nil, fmt.Errorf("-to=spirv: %s: %w", name, err)
	}
	return words, nil
}

// fromIROptions returns the options of the translation in the process.
func (o *spirvOptions) fromIROptions() (fromir.Options, error) {
	version, err := spirvVersion(o.Version)
	if err != nil {
		return fromir.Options{}, err
	}
	options := fromir.Options{Version: version, WidenIntegers: o.Extensions == "", KernelWrappers: o.wrappers}
	list := o.Extensions
	if list == "" {
		list = fromir.PortableExtensions
	}
	if err := options.AllowExtensions(list); err != nil {
		return options, fmt.Errorf("-spirv-ext: %w", err)
	}
	return options, nil
}

// wrapsKernels reports whether kernels are written as DPC++ of 2025 does, which exports them
// and has entry points call them. DPC++ of 2026 and newer translators do not. Without
// -dialect the producer of the input decides.
func (o *options) wrapsKernels(m *ir.Module) bool {
	if o.hasDialect {
		return o.derive.Dialect == derive.Dialect2025
	}
	major := 0
	fmt.Sscanf(m.Producer, "LLVM%d", &major)
	return m.Named("spirv.Source") != nil && major < 22
}

// spirvVersion reads a version of SPIR-V: 1.0 to 1.6.
func spirvVersion(text string) (spirv.Version, error) {
	if len(text) != 3 || text[:2] != "1." || text[2] < '0' || text[2] > '6' {
		return 0, errors.New("want a version of SPIR-V, 1.0 to 1.6")
	}
	return spirv.Version1_0 + spirv.Version(text[2]-'0')<<8, nil
}
