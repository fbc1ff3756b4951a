package lockfile

import (
	"fmt"
	"maps"
	"slices"
)

// Difference is one thing in which what servers offer differs from a Lock.
type Difference struct {
	// Server is the server's slug, and Tool a tool's native name, "" for the server as a whole.
	Server, Tool string
	// Kind is one of the Kind constants.
	Kind string
}

// The kinds of differences.
const (
	KindNew     = "new"     // it is not in the Lock
	KindGone    = "gone"    // it is in the Lock only
	KindChanged = "changed" // its definition is another one
	KindVersion = "version" // the server calls itself otherwise, and may offer the same
)

// String returns the difference as a line.
func (d Difference) String() string {
	what := d.Server
	if d.Tool != "" {
		what = fmt.Sprintf("%s: %q", d.Server, d.Tool)
	}
	return d.Kind + " " + what
}

// Compare returns what differs now from what was seen before, by server and tool. A nil before has
// seen nothing.
func Compare(before, now *Lock) (all []Difference) {
	if before == nil {
		before = &Lock{}
	}
	for _, slug := range union(before.Servers, now.Servers) {
		was, had := before.Servers[slug]
		is, has := now.Servers[slug]
		switch {
		case !had:
			all = append(all, Difference{Server: slug, Kind: KindNew})
		case !has:
			all = append(all, Difference{Server: slug, Kind: KindGone})
		default:
			all = append(all, compareServer(slug, was, is)...)
		}
	}
	return all
}

func compareServer(slug string, was, is Server) (all []Difference) {
	if was.Name != is.Name || was.Version != is.Version {
		all = append(all, Difference{Server: slug, Kind: KindVersion})
	}
	for _, tool := range union(was.Tools, is.Tools) {
		before, had := was.Tools[tool]
		now, has := is.Tools[tool]
		switch {
		case !had:
			all = append(all, Difference{slug, tool, KindNew})
		case !has:
			all = append(all, Difference{slug, tool, KindGone})
		case before != now:
			all = append(all, Difference{slug, tool, KindChanged})
		}
	}
	return all
}

// union returns the keys of two maps, sorted.
func union[V any](a, b map[string]V) []string {
	keys := map[string]bool{}
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	return slices.Sorted(maps.Keys(keys))
}
