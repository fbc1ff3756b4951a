package cli

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"

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

// followSkills checks skills after every change, and tells of those about which there is something new.
func (o *validateOptions) followSkills(ctx context.Context, path string) error {
	ctx, stop := untilInterrupt(ctx)
	defer stop()
	changed := make(chan struct{}, 1)
	var watching sync.WaitGroup
	watching.Go(func() {
		skill.Watch(ctx, path, func() {
			select {
			case changed <- struct{}{}:
			default: // it will be checked anyway
			}
		})
	})
	defer watching.Wait()
	defer stop()
	valid, told := true, map[string]verdict{}
	for {
		select {
		case <-changed:
		case <-ctx.Done():
			if !valid {
				return silent(exitFailed)
			}
			return nil
		}
		all, _ := o.checkSkills(path) // a verdict names its error
		now := map[string]verdict{}
		valid = true
		for _, v := range all {
			now[v.File] = v
			valid = valid && v.Valid
			if was, known := told[v.File]; known && reflect.DeepEqual(was, v) {
				continue
			}
			if err := o.print(v); err != nil {
				return err
			}
		}
		if err := o.printGone(told, now); err != nil {
			return err
		}
		told = now
	}
}

// printGone tells of the skills that are not there any more.
func (o *validateOptions) printGone(told, now map[string]verdict) error {
	for _, file := range slices.Sorted(maps.Keys(told)) {
		if _, there := now[file]; there || told[file].Skill == "" {
			continue
		}
		fault := finding{Message: "it is not there any more", text: file + ": it is not there any more"}
		if err := o.print(verdict{File: file, Skill: told[file].Skill, Faults: []finding{fault}, Warnings: []finding{}}); err != nil {
			return err
		}
	}
	return nil
}
