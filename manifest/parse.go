package manifest

import (
	"runtime"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
	"unsafe"
)

// Parse checks a whole manifest. file is used in messages only; data is not kept
// and must not change until Parse returns. The error is
// Faults, in the order of the file, and then the snapshot is nil; warnings come
// either way. An Options.Registry puts its tools first.
func Parse(file string, data []byte, opts Options) (*Snapshot, []Warning, error) {
	return parse(file, data, opts, loading{})
}

// loading is what a Source adds to Parse.
type loading struct {
	stop  <-chan struct{} // when closed, parse ends early with whatever it has found
	known *knownSchemas   // nil for none
}

func parse(file string, data []byte, opts Options, with loading) (*Snapshot, []Warning, error) {
	// Nothing that is kept shares memory with src, so the bytes need no copy.
	p := parser{src: unsafe.String(unsafe.SliceData(data), len(data)), opts: opts, loading: with, programs: &programs{ask: opts.Program}}
	p.read()
	entries := opts.Registry.entries(opts.Reserved, &p.faults)
	entries = p.join(entries)
	warnings := make([]Warning, 0, len(p.warnings))
	for _, f := range locate(file, p.src, p.warnings) {
		warnings = append(warnings, Warning(f))
	}
	if len(p.faults) > 0 {
		return nil, warnings, locate(file, p.src, p.faults)
	}
	return newSnapshot(entries), warnings, nil
}

// parser reads one file. A tool's tree lives only until the tool is checked.
type parser struct {
	loading
	src      string
	opts     Options
	programs *programs
	scanner  scanner
	results  []*result
	faults   []fault
	warnings []fault
}

// result is what was found out about one element.
type result struct {
	check
	entry
	nameOff int
}

// job is an element on its way to a checker.
type job struct {
	*result
	index int
	tree  node
}

// read scans the file and checks its tools, schemas on all cores, while it
// does. At most two trees a core are waiting.
func (p *parser) read() {
	if !p.encoding() {
		return
	}
	workers := runtime.GOMAXPROCS(0)
	jobs := make(chan job, 2*workers)
	var done sync.WaitGroup
	for range workers {
		done.Go(func() {
			for j := range jobs {
				p.check(j)
			}
		})
	}
	p.scanner.run(func() { p.array(jobs) })
	close(jobs)
	done.Wait()
	p.faults = append(p.faults, p.scanner.faults...)
}

// encoding checks what must hold before anything can be read.
func (p *parser) encoding() bool {
	p.scanner.src = p.src
	refuse := func(off int, message, hint string) bool {
		p.faults = append(p.faults, fault{off: off, message: message, hint: hint})
		return false
	}
	switch {
	case len(p.src) > maxFile:
		return refuse(0, "the file is larger than "+strconv.Itoa(maxFile>>20)+" MiB", "")
	case strings.HasPrefix(p.src, "\xff\xfe"), strings.HasPrefix(p.src, "\xfe\xff"):
		return refuse(0, "the file is UTF-16", "save it as UTF-8")
	case strings.HasPrefix(p.src, byteOrderMark):
		refuse(0, "the file begins with a byte order mark", "save it as UTF-8 without BOM")
		p.scanner.pos = len(byteOrderMark)
	}
	if !utf8.ValidString(p.src) {
		return refuse(invalidAt(p.src), "a byte that is not UTF-8", "save the file as UTF-8")
	}
	if p.scanner.peek() == 0 && p.scanner.pos == len(p.src) {
		return refuse(p.scanner.pos, "the file is empty", "write [] for no tools; it may be half written")
	}
	return true
}

// invalidAt returns the place of the first byte that is not UTF-8.
func invalidAt(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return i
			}
		}
	}
	return len(s)
}

// array reads the document and hands each element on.
func (p *parser) array(jobs chan<- job) {
	s := &p.scanner
	if s.peek() != '[' {
		n := s.value()
		hint := "put it in an array: [ … ]"
		if n.get("tools") != nil {
			hint = `the manifest is the array alone, without {"tools": …} around it`
		}
		s.fail(n.off, "the manifest must be an array, not "+n.kind.String(), hint)
	}
	s.depth++
	s.elements(func(i int) {
		select {
		case <-p.stop:
			s.fail(s.pos, "reading was stopped", "")
		default:
		}
		j := job{result: &result{}, index: i, tree: s.value()}
		p.results = append(p.results, j.result)
		jobs <- j
	})
	s.finish()
}

// check runs in a worker. Only the job's own result is written.
func (p *parser) check(j job) {
	j.reserved, j.src, j.known, j.card, j.programs = p.opts.Reserved, p.src, p.known, p.opts.Card, p.programs
	t := j.definition(&j.tree, item("", j.index))
	if n := j.tree.get(keyName); n != nil {
		j.nameOff = n.off
	}
	if len(j.faults) == 0 {
		j.entry = entry{tool: t, text: p.src, fields: wireFields(&j.tree)}
	}
}

// join appends the file's tools to the registry's, and finds the names that are
// taken.
func (p *parser) join(entries []entry) []entry {
	taken := make(map[string]string, len(entries)+len(p.results))
	for _, e := range entries {
		taken[e.tool.Name] = "is registered in Go already"
	}
	for i, r := range p.results {
		if name := r.check.tool; name != "" {
			if where, ok := taken[name]; ok {
				r.fault(r.nameOff, item("", i)+"/"+keyName, quote(name)+" "+where, "rename or remove one of them")
			} else {
				taken[name] = "is here twice, first at " + item("", i)
			}
		}
		p.faults = append(p.faults, r.faults...)
		p.warnings = append(p.warnings, r.warnings...)
		entries = append(entries, r.entry)
	}
	return entries
}
