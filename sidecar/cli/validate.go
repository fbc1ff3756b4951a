package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/subagent"
)

const validateText = `Check tool manifests, skills and files of agents (--agents) by the rules that run
applies, and report everything that is wrong at once, with line, column and the fix.
A directory is a skill, if it has a SKILL.md, or a folder of skills. Without FILE the
manifest that run would read here is checked ($SIDECAR_MANIFEST,
$SPRING_TOOLS_MANIFEST); - is stdin.`

const validateExamples = `sidecar validate tools.json
sidecar validate --watch tools.json        while you edit
jq . tools.json | sidecar validate -o json -
sidecar validate .sidecar/skills           each skill in it`

const validateExits = `0    every file is good
1    something is wrong in one
2    the command line is wrong
125  a file cannot be read`

// validateOptions are the flags of validate.
type validateOptions struct {
	std      Std
	asJSON   bool
	watch    bool
	reserved []string
	all      bool
}

func newValidate(std Std) *cobra.Command {
	o := &validateOptions{std: std}
	c := &cobra.Command{
		Use:         "validate [FILE|DIR|-]...",
		Short:       "Check a tool manifest, or skills",
		Long:        validateText,
		Example:     validateExamples,
		Annotations: map[string]string{exitCodes: validateExits},
	}
	outputFlag(c, func(c *cobra.Command, files []string, asJSON bool) error {
		o.asJSON = asJSON
		path, reserved, err := config.Tools(o.reserved, std.Env)
		if err != nil {
			return configError(c.CommandPath(), err)
		}
		o.reserved = reserved
		switch {
		case len(files) > 0:
		case path != "":
			files = []string{path}
		default:
			return usagef(c.CommandPath(), "FILE is missing")
		}
		if !o.watch {
			return o.run(files)
		}
		if len(files) > 1 || files[0] == "-" {
			return usagef(c.CommandPath(), "--watch follows one file or directory")
		}
		if isSkill(files[0]) {
			return o.followSkills(c.Context(), files[0])
		}
		return o.follow(c.Context(), files[0])
	})
	c.Flags().BoolVarP(&o.watch, "watch", "w", false, "check again at every change, until Ctrl-C")
	c.Flags().BoolVar(&o.all, "all", false, "print all faults and warnings, however many (else 20 of each)")
	reservedFlag(c, &o.reserved)
	return c
}

// reservedFlag adds --reserved-namespace; config.Tools reads its values.
func reservedFlag(c *cobra.Command, into *[]string) {
	c.Flags().StringArrayVar(into, "reserved-namespace", nil, "`NS,…` tool namespaces refused besides sv and core; repeatable ($SIDECAR_RESERVED_NAMESPACE)")
}

func (o *validateOptions) options() manifest.Options {
	return manifest.Options{
		Reserved: o.reserved, Card: sidecar.CheckCardPart, Program: config.ProgramFinder(config.Workspace(o.std.Env), o.std.Env),
		Review: func(t *manifest.Tool) []manifest.Remark { return capability.Review(t, capability.OS()) },
	}
}

// run checks every file, even after one that cannot be read.
func (o *validateOptions) run(files []string) error {
	code := 0
	for _, file := range files {
		all, err := o.checkAll(file)
		if err != nil {
			code = exitFault
		}
		for _, v := range all {
			if !v.Valid && code == 0 {
				code = exitFailed
			}
			if err := o.print(v); err != nil {
				return err
			}
		}
	}
	return silent(code)
}

// checkAll returns the verdicts on a manifest, or on the skills of a directory.
func (o *validateOptions) checkAll(file string) ([]verdict, error) {
	if isSkill(file) {
		return o.checkSkills(file)
	}
	v, err := o.check(file)
	return []verdict{v}, err
}

// check returns the verdict on one file. The error says that the file cannot be read;
// the verdict then names that as a fault too.
func (o *validateOptions) check(file string) (verdict, error) {
	name, data, err := o.read(file)
	if err != nil {
		fault := finding{Message: reasonOf(err), text: name + ": " + reasonOf(err)}
		return verdict{File: name, Faults: []finding{fault}, Warnings: []finding{}}, err
	}
	if subagent.IsFile(data) {
		agents, faults := subagent.Parse(subagent.Options{})(name, data)
		v := newVerdict(name, nil, nil, faults)
		if v.ofAgents = true; agents != nil {
			v.Agents = len(agents.All)
		}
		return v, nil
	}
	snap, warnings, faults := manifest.Parse(name, data, o.options())
	return newVerdict(name, snap, warnings, faults), nil
}

// reasonOf returns an error without the path, which is printed before it.
func reasonOf(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return "the file cannot be read: " + path.Err.Error()
	}
	return err.Error()
}

func (o *validateOptions) read(file string) (string, []byte, error) {
	if file == "-" {
		data, err := manifest.Read(o.std.In)
		return "stdin", data, err
	}
	data, err := manifest.ReadFile(file)
	return file, data, err
}

// follow checks a file after every change.
func (o *validateOptions) follow(ctx context.Context, file string) error {
	ctx, stop := untilInterrupt(ctx)
	defer stop()
	opts := o.options()
	opts.Lenient = true
	source, err := manifest.Open(file, opts)
	if err != nil {
		return &exitError{code: exitFault, err: err}
	}
	watched := make(chan error, 1)
	go func() { watched <- source.Run(ctx) }()
	defer func() { stop(); <-watched }()
	for {
		checked := source.Checked()
		v, _ := o.check(file) // checked here for the warnings, which a Source only logs
		if err := o.print(v); err != nil {
			return err
		}
		select {
		case <-checked:
		case <-ctx.Done():
			if !v.Valid {
				return silent(exitFailed)
			}
			return nil
		}
	}
}

// verdict is what is known of one file. Its JSON is for CI.
type verdict struct {
	File     string `json:"file"`
	Skill    string `json:"skill,omitempty"` // the name of the skill that the file is
	Valid    bool   `json:"valid"`
	Tools    int    `json:"tools"`
	Agents   int    `json:"agents,omitempty"` // of a file of agents
	ofAgents bool
	Revision string    `json:"revision,omitempty"`
	Faults   []finding `json:"faults"`
	Warnings []finding `json:"warnings"`
}

type finding struct {
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Pointer string `json:"pointer,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	text    string
}

func newFinding(f jsontree.Fault) finding {
	return finding{f.Line, f.Column, f.Pointer, f.Subject, f.Message, f.Hint, f.String()}
}

func newVerdict(file string, snap *manifest.Snapshot, warnings jsontree.Faults, err error) verdict {
	v := verdict{File: file, Valid: err == nil, Faults: []finding{}, Warnings: []finding{}}
	if snap != nil {
		v.Tools, v.Revision = len(snap.Tools()), snap.Revision()
	}
	var faults jsontree.Faults
	if errors.As(err, &faults) {
		for _, f := range faults {
			v.Faults = append(v.Faults, newFinding(f))
		}
	} else if err != nil {
		v.Faults = append(v.Faults, finding{Message: err.Error(), text: file + ": " + err.Error()})
	}
	for _, w := range warnings {
		v.Warnings = append(v.Warnings, newFinding(w))
	}
	return v
}

func (o *validateOptions) print(v verdict) error {
	if o.asJSON {
		return json.NewEncoder(o.std.Out).Encode(v)
	}
	o.list(v.Faults, "", "")
	o.list(v.Warnings, "warning: ", "warning")
	if !v.Valid {
		_, err := fmt.Fprintf(o.std.Out, "%s: %s\n", printable(v.File), text.Count(len(v.Faults), "fault"))
		return err
	}
	if v.Skill != "" {
		_, err := fmt.Fprintf(o.std.Out, "%s: ok, the skill %s, %s\n", printable(v.File), v.Skill, text.Count(v.Tools, "tool"))
		return err
	}
	if v.ofAgents {
		_, err := fmt.Fprintf(o.std.Out, "%s: ok, %s\n", printable(v.File), text.Count(v.Agents, "agent"))
		return err
	}
	_, err := fmt.Fprintf(o.std.Out, "%s: ok, %s, %s\n", printable(v.File), text.Count(v.Tools, "tool"), v.Revision)
	return err
}

// list prints what was found, each finding after a prefix.
func (o *validateOptions) list(found []finding, prefix, thing string) {
	lines := make([]string, len(found))
	for i, f := range found {
		lines[i] = prefix + f.text
	}
	if !o.all {
		lines = firstFaults(lines, "  and %s more; --all shows them", thing)
	}
	for _, line := range lines {
		fmt.Fprintln(o.std.Out, printable(line))
	}
}
