package sandbox

import (
	"errors"
	"io/fs"
	"os"
)

// ruleset is a set of Landlock rules in the kernel, and what it was made of.
type ruleset struct {
	file *os.File
	seen []sighting
}

// grant is a root and what it gives.
type grant struct {
	root   Root
	access uint64
}

// grants returns all roots of the rules.
func (r *Rules) grants() []grant {
	all := make([]grant, 0, len(r.Read)+len(r.Exec)+len(r.Write)+len(r.Devices))
	for _, kind := range []struct {
		roots  []Root
		access uint64
	}{{r.Read, accessRead}, {r.Exec, accessExec}, {r.Write, accessWrite}, {r.Devices, accessDevice}} {
		for _, root := range kind.roots {
			all = append(all, grant{root, kind.access})
		}
	}
	return all
}

// grants returns all roots of m.
func (m *More) grants() []grant {
	return (&Rules{Read: m.Read, Write: m.Write}).grants()
}

// makeRuleset makes the rules in the kernel. A root that does not exist is left out.
func makeRuleset(l landlock, r *Rules) (*ruleset, error) {
	file, err := l.ruleset(r.Net)
	if err != nil {
		return nil, err
	}
	set := &ruleset{file: file}
	if err := set.allow(l, r.grants()); err != nil {
		set.close()
		return nil, err
	}
	return set, nil
}

// allow adds grants.
func (s *ruleset) allow(l landlock, grants []grant) error {
	for _, g := range grants {
		o, err := g.root.open()
		if errors.Is(err, fs.ErrNotExist) {
			s.seen = append(s.seen, sighting{root: g.root})
			continue
		}
		if err != nil {
			return err
		}
		s.seen = append(s.seen, sighting{root: g.root, id: o.id})
		err = l.allow(s.file, o, g.access)
		o.close() // the rule refers to the file itself
		if err != nil {
			return err
		}
	}
	return nil
}

// seenRoots returns what was at the roots; s may be nil.
func (s *ruleset) seenRoots() []sighting {
	if s == nil {
		return nil
	}
	return s.seen
}

// missing returns the names of the roots that did not exist.
func (s *ruleset) missing() (names []string) {
	for _, one := range s.seen {
		if one.id == (fileID{}) {
			names = append(names, one.root.Name())
		}
	}
	return names
}

// files returns the descriptors that the shim needs of s, which may be nil.
func (s *ruleset) files() []*os.File {
	if s == nil {
		return nil
	}
	return []*os.File{s.file}
}

// close closes s, which may be nil.
func (s *ruleset) close() {
	if s != nil {
		_ = s.file.Close()
	}
}
