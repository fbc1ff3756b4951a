package search

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/a2a-sidecar/sidecar/manifest"
)

// Docs returns what is indexed of tools, in their order.
func Docs(tools []*manifest.Tool) []Doc {
	docs := make([]Doc, len(tools))
	for i, t := range tools {
		docs[i] = Doc{Name: t.Name, Description: t.Description, Arguments: arguments(t.InputSchema)}
		if t.External != nil {
			docs[i].Native = t.External.Name
		}
	}
	return docs
}

// arguments returns the names of a schema's properties, in order.
func arguments(schema json.RawMessage) []string {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// maxCached is how many lists a Cache keeps the index of.
const maxCached = 8

// Cache keeps the indexes of the lists that were searched last. The zero value is ready for
// use, and many goroutines may use it at once.
type Cache struct {
	mu    sync.Mutex
	lists []*cached // the one that was used last is the last
}

type cached struct {
	list  *manifest.Snapshot
	index func() *Index
}

// Index returns the index of a list, which is built when it is first asked for: other callers
// that want the same one wait for it, and those of other lists do not.
func (c *Cache) Index(list *manifest.Snapshot) *Index { return c.find(list).index() }

func (c *Cache) find(list *manifest.Snapshot) *cached {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.lists, func(e *cached) bool { return e.list == list })
	var e *cached
	switch {
	case at >= 0:
		e = c.lists[at]
		c.lists = slices.Delete(c.lists, at, at+1)
	default:
		e = &cached{list: list, index: sync.OnceValue(func() *Index { return New(Docs(list.Tools())) })}
		if len(c.lists) == maxCached {
			c.lists = slices.Delete(c.lists, 0, 1)
		}
	}
	c.lists = append(c.lists, e)
	return e
}
