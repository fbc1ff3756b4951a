package proc

import "os"

// members collects processes and all their descendants, parents first.
type members struct {
	kids map[int][]process
	in   map[int]bool
	self int
	list []process // the living
	dead []process // zombies
}

// newMembers returns an empty set of members, to be chosen from all.
func newMembers(all []process) *members {
	m := &members{kids: make(map[int][]process, len(all)), in: make(map[int]bool), self: os.Getpid()}
	for _, p := range all {
		m.kids[p.ppid] = append(m.kids[p.ppid], p)
	}
	return m
}

func (m *members) add(seeds ...process) {
	for len(seeds) > 0 {
		p := seeds[0]
		seeds = seeds[1:]
		if m.in[p.pid] || p.pid == m.self || p.pid == 1 {
			continue
		}
		m.in[p.pid] = true
		if p.zombie() {
			m.dead = append(m.dead, p)
		} else {
			m.list = append(m.list, p)
		}
		seeds = append(seeds, m.kids[p.pid]...)
	}
}
