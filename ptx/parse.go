package ptx

import (
	"strconv"
	"strings"
)

// Parse reads the directives of a module. name is the module's in errors,
// which are *Error.
func Parse(name string, text []byte) (*Module, error) {
	// Without .address_size addresses have 32 bits (PTX ISA, ".address_size").
	p := &parser{scanner: newScanner(name, string(text)), module: &Module{AddressSize: 32}}
	p.module.bodies.text = p.scanner.text
	if !p.skipToken(".version") {
		return nil, p.errorf("not PTX: its first directive is not .version")
	}
	p.module.Version = p.takeToken().text
	for p.next.text != "" {
		if p.module.headEnd == 0 && !headDirective(p.next.text) {
			p.module.headEnd = p.next.at
		}
		if err := p.parseDirective(); err != nil {
			return nil, err
		}
	}
	if len(p.module.Targets) == 0 {
		return nil, p.errorf("the module has no .target directive")
	}
	return p.module, nil
}

// headDirective reports whether a directive stands before all declarations.
func headDirective(text string) bool { return text == ".target" || text == ".address_size" }

// HasVersion reports whether the text begins as PTX does: after comments with
// the directive .version.
func HasVersion(text []byte) bool {
	const most = 64 << 10 // of comments
	return newScanner("", string(text[:min(len(text), most)])).next.text == ".version"
}

type parser struct {
	*scanner
	module *Module
}

// parseDirective reads one directive of the module's level.
func (p *parser) parseDirective() error {
	switch directive := p.takeToken(); directive.text {
	case ".target":
		p.module.Targets = p.parseList()
	case ".address_size":
		size, err := strconv.Atoi(p.takeToken().text)
		if err != nil {
			return p.errorf(".address_size without a number")
		}
		p.module.AddressSize = size
	case ".file":
		p.skipList() // a number, a string, and a time and a size after commas
	case ".section":
		p.takeToken()
		return p.skipBraces()
	case ".entry":
		return p.parseEntry()
	case ".extern":
		return p.parseShared(Extern)
	case ".visible":
		return p.parseShared(Visible)
	case ".weak":
		return p.parseShared(Weak)
	case ".common":
		return p.parseShared(Common)
	case ".func":
		return p.parseFunction(Local)
	case ".global", ".const", ".shared", ".tex", ".local", ".param":
		return p.parseVariable(directive.text, Local)
	// They have no effect on anything that is linked or launched.
	case ".pragma", ".alias":
		return p.skipStatement()
	default:
		return &Error{p.name, directive.line, "want a directive of a module, found " + strconv.Quote(directive.text)}
	}
	return nil
}

// parseShared reads what follows a directive of linkage.
func (p *parser) parseShared(l Linkage) error {
	switch directive := p.takeToken(); directive.text {
	case ".entry":
		return p.parseEntry()
	case ".func":
		return p.parseFunction(l)
	case ".global", ".const", ".shared":
		return p.parseVariable(directive.text, l)
	default:
		return &Error{p.name, directive.line, "want a function or a variable, found " + strconv.Quote(directive.text)}
	}
}

// parseList reads words with commas between them.
func (p *parser) parseList() []string {
	list := []string{p.takeToken().text}
	for p.skipToken(",") {
		list = append(list, p.takeToken().text)
	}
	return list
}

// skipList skips the operands of .file.
func (p *parser) skipList() {
	p.takeToken()
	p.takeToken()
	for p.skipToken(",") {
		p.takeToken()
	}
}

// skipStatement skips to the next semicolon.
func (p *parser) skipStatement() error {
	for !p.skipToken(";") {
		if p.next.text == "" {
			return p.errorf("the text ends within a statement")
		}
		if p.next.text == "{" {
			if err := p.skipBraces(); err != nil {
				return err
			}
			continue
		}
		p.takeToken()
	}
	return nil
}

// skipBraces skips a block with the blocks in it. Bodies are not parsed, so that
// instructions of later versions of PTX need no change here.
func (p *parser) skipBraces() error {
	if p.next.text != "{" {
		return p.expectToken("{")
	}
	if !p.skipBlock(&p.module.bodies) {
		p.nextToken() // the end, for the error's line
		return p.errorf("the text ends within a block")
	}
	p.nextToken()
	return nil
}

// parseEntry reads a kernel from its name on.
func (p *parser) parseEntry() (err error) {
	name := p.takeToken()
	e := Entry{Name: name.text, headEnd: name.at + len(name.text)}
	if e.Name == "" || !isWord(e.Name[0]) {
		return p.errorf("a kernel without a name")
	}
	if p.skipToken("(") {
		if e.Params, e.headEnd, err = p.parseParams(); err != nil {
			return err
		}
	}
	if p.next.text == "," {
		// MarkKernels puts a directive here, and a comma after it would continue the
		// directive's list of numbers.
		return p.errorf("a comma after kernel %s", e.Name)
	}
	for p.next.text != "{" && p.next.text != ";" {
		switch t := p.takeToken(); t.text {
		case "":
			return p.errorf("the text ends after kernel %s", e.Name)
		case ".reqntid":
			e.Required = p.parseSizes()
		case ".maxntid":
			e.Max = p.parseSizes()
		}
	}
	if p.skipToken(";") { // a declaration
		return nil
	}
	// A second definition would be refused by the driver; the first one is
	// described.
	if p.module.Entry(e.Name) == nil {
		p.module.Entries = append(p.module.Entries, e)
	}
	return p.skipBraces()
}

// parseSizes reads up to three numbers; missing ones are 1.
func (p *parser) parseSizes() [3]int {
	sizes := [3]int{1, 1, 1}
	for i, text := range p.parseList() {
		if n, err := strconv.Atoi(text); err == nil && i < len(sizes) {
			sizes[i] = n
		}
	}
	return sizes
}

// maxParameters is more than any device takes: they have at most 32764 bytes.
const maxParameters = 1 << 15

// parseParams reads a kernel's parameters after the opening parenthesis. end is the
// offset after the closing one.
func (p *parser) parseParams() (params []Param, end int, err error) {
	for p.next.text != ")" {
		param, err := p.parseParam()
		if err != nil {
			return nil, 0, err
		}
		if params = append(params, param); len(params) > maxParameters {
			return nil, 0, p.errorf("more than %d parameters", maxParameters)
		}
		if !p.skipToken(",") && p.next.text != ")" {
			return nil, 0, p.errorf("want a comma after a parameter, found %q", p.next.text)
		}
	}
	return params, p.takeToken().at + 1, nil
}

// parseParam reads ".param .align 8 .b8 name[16]" or
// ".param .u64 .ptr .global .align 4 name".
func (p *parser) parseParam() (param Param, err error) {
	if err := p.expectToken(".param"); err != nil {
		return param, err
	}
	for strings.HasPrefix(p.next.text, ".") {
		t := p.takeToken()
		word := t.text[1:]
		switch size := typeSize(word); {
		case size > 0:
			param.Type, param.Size, param.typeEnd = word, size, t.at+len(t.text)
		case word == "ptr":
			param.Pointer = true
		case word == "align":
			align, err := p.parseNumber("an alignment", 1<<16)
			if err != nil {
				return param, err
			}
			if !param.Pointer { // else it is that of the memory
				param.Align = align
			}
		case param.Pointer:
			param.Space = word
		}
	}
	if param.Size == 0 {
		return param, p.errorf("a parameter without a type")
	}
	name := p.takeToken()
	param.Name, param.nameAt = name.text, name.at
	if param.Align == 0 {
		param.Align = param.Size
	}
	err = p.parseArray(&param)
	return param, err
}

// parseArray reads the number of elements after the name of a parameter, as
// structs by value have it, and multiplies the size by it.
func (p *parser) parseArray(param *Param) error {
	if !p.skipToken("[") {
		return nil
	}
	n, err := p.parseNumber("a number of elements", 1<<16)
	if err != nil {
		return err
	}
	param.Size *= n
	return p.expectToken("]")
}

// parseNumber reads a number from 1 to a limit.
func (p *parser) parseNumber(what string, limit int) (int, error) {
	n, err := strconv.Atoi(p.next.text)
	if err != nil || n < 1 || n > limit {
		return 0, p.errorf("want %s from 1 to %d, found %q", what, limit, p.next.text)
	}
	p.takeToken()
	return n, nil
}

// parseFunction reads a function after .func: its result, name, parameters
// and body.
func (p *parser) parseFunction(l Linkage) error {
	for strings.HasPrefix(p.next.text, ".") { // .attribute, .unified
		p.takeToken()
		if err := p.skipParentheses(); err != nil {
			return err
		}
	}
	if err := p.skipParentheses(); err != nil {
		return err
	}
	name := p.takeToken().text
	if name == "" || !isWord(name[0]) {
		return p.errorf("a function without a name")
	}
	p.module.Functions = append(p.module.Functions, Symbol{Name: name, Linkage: l})
	for p.next.text != "{" && p.next.text != ";" {
		if p.next.text == "" {
			return p.errorf("the text ends after function %s", name)
		}
		p.takeToken()
	}
	if p.skipToken(";") {
		return nil
	}
	return p.skipBraces()
}

func (p *parser) skipParentheses() error {
	if !p.skipToken("(") {
		return nil
	}
	for !p.skipToken(")") {
		if p.next.text == "" {
			return p.errorf("the text ends within parentheses")
		}
		p.takeToken()
	}
	return nil
}

// parseVariable reads ".align 4 .u32 name[8] = {...};" after the state space.
func (p *parser) parseVariable(space string, l Linkage) error {
	for strings.HasPrefix(p.next.text, ".") {
		if t := p.takeToken(); t.text == ".align" {
			p.takeToken()
		}
		if err := p.skipParentheses(); err != nil {
			return err
		}
	}
	if space == ".global" || space == ".const" {
		p.module.Variables = append(p.module.Variables, Symbol{p.next.text, l, space[1:]})
	}
	return p.skipStatement()
}
