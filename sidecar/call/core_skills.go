package call

import (
	"io/fs"
	"os"
	"slices"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// Skills are the skills that the tool skill loads, and their files.
type Skills interface {
	tool.Skills
	// File opens a file of a skill that somebody vouches for, outside of the workspace, for reading; path is absolute.
	// It is nil if the path is in no such skill's folder. It must not wait.
	File(path string) (*os.File, error)
}

// skillFiles takes the files of skills out of what a call of our own tools reads: whoever offers a skill gives its
// files with it, and no rule has to speak of them.
func (p *Pipeline) skillFiles(inv *Invocation, in *input) {
	if p.opts.Skills == nil || inv.tool.Bridge.Kind != manifest.BridgeCore {
		return
	}
	in.uses = slices.DeleteFunc(in.uses, func(u policy.Use) bool {
		if u.Capability != policy.FSRead || u.Declared {
			return false
		}
		f, err := p.opts.Skills.File(u.Value)
		if err != nil || f == nil {
			return false // it is judged as any other path
		}
		_ = f.Close() // it is opened anew when the call runs
		in.skills = append(in.skills, keptSkill{u.Pointer, u.Value})
		return true
	})
}

// keptSkill is a file of a skill that a call reads.
type keptSkill struct{ pointer, path string }

// openSkills opens the files of skills that a call reads, and adds them to those that are kept for it.
func (p *Pipeline) openSkills(all []keptSkill, kept map[string]*os.File) error {
	for _, one := range all {
		if kept[one.path] != nil {
			continue
		}
		f, err := p.opts.Skills.File(one.path)
		if err != nil {
			return err
		}
		if f == nil {
			return &fs.PathError{Op: "open", Path: one.path, Err: fs.ErrNotExist} // the skill has just gone
		}
		kept[one.path] = f
	}
	return nil
}
