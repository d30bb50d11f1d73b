package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// quotedText is text in double quotes, in which the shell does not split a value.
var quotedText = regexp.MustCompile(`"[^"]*"`)

// pathVariable is a variable that a test sets, such as $WORK: shell variables of the scripts
// themselves have lower-case names.
var pathVariable = regexp.MustCompile(`\$\{?[A-Z]`)

// shellArgument is the command of "sh -c" in a script.
var shellArgument = regexp.MustCompile(`sh -c '([^']*)'`)

// The shell commands in the scripts of tests quote the variables that hold paths: a tree or a
// temporary folder may have a space in its name.
func TestScriptsQuotePaths(t *testing.T) {
	root := filepath.Join("..", "..")
	count := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "build" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if err != nil || filepath.Ext(name) != ".txtar" {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, command := range shellCommands(txtar.Parse(data)) {
			count++
			if pathVariable.MatchString(quotedText.ReplaceAllString(command, "")) {
				t.Errorf("%s: a variable without quotes: %s", name, command)
			}
		}
		return nil
	})
	if err != nil || count == 0 {
		t.Fatalf("%d commands: %v", count, err)
	}
}

// shellCommands returns the lines of a script that a shell reads.
func shellCommands(script *txtar.Archive) (commands []string) {
	for _, m := range shellArgument.FindAllStringSubmatch(string(script.Comment), -1) {
		commands = append(commands, m[1])
	}
	for _, f := range script.Files {
		if filepath.Ext(f.Name) == ".sh" {
			commands = append(commands, strings.Split(string(f.Data), "\n")...)
		}
	}
	return commands
}
