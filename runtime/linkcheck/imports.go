package linkcheck

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"offlink/runtime/builtins"
	"offlink/runtime/registry"
	"offlink/runtime/resolve"
)

// missing is a symbol that images import and no image provides.
type missing struct {
	symbol    string
	target    string
	importers []*registry.Image
	first     resolve.Import // of the first importer
}

// resolveImports asks for each import of the images that the device takes. A
// symbol that several images lack is one problem.
func (c *checker) resolveImports() {
	var order []string
	lacking := make(map[string]*missing)
	request := c.launchRequest()
	for _, i := range c.acceptedImages() {
		img := c.program.Loaded.Images[i]
		imports, err := c.resolver.Imports(c.program.Loaded, img, request)
		if err != nil {
			continue // reported as damaged already
		}
		c.forgetCode(img)
		for _, found := range imports {
			entry := Import{Symbol: found.Symbol, Variable: found.Variable}
			if found.Exporter != nil {
				c.exporters[found.Exporter] = true
				ref := refOf(found.Exporter)
				entry.From = &ref
			}
			c.report.Images[i].Imports = append(c.report.Images[i].Imports, entry)
			if found.Exporter != nil && found.Linking == "" {
				continue
			}
			key := found.Symbol + "\x00" + found.Linking
			if lacking[key] == nil {
				lacking[key] = &missing{symbol: found.Symbol, target: img.Target, first: found}
				order = append(order, key)
			}
			lacking[key].importers = append(lacking[key].importers, img)
		}
	}
	for _, key := range order {
		c.reportMissing(lacking[key])
	}
}

// forgetCode has the resolver drop the parsed code of an image, unless others import from it:
// that is needed again and again.
func (c *checker) forgetCode(img *registry.Image) {
	if !c.exporters[img] {
		c.resolver.ForgetCode([]*registry.Image{img})
	}
}

func (c *checker) reportMissing(m *missing) {
	importers := imageList(m.importers)
	switch nearby := c.nearbyExporter(m); {
	case m.first.Linking != "":
		c.unlinked[m.symbol] = true
		device := c.report.Device + " does not link"
		if c.report.Device == "" {
			device = "no device links"
		}
		c.addProblem(Error, NoLinking, m.symbol, fmt.Sprintf("%s, imported by %s from %v: %s images of target %s (%s); link the device code when the program is built",
			m.symbol, importers, m.first.Exporter, device, m.target, m.first.Linking))
	case nearby != nil && c.program.NotFound[filepath.Base(nearby.Owner.Name)]:
		c.addProblem(Error, NotLoaded, m.symbol, fmt.Sprintf("%s, imported by %s, is exported by %v, which the program needs and does not find: add its folder to LD_LIBRARY_PATH",
			m.symbol, importers, nearby))
	case nearby != nil:
		c.addProblem(Error, NotLoaded, m.symbol, fmt.Sprintf("%s, imported by %s, is exported by %v, which the program does not load: link it with -Wl,--no-as-needed, or name it with --dlopen if the program opens it",
			m.symbol, importers, nearby))
	case len(m.first.Refusals) > 0:
		c.addProblem(Error, Unfit, m.symbol, fmt.Sprintf("%s, imported by %s, is exported by images that do not serve:%s",
			m.symbol, importers, refusalTexts(m.first.Refusals)))
	case strings.Contains(m.symbol, "__sycl_get") && strings.Contains(m.symbol, "SpecConstantValue"):
		c.addProblem(Error, Unresolved, m.symbol, fmt.Sprintf("%s, imported by %s, reads a specialization constant; run postlink with -spec-const=native or -spec-const=emulation",
			m.symbol, importers))
	case builtins.Contains(m.symbol):
		c.addProblem(Error, Unresolved, m.symbol, fmt.Sprintf("%s, imported by %s, is built into OpenCL C, and the code calls it as if it were not: translate from a module that says that it is OpenCL C",
			m.symbol, importers))
	default:
		c.addProblem(Error, Unresolved, m.symbol, fmt.Sprintf("%s, imported by %s, is exported by no image; add the file whose device code exports it",
			m.symbol, importers))
	}
}

// nearbyExporter returns an image that would serve from a file that the program does not
// load, or nil.
func (c *checker) nearbyExporter(m *missing) *registry.Image {
	if c.program.Nearby == nil {
		return nil
	}
	imports, err := c.resolver.Imports(c.program.Nearby, m.importers[0], c.launchRequest())
	if err != nil {
		return nil
	}
	for _, found := range imports {
		if found.Symbol == m.symbol {
			return found.Exporter
		}
	}
	return nil
}

func refusalTexts(list []resolve.Refusal) string {
	var b strings.Builder
	for _, r := range list {
		fmt.Fprintf(&b, "\n  %v", r)
	}
	return b.String()
}

// imageList is the first image, and how many more there are.
func imageList(images []*registry.Image) string {
	switch n := len(images) - 1; n {
	case 0:
		return images[0].String()
	case 1:
		return fmt.Sprintf("%v and %v", images[0], images[1])
	default:
		return fmt.Sprintf("%v and %d other images", images[0], n)
	}
}

// linkKernels resolves every kernel of every file, as its launch would. Unresolved imports
// are reported already. With every, which is for a check of one device, the device has to
// take an image of each kernel.
func (c *checker) linkKernels(every bool) {
	type launch struct {
		owner  registry.Owner
		kernel string
	}
	seen := make(map[launch]bool)
	for i, img := range c.program.Loaded.Images {
		if c.broken[i] || !every && c.device.Accepts(resolve.DriverImage(img)) != nil {
			continue
		}
		for _, kernel := range img.Kernels() {
			if key := (launch{img.Owner, kernel}); !seen[key] {
				seen[key] = true
				c.linkKernel(img.Owner, kernel)
			}
		}
		c.forgetCode(img)
	}
}

func (c *checker) linkKernel(owner registry.Owner, kernel string) {
	request := c.launchRequest()
	request.Owner, request.Kernel = owner, kernel
	link, err := c.resolver.Link(c.program.Loaded, request)
	if err == nil {
		c.noteTaken(kernel, link)
		return
	}
	symbol := c.reportFailure(kernel, c.kernelText(owner, kernel, err), err)
	c.report.Failing = append(c.report.Failing, Launch{owner.Name, kernel, c.device.Name, symbol})
}

// reportFailure reports the error of a launch, unless that is reported already, as one of an
// image. It returns the symbol that is at fault.
func (c *checker) reportFailure(kernel, text string, err error) (symbol string) {
	var unresolved *resolve.UnresolvedError
	var conflict *resolve.ConflictError
	var refused *resolve.NoKernelError
	var linking *resolve.LinkingError
	switch {
	case errors.As(err, &unresolved):
		return unresolved.Symbol
	case errors.As(err, &conflict):
		c.addProblem(Error, Conflict, conflict.Symbol, text)
		return conflict.Symbol
	case errors.As(err, &refused):
		c.addProblem(Error, Refused, kernel, text)
	case errors.As(err, &linking):
		if !c.unlinked[linking.Symbol] { // virtual functions, which nothing imports
			c.addProblem(Error, NoLinking, linking.Symbol, text)
		}
		return linking.Symbol
	}
	return ""
}

// noteTaken remembers the images that serve the kernel.
func (c *checker) noteTaken(kernel string, link *resolve.Link) {
	for symbol, img := range c.resolver.Taken(link) {
		key := takenFrom{symbol, img}
		if _, known := c.taken[key]; !known {
			c.taken[key] = kernel
		}
	}
}

// kernelText is the error of a launch. Where files have kernels of that name, it begins with the
// one of which the kernel is meant.
func (c *checker) kernelText(owner registry.Owner, kernel string, err error) string {
	for _, img := range c.program.Loaded.Kernel(registry.Owner{}, kernel) {
		if img.Owner != owner {
			return owner.Name + ": " + err.Error()
		}
	}
	return err.Error()
}
