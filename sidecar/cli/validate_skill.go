package cli

import (
	"os"
	"path/filepath"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar/skill"
)

// isSkill reports whether what validate is given is a skill, or a folder of skills.
func isSkill(file string) bool {
	if filepath.Base(file) == skill.File {
		return true
	}
	info, err := os.Stat(file)
	return err == nil && info.IsDir()
}

// checkSkills returns the verdict on each skill. The error says that there is none, or that they cannot be read; a verdict
// names that as a fault too.
func (o *validateOptions) checkSkills(path string) (all []verdict, err error) {
	checked, err := skill.Check(path, o.options())
	for _, c := range checked {
		v := newVerdict(c.File, nil, c.Warnings, asError(c.Faults))
		if c.Skill != nil {
			v.Skill, v.Tools = c.Skill.Name, len(c.Skill.Tools)
		}
		all = append(all, v)
	}
	if err != nil {
		fault := finding{Message: reasonOf(err), text: path + ": " + reasonOf(err)}
		all = append(all, verdict{File: path, Faults: []finding{fault}, Warnings: []finding{}})
	}
	return all, err
}

// asError returns faults as an error, nil for none.
func asError(faults jsontree.Faults) error {
	if len(faults) == 0 {
		return nil
	}
	return faults
}
