package cli

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

const initText = `Begin a manifest: tools.json with one tool, the tool itself, a shell script in
tools/greet, and tools/test, which checks the manifest and calls the tool. They run
as they stand wherever there is a shell. Files that are there are left alone.`

const initExamples = `sidecar init                                  in the current directory
sidecar init my-agent && my-agent/tools/test
sidecar run --manifest tools.json -- claude`

const initExits = `0    made
1    one of the files is there
2    the command line is wrong
125  a file cannot be written`

//go:embed start/tools.json
var startManifest string

//go:embed start/greet
var startTool string

//go:embed start/test
var startTest string

// startFile is a file that init makes.
type startFile struct {
	path, text string
	mode       os.FileMode
}

func startFiles() []startFile {
	return []startFile{
		{"tools.json", startManifest, 0o644},
		{"tools/greet", startTool, 0o755},
		{"tools/test", startTest, 0o755},
	}
}

func newInit(std Std) *cobra.Command {
	return &cobra.Command{
		Use:         "init [DIR]",
		Short:       "Begin a manifest, with a tool and its test",
		Long:        initText,
		Example:     initExamples,
		Annotations: map[string]string{exitCodes: initExits},
		Args:        between(0, 1, ""),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			return begin(std, dir)
		},
	}
}

// begin writes the files, all of them or none.
func begin(std Std, dir string) error {
	for _, f := range startFiles() {
		path := filepath.Join(dir, f.path)
		switch _, err := os.Lstat(path); {
		case err == nil:
			return &exitError{code: exitFailed, err: fmt.Errorf("%s is there already: nothing was written", path), hint: "sidecar init DIR makes them somewhere else"}
		case !errors.Is(err, fs.ErrNotExist):
			return &exitError{code: exitFault, err: err}
		}
	}
	for _, f := range startFiles() {
		if err := f.write(dir); err != nil {
			return &exitError{code: exitFault, err: err}
		}
		fmt.Fprintf(std.Out, "%s\n", printable(filepath.Join(dir, f.path)))
	}
	_, err := fmt.Fprintf(std.Out, "\ntest them:  %s\nuse them:   sidecar run --manifest tools.json -- COMMAND, in that directory\n", printable(filepath.Join(dir, "tools", "test")))
	return err
}

// write makes the file and its directory.
func (f *startFile) write(dir string) error {
	path := filepath.Join(dir, f.path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, f.mode)
	if err != nil {
		return err
	}
	_, err = file.WriteString(f.text)
	return errors.Join(err, file.Close())
}
