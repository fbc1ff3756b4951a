package changes

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// Options is what a Journal is made of.
type Options struct {
	// Dir is where it is kept over restarts: a directory that nobody else uses, outside of what tools and agents may write, and of
	// one Journal at a time. It is made if it does not exist. "": in memory.
	Dir string
	// Total is the most bytes that all records may have together, more than 0.
	Total int64
	// File is the most bytes of one file that are kept.
	File int64
	// Log is told of records that cannot be read or removed. nil: nobody.
	Log *slog.Logger
}

// Journal keeps changes. Its methods may be called from many goroutines. A nil Journal keeps nothing.
type Journal struct {
	o     Options
	shelf shelf

	mu   sync.Mutex
	all  []*Record      // in the order of their numbers; a Record in here does not change
	last uint64         // the last number that was given
	used int64          // bytes of all
	held map[uint64]int // how many hold a record, by its number
}

// leastCost is what a record counts as at least, in bytes: a file takes a block, and its entry memory.
const leastCost = 4 << 10

// maxNames is more than a record takes without contents, in bytes: its path and the names of its tasks.
const maxNames = 1 << 20

// Open opens a journal. Records that are damaged are removed.
func Open(o Options) (*Journal, error) {
	if o.Total <= 0 {
		return nil, fmt.Errorf("changes: a total of %d bytes keeps nothing", o.Total)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	j := &Journal{o: o, held: map[uint64]int{}}
	if o.Dir == "" {
		j.shelf = &memory{all: map[uint64][]byte{}}
		return j, nil
	}
	shelf, found, err := openDisk(o.Dir, o.Total+leastCost+maxNames, o.Log)
	if err != nil {
		return nil, fmt.Errorf("the journal of changes: %w", err)
	}
	j.shelf = shelf
	for _, seq := range found {
		j.load(seq)
	}
	j.prune()
	return j, nil
}

// load takes a record in that an earlier process has written.
func (j *Journal) load(seq uint64) {
	data, err := j.shelf.get(seq)
	if err == nil {
		var r *Record
		if r, _, _, err = decode(data); err == nil && r.Seq == seq {
			j.last, r.cost = seq, max(leastCost, int64(len(data)))
			j.all = append(j.all, r)
			j.used += r.cost
			return
		}
	}
	j.o.Log.Warn("a record of changes is lost", "file", name(seq), "error", err)
	j.drop(seq)
}

// drop removes records from the shelf.
func (j *Journal) drop(all ...uint64) {
	for _, seq := range all {
		if err := j.shelf.remove(seq); err != nil {
			j.o.Log.Warn("a record of changes cannot be removed", "file", name(seq), "error", err)
		}
	}
}

// Close releases the directory. Nothing may be recorded or read any more.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	return j.shelf.close()
}

// Limit returns the most bytes of one file that are kept.
func (j *Journal) Limit() int64 { return min(j.o.File, j.o.Total) }

// Kept says where the changes are kept: "disk", "memory", or "nowhere" for a nil Journal.
func (j *Journal) Kept() string {
	switch {
	case j == nil:
		return "nowhere"
	case j.o.Dir == "":
		return "memory"
	}
	return "disk"
}

// File is one file before and after a change.
type File struct {
	Path          string // absolute
	Before, After tool.FileState
	// Old and New are the contents, and NoOld and NoNew say why one is not there, in words.
	Old, New     []byte
	NoOld, NoNew string
}

// Record keeps a change, and returns its number when it is kept.
func (j *Journal) Record(by By, f *File) (seq uint64, err error) {
	r := &Record{By: by, Path: f.Path, Before: Side{FileState: f.Before, Unkept: f.NoOld}, After: Side{FileState: f.After, Unkept: f.NoNew}}
	return j.put(r, f.Old, f.New)
}

// Ran keeps that a task has run a command, whose changes are not known. It is kept once for the outermost task.
func (j *Journal) Ran(by By) error {
	if j == nil || j.ran(by.Owner, by.outermost()) {
		return nil
	}
	_, err := j.put(&Record{By: by}, nil, nil)
	return err
}

// ran reports whether a task of an owner is known to have run commands.
func (j *Journal) ran(owner, task string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.ContainsFunc(j.all, func(r *Record) bool { return r.Path == "" && r.Owner == owner && r.of(task) })
}

// put gives a record its number and keeps it. If the oldest have to go for that, they go afterwards.
func (j *Journal) put(r *Record, before, after []byte) (uint64, error) {
	r.Time = time.Now().UTC()
	j.mu.Lock()
	j.last++
	r.Seq = j.last
	for _, old := range j.all {
		if old.Path == r.Path && old.Owner == r.Owner && old.outermost() == r.outermost() {
			r.Earlier = old.Seq
		}
	}
	j.mu.Unlock()
	data, err := r.encode(before, after)
	if err == nil && int64(len(data)) > j.o.Total {
		data, err = j.without(r)
	}
	if err != nil {
		return 0, err
	}
	if err := j.shelf.put(r.Seq, data); err != nil {
		return 0, err
	}
	r.cost = max(leastCost, int64(len(data)))
	j.mu.Lock()
	at, _ := slices.BinarySearchFunc(j.all, r.Seq, func(r *Record, seq uint64) int { return cmp.Compare(r.Seq, seq) })
	j.all = slices.Insert(j.all, at, r)
	j.used += r.cost
	j.mu.Unlock()
	j.prune()
	return r.Seq, nil
}

// without makes a record without its contents: they are more than all records may be.
func (j *Journal) without(r *Record) ([]byte, error) {
	why := fmt.Sprintf("both contents together are more than --changes-total, %d bytes", j.o.Total)
	for _, side := range []*Side{&r.Before, &r.After} {
		if side.has() {
			side.Unkept = why
		}
	}
	return r.encode(nil, nil)
}

// prune forgets the oldest records while there are too many. The last one stays, and so does one that is held, with those after it, up to twice
// the total: an undo records no more than what it takes back.
func (j *Journal) prune() {
	var gone []uint64
	j.mu.Lock()
	for len(j.all) > 1 && j.used > j.o.Total && (j.held[j.all[0].Seq] == 0 || j.used > 2*j.o.Total) {
		gone = append(gone, j.all[0].Seq)
		j.used -= j.all[0].cost
		j.all = j.all[1:]
	}
	j.mu.Unlock()
	j.drop(gone...)
}

// Forget removes a record: the change was not made.
func (j *Journal) Forget(seq uint64) {
	j.mu.Lock()
	j.all = slices.DeleteFunc(slices.Clone(j.all), func(r *Record) bool {
		if r.Seq == seq {
			j.used -= r.cost
		}
		return r.Seq == seq
	})
	j.mu.Unlock()
	j.drop(seq)
}

// records returns those that want wants, the oldest first.
func (j *Journal) records(want func(*Record) bool) (all []*Record) {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range j.all {
		if want(r) {
			all = append(all, r)
		}
	}
	return all
}

// content returns what a record has of its file.
func (j *Journal) content(seq uint64) (before, after []byte, err error) {
	data, err := j.shelf.get(seq)
	if err != nil {
		return nil, nil, err
	}
	_, before, after, err = decode(data)
	return before, after, err
}
