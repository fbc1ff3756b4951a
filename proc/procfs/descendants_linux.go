package procfs

import (
	"os"
	"strconv"
	"strings"
)

// Descendants collects processes and all that descends from them, parents first. It leaves out
// this process and PID 1.
type Descendants struct {
	// Living are the processes that run, Zombies those that have ended.
	Living, Zombies []Process

	kids map[int][]Process
	in   map[int]bool
}

// NewDescendants returns an empty set, to be chosen from all.
func NewDescendants(all []Process) *Descendants {
	d := &Descendants{kids: make(map[int][]Process, len(all)), in: make(map[int]bool)}
	for _, p := range all {
		d.kids[p.PPID] = append(d.kids[p.PPID], p)
	}
	return d
}

// Add adds processes and all that descends from them.
func (d *Descendants) Add(seeds ...Process) {
	self := os.Getpid()
	for len(seeds) > 0 {
		p := seeds[0]
		seeds = seeds[1:]
		if d.in[p.PID] || p.PID == self || p.PID == 1 {
			continue
		}
		d.in[p.PID] = true
		if p.Zombie() {
			d.Zombies = append(d.Zombies, p)
		} else {
			d.Living = append(d.Living, p)
		}
		seeds = append(seeds, d.kids[p.PID]...)
	}
}

// AddOwn adds all that descends from this process.
func (d *Descendants) AddOwn() { d.Add(d.kids[os.Getpid()]...) }

// Has reports whether a process was added.
func (d *Descendants) Has(pid int) bool { return d.in[pid] }

// OwnChildren returns the children of all threads of this process.
func OwnChildren() []int {
	self := os.Getpid()
	var all []int
	for _, tid := range numbers("/proc/self/task") {
		pids, _ := Children(self, tid)
		all = append(all, pids...)
	}
	return all
}

// Children returns the children of one thread; ok is false if the kernel was built without
// CONFIG_PROC_CHILDREN.
func Children(pid, tid int) (pids []int, ok bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/task/" + strconv.Itoa(tid) + "/children")
	if err != nil {
		return nil, false
	}
	for _, f := range strings.Fields(string(data)) {
		if n, err := strconv.Atoi(f); err == nil {
			pids = append(pids, n)
		}
	}
	return pids, true
}
