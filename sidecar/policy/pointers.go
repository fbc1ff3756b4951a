package policy

import "slices"

// Pointers returns the JSON pointers of the arguments of a tool at which its rules look,
// each once. Apart from these, what the rules say depends on what a call uses, and not on its
// arguments.
func (s *Set) Pointers(tool string) (all []string) {
	for _, sc := range []*scope{s.manifest, s.project} {
		if sc == nil {
			continue
		}
		for _, r := range sc.rules {
			if r.Pointer != "" && r.ofTools(tool) && !slices.Contains(all, r.Pointer) {
				all = append(all, r.Pointer)
			}
		}
	}
	return all
}
