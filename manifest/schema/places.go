package schema

// places gives each location of a value a number.
type places struct {
	budget *budget
	known  map[below]int
	last   int      // the last number that was given
	root   int      // the number of the value that is checked
	path   []string // the parts of the last location; ids has the number of each part
	ids    []int
}

// below is one token below a place.
type below struct {
	place int
	token string
}

func (p *places) reset() {
	p.known = emptied(p.known)
	p.last, p.root, p.path, p.ids = 0, 0, p.path[:0], p.ids[:0]
}

// of returns the number of a location. Most locations begin like the last one.
func (p *places) of(location []string) int {
	n := 0
	for n < len(location) && n < len(p.path) && location[n] == p.path[n] {
		n++
	}
	p.path, p.ids = append(p.path[:n], location[n:]...), p.ids[:n]
	for _, token := range location[n:] {
		s := below{place: p.at(), token: token}
		id, ok := p.known[s]
		if !ok {
			p.budget.spend(1, 1)
			p.last++
			id = p.last
			p.known[s] = id
		}
		p.ids = append(p.ids, id)
	}
	return p.at()
}

// at returns the number of the last location.
func (p *places) at() int {
	if len(p.ids) == 0 {
		return p.root
	}
	return p.ids[len(p.ids)-1]
}

// elsewhere returns places for locations that begin anew.
func (p *places) elsewhere() places {
	return places{budget: p.budget, known: p.known, last: p.last + 1, root: p.last + 1}
}
