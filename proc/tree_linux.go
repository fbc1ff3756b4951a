package proc

import (
	"os"
	"time"
)

// tree finds the living descendants of a child, including those that are no longer below it: a
// process whose parent ends gets another parent, and a daemon takes a session of its own. A
// process is a member if it
//
//   - is the child, or is in its group or session,
//   - was a member in an earlier look (so look while the parents live),
//   - has the child's tag or, if it has no tag, the child's marker in its environment,
//   - or has a parent that is a member.
//
// A tree is used by one goroutine.
type tree struct {
	c     *Child
	known map[int]process
	bare  map[int]uint64 // start of each process without an environment, by pid
	dead  []process      // zombies found by the last look
}

// blind reports whether no process can be seen at all.
func (t *tree) blind() bool {
	_, ok := readProcess(os.Getpid())
	return !ok
}

func newTree(c *Child) *tree {
	return &tree{c: c, known: make(map[int]process), bare: make(map[int]uint64)}
}

// look returns the living members, including the child itself, and remembers them.
func (t *tree) look() []process {
	all := processes()
	m := newMembers(all)
	m.add(t.seeds(all)...)
	m.add(t.marked(all, m.in)...)
	for _, p := range m.list {
		t.known[p.pid] = p
	}
	t.dead = m.dead
	return m.list
}

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

// seeds returns the processes that are members whatever their parent is.
func (t *tree) seeds(all []process) (list []process) {
	c := t.c
	ours := t.numberIsOurs(all)
	for _, p := range all {
		old, seen := t.known[p.pid]
		named := p.pid == c.pid || p.group == c.pid || p.session == c.pid
		if seen && old.start == p.start || ours && named && p.start >= c.born {
			list = append(list, p)
		}
	}
	return list
}

// numberIsOurs reports whether the child's pid still means its group and session. The kernel
// does not reuse a number while it is the number of a process, group or session. So after the
// child was reaped, the number is ours as long as a member from before is left and no process
// has it as its pid.
func (t *tree) numberIsOurs(all []process) bool {
	c := t.c
	c.mu.Lock()
	reaped, at := c.reaped, c.reapedAt
	c.mu.Unlock()
	if !reaped {
		return true
	}
	old := false
	for _, p := range all {
		if p.pid == c.pid {
			return false
		}
		if (p.group == c.pid || p.session == c.pid) && p.start >= c.born && p.start <= at {
			old = true
		}
	}
	return old
}

// marked returns those of all that have the tag, or that have no tag but the marker. It leaves
// out known members and processes older than the child. A process in the middle of an exec has
// no environment for a moment, so marked reads an empty environment again.
func (t *tree) marked(all []process, in map[int]bool) (list []process) {
	var ask []process
	for _, p := range all {
		if in[p.pid] || p.start < t.c.born || p.zombie() || p.kernel {
			continue
		}
		start, bare := t.bare[p.pid]
		switch mark := tagOf(p.pid); {
		case mark != 0 && mark == t.c.ticket.tag:
			list = append(list, p)
		case mark == 0 && t.c.marker != "" && !(bare && start == p.start):
			ask = append(ask, p)
		}
	}
	for range execTries {
		found, empty := t.withMarker(ask)
		list = append(list, found...)
		if len(empty) == 0 {
			return list
		}
		ask = empty
		<-time.After(execPause)
	}
	for _, p := range ask {
		t.bare[p.pid] = p.start
	}
	return list
}

// execTries and execPause bound the wait for an exec to set the environment. A process that
// really has no environment costs this wait only once.
const (
	execTries = 5
	execPause = 2 * time.Millisecond
)

// withMarker returns the processes of ask that have the marker, and those whose environment is
// empty. It reads as ourselves, and as the child's user if we may not read.
func (t *tree) withMarker(ask []process) (found, empty []process) {
	var denied []process
	sort := func(list []process) {
		for _, p := range list {
			switch p.hasEntry(t.c.marker) {
			case entryPresent:
				found = append(found, p)
			case entryUnknown:
				empty = append(empty, p)
			case entryDenied:
				denied = append(denied, p)
			}
		}
	}
	sort(ask)
	if list := denied; len(list) > 0 && t.c.user.credential() != nil {
		asFileUser(t.c.user, func() { sort(list) })
	}
	return found, empty
}
