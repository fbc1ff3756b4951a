package tool

import (
	"crypto/sha256"
	"io/fs"
	"slices"
	"time"
)

// maxSeen is how many files of a session are remembered as they were read. The one that was seen first
// is forgotten first: then it counts as never read.
const maxSeen = 1000

// seen is a file as the session knows it.
type seen struct {
	size    int64
	changed time.Time
	hash    [sha256.Size]byte
	whole   bool // hash is that of all of it
}

// seenFiles are the files that a session knows, the one that was seen first in front.
type seenFiles struct {
	order  []string
	byPath map[string]seen
}

// sawFile remembers a file as it is now. hash is that of its content, nil if not all of it is known.
func (s *Session) sawFile(path string, now fs.FileInfo, hash []byte) {
	one := seen{size: now.Size(), changed: now.ModTime(), whole: hash != nil}
	copy(one.hash[:], hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &s.seen
	if f.byPath == nil {
		f.byPath = map[string]seen{}
	}
	if _, ok := f.byPath[path]; ok {
		f.order = slices.DeleteFunc(f.order, func(p string) bool { return p == path })
	} else if len(f.order) >= maxSeen {
		delete(f.byPath, f.order[0])
		f.order = slices.Delete(f.order, 0, 1)
	}
	f.order = append(f.order, path)
	f.byPath[path] = one
}

// isAsSeen reports whether a file is as the session knows it, and true for one that it does not know. content
// is what the file has now, nil if that is not known.
func (s *Session) isAsSeen(path string, now fs.FileInfo, content []byte) bool {
	s.mu.Lock()
	was, ok := s.seen.byPath[path]
	s.mu.Unlock()
	switch {
	case !ok:
		return true
	case was.size == now.Size() && was.changed.Equal(now.ModTime()):
		return true
	}
	return was.whole && content != nil && sha256.Sum256(content) == was.hash
}
