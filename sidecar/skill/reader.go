package skill

import (
	"errors"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"syscall"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// reader is one look at all roots.
type reader struct {
	*Library
	sure, done bool
	known      map[key]*folder
	manifest   manifest.Options
	skills     []*Skill
	faults     jsontree.Faults
	texts      int64 // bytes of the files SKILL.md whose skills count
	tools      int64 // likewise of the files tools.json
}

// root reads what has changed in a root.
func (r *reader) root(root *Root) {
	p, err := root.open()
	if err != nil {
		r.rootFault(root, err)
		return
	}
	defer p.base.Close() // nothing was written
	names, more, err := p.folders()
	if err != nil {
		r.rootFault(root, err)
	}
	if more {
		r.faults = append(r.faults, jsontree.Fault{File: root.Path, Message: "it has more than " + text.CountOf(maxSkills, "folder", "folders") + ": those after the first ones by name are left out", Hint: "spread them over several --skills"})
	}
	for i, name := range names {
		if r.texts > maxTexts {
			left := text.CountOf(len(names)-i, "folder is", "folders are")
			r.faults = append(r.faults, jsontree.Fault{File: root.Path, Message: "all skills together are larger than " + text.FormatSize(maxTexts) + ": the last " + left + " left out", Hint: "put what is not always needed into files beside SKILL.md"})
			return
		}
		k := key{root, name}
		f := r.Library.known[k].copy()
		r.read(p, name, f)
		if f.skill == nil && len(f.main.faults) == 0 {
			continue // it is no skill
		}
		r.known[k] = f
		r.faults = append(append(r.faults, f.main.faults...), f.tools.faults...)
		if f.skill == nil {
			continue
		}
		r.texts += f.main.bytes
		if len(f.list) > 0 {
			r.tools += f.tools.bytes
		}
		r.skills = append(r.skills, f.skill)
	}
}

// rootFault tells of a root that cannot be read; one that is not there is waited for.
func (r *reader) rootFault(root *Root, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if errors.Is(err, syscall.ENOTDIR) {
		r.faults = append(r.faults, jsontree.Fault{File: root.Path, Message: "it is no directory", Hint: "name the directory that the folders of skills are in"})
		return
	}
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = at.Err
	}
	r.faults = append(r.faults, jsontree.Fault{File: root.Path, Message: "it cannot be read: " + err.Error()})
}

// read reads what has changed in a folder.
func (r *reader) read(p *place, name string, f *folder) {
	changed := r.readMain(p, name, f)
	if f.text == nil {
		f.skill = nil
		return
	}
	if p.Shown && r.readTools(p, name, f) || changed {
		s := *f.text
		s.Dir, s.Root, s.Tools = p.path(name), p.Root, f.list
		s.real = s.Dir
		if real, err := filepath.EvalSymlinks(s.Dir); err == nil { // otherwise it has just gone
			s.real = real
		}
		f.skill = &s
	}
}

// readMain reads the SKILL.md of a folder, and reports whether it says something else than before.
func (r *reader) readMain(p *place, name string, f *folder) (changed bool) {
	if f.main.same(p.glance(name, File)) {
		return false
	}
	info, err := p.stat(name, File)
	if err == nil && info == nil {
		changed = f.text != nil
		*f = folder{}
		return changed
	}
	data, info, err := p.read(maxFile, name, File)
	var s *Skill
	var faults jsontree.Faults
	if err != nil {
		faults = jsontree.Faults{p.unreadable(err, name, File)}
	} else {
		s, _, faults = Parse(p.path(name, File), name, data)
	}
	if len(faults) > 0 && !r.sure {
		r.done = false
		return false
	}
	f.main = seen{info: info, at: time.Now(), faults: faults, bytes: f.main.bytes}
	if len(faults) == 0 {
		f.main.bytes = int64(len(data))
	}
	if len(faults) > 0 || reflect.DeepEqual(f.text, s) {
		return false
	}
	f.text = s
	return true
}

// readTools reads the tools.json of a folder, and reports whether it has other tools than before.
func (r *reader) readTools(p *place, name string, f *folder) (changed bool) {
	now := p.glance(name, Tools)
	if now != nil && r.tools+max(now.Size(), f.tools.bytes) > maxToolTexts { // not read: it may be read when others have gone
		changed = len(f.list) > 0
		f.list, f.tools = nil, seen{at: time.Now(), faults: jsontree.Faults{{File: p.path(name, Tools), Message: "the files " + Tools + " of all skills together are larger than " + text.FormatSize(maxToolTexts) + ": the skill is without its tools", Hint: "put tools that every conversation needs into the manifest"}}}
		return changed
	}
	if f.tools.same(now) || now == nil && f.tools.at.IsZero() {
		return false
	}
	info, err := p.stat(name, Tools)
	if err == nil && info == nil {
		changed = len(f.list) > 0
		f.tools, f.list = seen{}, nil
		return changed
	}
	data, info, err := p.read(maxTools, name, Tools)
	var tools []*manifest.Tool
	var faults jsontree.Faults
	if err != nil {
		faults = jsontree.Faults{p.unreadable(err, name, Tools)}
	} else {
		tools, _, faults = ParseTools(p.path(name, Tools), data, r.manifest)
	}
	if len(faults) > 0 && !r.sure {
		r.done = false
		return false
	}
	f.tools = seen{info: info, at: time.Now(), faults: faults, bytes: f.tools.bytes}
	if len(faults) == 0 {
		f.tools.bytes = int64(len(data))
	}
	if len(faults) > 0 || slices.EqualFunc(f.list, tools, func(a, b *manifest.Tool) bool { return a.Digest == b.Digest }) {
		return false
	}
	f.list = tools
	return true
}
