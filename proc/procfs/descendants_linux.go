package procfs

import (
	"bytes"
	"io"
	"math"
	"os"
	"strconv"
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
	return FirstChildren(pid, tid, math.MaxInt64/pidSize)
}

// pidSize is the largest size of a pid in a list of children, with the blank after it.
const pidSize = len("4194304 ")

// FirstChildren is Children for a caller that needs no more than the first children. It returns
// at least most of them if there are that many, and does not read the list much further.
func FirstChildren(pid, tid, most int) (pids []int, ok bool) {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/task/" + strconv.Itoa(tid) + "/children")
	if err != nil {
		return nil, false
	}
	defer f.Close()
	limit := int64(most) * int64(pidSize)
	data, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return nil, false
	}
	if int64(len(data)) == limit {
		data = data[:bytes.LastIndexByte(data, ' ')+1] // the last pid may have been cut
	}
	for _, f := range bytes.Fields(data) {
		if n, err := strconv.Atoi(string(f)); err == nil {
			pids = append(pids, n)
		}
	}
	return pids, true
}
