package manifest

import (
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
)

// Parse checks a whole manifest. file is used only in messages; data is not kept and
// must not change until Parse returns. The error is Faults, in the order of the file;
// the snapshot is then nil. The warnings, which do not stop the manifest from being
// used, are returned in both cases. The tools of Options.Registry come first.
func Parse(file string, data []byte, opts Options) (*Snapshot, jsontree.Faults, error) {
	return parse(file, data, opts, loading{})
}

// loading is what a Source adds to Parse.
type loading struct {
	stop  <-chan struct{} // when closed, parse ends early with whatever it has found
	known *schema.Known   // nil for none
}

func parse(file string, data []byte, opts Options, with loading) (*Snapshot, jsontree.Faults, error) {
	// Nothing that is kept shares memory with src, so the bytes are not copied.
	p := parser{src: text.Shared(data), opts: opts, loading: with, programs: &programs{ask: opts.Program}}
	p.reserved = opts.reserved()
	p.read()
	entries := opts.Registry.entries(p.reserved, &p.faults)
	entries = p.join(entries)
	warnings := jsontree.Locate(file, p.src, p.warnings)
	if len(p.faults) > 0 {
		return nil, warnings, jsontree.Locate(file, p.src, p.faults)
	}
	return newSnapshot(entries), warnings, nil
}

// parser reads one file. A tool's tree lives only until the tool is checked.
type parser struct {
	loading
	src      string
	opts     Options
	reserved []string
	programs *programs
	results  []*result
	faults   jsontree.Faults
	warnings jsontree.Faults
}

// result is what was found about one element.
type result struct {
	check
	entry
	nameOff int
}

// job is an element on its way to a checker.
type job struct {
	*result
	index int
	tree  jsontree.Node
}

// read scans the file and, at the same time, checks its tools and schemas on all
// cores. At most two trees per core are waiting.
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
	p.array(jobs)
	close(jobs)
	done.Wait()
}

// encoding checks what must hold before anything can be read.
func (p *parser) encoding() bool {
	refuse := func(off int, message, hint string) bool {
		p.faults = append(p.faults, jsontree.Fault{Offset: off, Message: message, Hint: hint})
		return false
	}
	switch {
	case len(p.src) > maxFile:
		return refuse(0, "the file is larger than "+strconv.Itoa(maxFile>>20)+" MiB", "")
	case strings.HasPrefix(p.src, "\xff\xfe"), strings.HasPrefix(p.src, "\xfe\xff"):
		return refuse(0, "the file is UTF-16", "save it as UTF-8")
	case strings.HasPrefix(p.src, "\ufeff"):
		refuse(0, "the file begins with a byte order mark", "save it as UTF-8 without BOM")
	}
	if strings.Trim(strings.TrimPrefix(p.src, "\ufeff"), " \t\r\n") == "" {
		return refuse(len(p.src), "the file is empty", "write [] for no tools; it may be half written")
	}
	return true
}

// array reads the document and passes each element on.
func (p *parser) array(jobs chan<- job) {
	root, faults := jsontree.ParseArray(p.src, func(i int, n jsontree.Node) bool {
		select {
		case <-p.stop:
			p.faults = append(p.faults, jsontree.Fault{Offset: n.Offset, Pointer: jsontree.Item("", i), Message: "reading was stopped"})
			return false
		default:
		}
		j := job{result: &result{}, index: i, tree: n}
		p.results = append(p.results, j.result)
		jobs <- j
		return true
	})
	p.faults = append(p.faults, faults...)
	if root.Kind == jsontree.Array || root.Kind == 0 {
		return
	}
	hint := "put it in an array: [ … ]"
	if root.Get("tools") != nil {
		hint = `the manifest is the array alone, without {"tools": …} around it`
	}
	p.faults = append(p.faults, jsontree.Fault{Offset: root.Offset, Message: "the manifest must be an array, not " + root.Kind.String(), Hint: hint})
}

// check runs in a worker. It writes only the result of its own job.
func (p *parser) check(j job) {
	j.reserved, j.src, j.known, j.card, j.programs = p.reserved, p.src, p.known, p.opts.Card, p.programs
	t := j.definition(&j.tree, jsontree.Item("", j.index))
	if n := j.tree.Get(keyName); n != nil {
		j.nameOff = n.Offset
	}
	if len(j.Faults) == 0 {
		j.review(p.opts.Review, t, &j.tree, jsontree.Item("", j.index))
		t.Digest = digestOf(SourceManifest, p.src[j.tree.Offset:j.tree.End])
		j.entry = entry{tool: t, text: p.src, fields: wireFields(&j.tree)}
	}
}

// holder is the tool that has a name, as clients write it, and what is said of another one.
type holder struct{ name, twice, alike string }

// join appends the file's tools to the registry's, and finds names that are equal, to us or to
// clients.
func (p *parser) join(entries []entry) []entry {
	taken := make(map[string]holder, len(entries)+len(p.results))
	for _, e := range entries {
		taken[flatName(e.tool.Name)] = holder{e.tool.Name, "is registered in Go already", ", which is registered in Go"}
	}
	for i, r := range p.results {
		if name := r.Subject; name != "" {
			at := jsontree.Item("", i) + "/" + keyName
			switch h, ok := taken[flatName(name)]; {
			case !ok:
				taken[flatName(name)] = holder{name, "is here twice, first at " + jsontree.Item("", i), " at " + jsontree.Item("", i)}
			case h.name == name:
				r.Fault(r.nameOff, at, quote(name)+" "+h.twice, "rename or remove one of them")
			default:
				r.Fault(r.nameOff, at, quote(name)+" and "+quote(h.name)+h.alike+" are one name to MCP clients that write _ for every other character", "rename one of them")
			}
		}
		p.faults = append(p.faults, r.Faults...)
		p.warnings = append(p.warnings, r.Warnings...)
		entries = append(entries, r.entry)
	}
	return entries
}
