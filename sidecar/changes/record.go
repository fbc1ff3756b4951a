package changes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// By is who has changed something.
type By struct {
	// Tasks are the call's task and those that it is a part of, from the inside out: there is at least one.
	Tasks   []string `json:"tasks"`
	Context string   `json:"contextId"`
	Owner   string   `json:"owner"` // the caller, "" if anonymous
	Tool    string   `json:"tool"`  // the canonical name
	Call    string   `json:"call"`
}

// outermost returns the task that all of the work is a part of.
func (b *By) outermost() string { return b.Tasks[len(b.Tasks)-1] }

// Side is what was at a path before or after a change.
type Side struct {
	tool.FileState
	// Unkept says why the content is not kept, in words; "": it is, or there was nothing.
	Unkept string `json:"unkept,omitempty"`
	Kept   int64  `json:"kept,omitempty"` // bytes of the content in the record
}

// Record is one change of one file, or, without a path, that a task has run commands.
type Record struct {
	Seq  uint64    `json:"seq"`
	Time time.Time `json:"time"`
	By
	Path   string `json:"path,omitempty"` // absolute
	Before Side   `json:"before"`
	After  Side   `json:"after"`
	// Earlier is the record of the same path and outermost task that came before, 0 for none.
	Earlier uint64 `json:"earlier,omitempty"`

	cost int64 // bytes that it counts as
}

// of reports whether the change is a part of a task's work.
func (r *Record) of(task string) bool { return slices.Contains(r.Tasks, task) }

// encode returns the record as it is kept: a line of JSON, the content before, the content after.
func (r *Record) encode(before, after []byte) ([]byte, error) {
	r.Before.Kept, r.After.Kept = int64(len(before)), int64(len(after))
	line, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return slices.Concat(line, []byte("\n"), before, after), nil
}

// errDamaged is the error of a record that is not as it was written.
var errDamaged = errors.New("the record is damaged")

// decode reads what encode has made.
func decode(data []byte) (r *Record, before, after []byte, err error) {
	line, content, found := bytes.Cut(data, []byte("\n"))
	r = new(Record)
	if err := json.Unmarshal(line, r); err != nil {
		return nil, nil, nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	b, a := r.Before.Kept, r.After.Kept
	if b < 0 || a < 0 || !found || b > int64(len(content)) || int64(len(content))-b != a || len(r.Tasks) == 0 {
		return nil, nil, nil, errDamaged
	}
	before, after = content[:b], content[b:]
	for side, content := range map[*Side][]byte{&r.Before: before, &r.After: after} {
		if side.has() && tool.Hash(content) != side.SHA256 {
			return nil, nil, nil, errDamaged
		}
	}
	return r, before, after, nil
}

// has reports whether the content is known.
func (s *Side) has() bool { return !s.Absent && s.Unkept == "" && s.SHA256 != "" }
