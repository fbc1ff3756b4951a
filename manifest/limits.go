package manifest

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// Limits bound what one call of an exec tool may take. 0 sets no limit.
type Limits struct {
	Memory    int64         // bytes
	Disk      int64         // bytes of the largest file that it writes
	CPU       time.Duration // time of processors, not of the clock
	Processes int           // processes and threads at once
}

// The values of Tool.Interrupt: what becomes of a call that runs when its turn is
// interrupted.
const (
	InterruptCancel = "cancel" // the default
	InterruptFinish = "finish"
)

// ParseLimits reads limits as x-sidecar.limits has them. pointer is their place in the file. The
// faults are not located yet.
func ParseLimits(n *jsontree.Node, pointer string) (Limits, jsontree.Faults) {
	c := &check{}
	l := c.limits(n, pointer)
	return l, c.Faults
}

// ParseDuration reads a duration above zero as x-sidecar.timeout has it. pointer is its place in
// the file. The faults are not located yet.
func ParseDuration(n *jsontree.Node, pointer string) (time.Duration, jsontree.Faults) {
	c := &check{}
	d := c.duration(n, pointer)
	return d, c.Faults
}

// ParseDirectory reads the directory that a program runs in, as exec.cwd has it: absolute, or
// relative to the workspace. pointer is its place in the file. The faults are not located yet.
func ParseDirectory(n *jsontree.Node, pointer string) (string, jsontree.Faults) {
	c := &check{}
	dir := c.directory(n, pointer)
	return dir, c.Faults
}

// limits decodes {"memory","cpu","processes","disk"}.
func (c *check) limits(n *jsontree.Node, pointer string) Limits {
	var l Limits
	c.Members(n, pointer, []string{"memory", "cpu", "processes", "disk"}, func(m *jsontree.Node, p string) {
		switch m.Key {
		case "memory":
			l.Memory = c.size(m, p)
		case "cpu":
			if l.CPU = c.duration(m, p); l.CPU > 0 && l.CPU < time.Second {
				c.Fault(m.Offset, p, "the limit of the processor's time is below a second", `write "1s"`)
			}
		case "processes":
			l.Processes = c.count(m, p)
		case "disk":
			l.Disk = c.size(m, p)
		}
	})
	return l
}

// count returns a whole number of 1 or more.
func (c *check) count(n *jsontree.Node, pointer string) int {
	i, err := strconv.ParseInt(n.Text, 10, 32)
	if n.Kind != jsontree.Number || err != nil || i < 1 {
		s := shown(n)
		if n.Kind == jsontree.Number {
			s = text.Shorten(n.Text, quoteMax)
		}
		c.Fault(n.Offset, pointer, s+" is not a whole number from 1 to "+strconv.Itoa(math.MaxInt32), "")
		return 0
	}
	return int(i)
}

// MarshalJSON returns the limits as a manifest has them.
func (l Limits) MarshalJSON() ([]byte, error) {
	var doc struct {
		Memory    string `json:"memory,omitempty"`
		CPU       string `json:"cpu,omitempty"`
		Processes int    `json:"processes,omitempty"`
		Disk      string `json:"disk,omitempty"`
	}
	if l.Memory > 0 {
		doc.Memory = strconv.FormatInt(l.Memory, 10)
	}
	if l.Disk > 0 {
		doc.Disk = strconv.FormatInt(l.Disk, 10)
	}
	if l.CPU > 0 {
		doc.CPU = l.CPU.String()
	}
	doc.Processes = l.Processes
	return json.Marshal(doc)
}
