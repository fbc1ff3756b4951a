package schema

import (
	"crypto/sha256"
	"maps"
	"sync"
)

// Known remembers by their text which schemas compiled, so that an edit of one tool
// among thousands compiles one schema. Many goroutines may use it at once; a nil one
// remembers nothing.
type Known struct {
	mu        sync.Mutex
	last, now map[[sha256.Size]byte]struct{}
}

// good reports whether a schema of this text has compiled before; if so, it keeps that
// for the next time.
func (k *Known) good(id [sha256.Size]byte) bool {
	if k == nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	_, ok := k.last[id]
	if ok {
		k.now[id] = struct{}{}
		return true
	}
	_, ok = k.now[id]
	return ok
}

// add remembers a schema that compiled.
func (k *Known) add(id [sha256.Size]byte) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.now[id] = struct{}{}
}

// EndFile is called after the last schema of a file. After a good file, schemas that
// it does not contain are forgotten. After a bad file nothing is forgotten, because it
// may be half of the next file.
func (k *Known) EndFile(good bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if good || len(k.last) > knownMax {
		k.last = k.now
	} else {
		maps.Copy(k.last, k.now)
	}
	k.now = map[[sha256.Size]byte]struct{}{}
}

// knownMax bounds how many schemas a series of bad files can leave behind.
const knownMax = 100_000

// NewKnown returns a Known that remembers nothing yet.
func NewKnown() *Known {
	return &Known{last: map[[sha256.Size]byte]struct{}{}, now: map[[sha256.Size]byte]struct{}{}}
}
