package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Report is what Verify found.
type Report struct {
	// Files and Records say how much was read; First and Last are the numbers of the
	// first and last record.
	Files, Records int
	First, Last    uint64
	// Hash is that of the last record: kept elsewhere, it tells later that nothing before
	// it was changed.
	Hash string
	// Lost is how many records the audit itself says it could not write.
	Lost uint64
	// Notes are what is odd and not wrong.
	Notes []string
	// Fault is the first thing that is wrong, nil if nothing is.
	Fault *Fault
}

// Fault is something wrong with an audit.
type Fault struct {
	File string
	Line int    // 0: the fault is not one of a line
	Seq  uint64 // of the record, as far as it is known
	What string
}

// Error returns the fault in one line.
func (f *Fault) Error() string {
	at := f.File
	if f.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, f.Line)
	}
	if f.Seq > 0 {
		at = fmt.Sprintf("%s: record %d", at, f.Seq)
	}
	return at + ": " + f.What
}

// Verify reads an audit with all its old files and checks every record's hash, that each
// follows the one before it, and that the end is the one that the head file knows. It
// stops at the first fault. The error says that something cannot be read. A sidecar may
// write to the audit meanwhile.
func Verify(path string) (*Report, error) {
	v := &verifier{path: path}
	if err := v.readHead(); err != nil { // before the records, which may become more
		return nil, err
	}
	for l := range Lines(path) {
		if l.Number == 0 {
			return nil, l.Err
		}
		if v.line(&l); v.Fault != nil {
			return &v.Report, nil
		}
	}
	v.end()
	return &v.Report, nil
}

// verifier walks along one audit.
type verifier struct {
	Report
	path string
	file string
	last link
	head link
	// headless says that there is no head, passed that its record was seen.
	headless, passed bool
}

func (v *verifier) readHead() error {
	f, err := os.Open(v.path + headSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		v.headless = true
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if v.head, err = readLink(f); err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	v.headless = v.head.seq == 0
	return nil
}

// line checks one line.
func (v *verifier) line(l *Line) {
	if l.File != v.file {
		v.file = l.File
		v.Files++
	}
	switch {
	case l.Torn && l.File == v.path:
		v.Notes = append(v.Notes, fmt.Sprintf("%s:%d: the last line is not whole: it is being written, or a crash tore it; the next start cuts it off", l.File, l.Number))
		return
	case l.Torn:
		v.fault(l, v.last.seq+1, "the line has no end: the file was cut")
		return
	case l.Err != nil:
		v.fault(l, v.last.seq+1, l.Err.Error())
		return
	}
	r := &l.Record
	if what := v.misplaced(r); what != "" {
		v.fault(l, r.Seq, what)
		return
	}
	v.note(r)
}

// misplaced returns why a good record does not belong where it stands, "" if it does.
func (v *verifier) misplaced(r *Record) string {
	first := v.Records == 0
	switch {
	case first && r.Seq == 1 && r.Prev != "":
		return "the first record names one before it"
	case first && r.Seq > 1 && r.Prev == "":
		return fmt.Sprintf("it does not name record %d, which was before it", r.Seq-1)
	case first:
		return v.wrongHead(r)
	case r.Seq > v.last.seq+1:
		return missing(v.last.seq+1, r)
	case r.Seq <= v.last.seq:
		return fmt.Sprintf("it stands after record %d: records were moved or repeated", v.last.seq)
	case r.Prev != v.last.hash:
		return fmt.Sprintf("it does not follow the record %d that stands before it: one of them was exchanged", v.last.seq)
	}
	return v.wrongHead(r)
}

// missing says which records are not there.
func missing(from uint64, r *Record) string {
	what := fmt.Sprintf("records %d to %d are missing before it", from, r.Seq-1)
	if from == r.Seq-1 {
		what = fmt.Sprintf("record %d is missing before it", from)
	}
	if r.Opening != nil && r.Opening.MissingTo == r.Seq-1 {
		return what + ": when the sidecar was started they had been cut off, or were lost in a power failure"
	}
	return what
}

// wrongHead compares a record with what the head file says of it.
func (v *verifier) wrongHead(r *Record) string {
	if r.Seq == v.head.seq && r.Hash != v.head.hash {
		return "it is not the record that the head file knows by this number"
	}
	return ""
}

// note counts a good record.
func (v *verifier) note(r *Record) {
	if v.Records == 0 {
		v.First = r.Seq
		if r.Seq > 1 {
			v.Notes = append(v.Notes, fmt.Sprintf("the audit begins with record %d: older files were removed", r.Seq))
		}
	}
	v.Records++
	v.Last, v.Hash = r.Seq, r.Hash
	v.last = link{r.Seq, r.Hash}
	v.passed = v.passed || r.Seq == v.head.seq
	v.Lost += r.Lost
}

func (v *verifier) fault(l *Line, seq uint64, what string) {
	v.Fault = &Fault{File: l.File, Line: l.Number, Seq: seq, What: what}
}

// end checks what can only be told when everything was read.
func (v *verifier) end() {
	switch {
	case v.headless:
		v.Fault = &Fault{File: v.path + headSuffix, What: "the head file is not there or empty, so nobody can tell whether records were cut off at the end"}
	case v.head.seq > v.last.seq:
		v.Fault = &Fault{File: v.path, Seq: v.head.seq, What: fmt.Sprintf("the audit ends with record %d and the head file knows record %d: the end was cut off, or lost in a power failure", v.last.seq, v.head.seq)}
	case !v.passed:
		v.Fault = &Fault{File: v.path, Seq: v.head.seq, What: "the head file knows a record that is not there"}
	}
	if v.Lost > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("%d records could not be written when they were made; the audit says where", v.Lost))
	}
}
