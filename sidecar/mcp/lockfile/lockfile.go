package lockfile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// Name is the file's name beside that of the servers.
const Name = "mcp.lock.json"

// MaxFile is the largest size of a file in bytes.
const MaxFile = 64 << 20

// version is that of the file's format.
const version = 1

// Lock is the content of a file. It must not be changed after it was read.
type Lock struct {
	// Servers has each server by its slug.
	Servers map[string]Server
}

// Server is what was seen of one server.
type Server struct {
	// Name and Version are what the server called itself, "" if it said nothing.
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	// Tools has the hash of each definition, by the tool's native name.
	Tools map[string]string `json:"tools"`
}

// Digest returns a digest of what was seen of a server, "" if nothing was. A nil Lock has seen
// nothing.
func (l *Lock) Digest(slug string) string {
	s, ok := l.Server(slug)
	if !ok {
		return ""
	}
	doc, _ := json.Marshal(s) // strings always have a JSON form
	sum := sha256.Sum256(doc)
	return hex.EncodeToString(sum[:])
}

// Server returns what was seen of a server. A nil Lock has seen nothing.
func (l *Lock) Server(slug string) (Server, bool) {
	if l == nil {
		return Server{}, false
	}
	s, ok := l.Servers[slug]
	return s, ok
}

// Read reads a file. The error is fs.ErrNotExist if there is none, jsontree.Faults if it is bad, or
// says why it cannot be read.
func Read(path string) (*Lock, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > MaxFile:
		return nil, fmt.Errorf("%s has more than %d MiB", path, MaxFile>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse reads the content of a file. file is used in messages only. The error is jsontree.Faults.
func Parse(file string, data []byte) (*Lock, error) {
	root, faults := jsontree.ParseFile(file, data)
	if root.Kind == 0 {
		return nil, faults
	}
	r := &reader{lock: &Lock{Servers: map[string]Server{}}}
	r.Members(&root, "", []string{"version", "servers"}, func(m *jsontree.Node, p string) {
		if m.Key == "servers" {
			r.servers(m, p)
		} else if m.Kind != jsontree.Number || m.Text != strconv.Itoa(version) {
			r.Fault(m.Offset, p, "this format is not known here", again)
		}
	})
	if root.Kind == jsontree.Object && (root.Get("version") == nil || root.Get("servers") == nil) {
		r.Fault(root.Offset, "", `"version" and "servers" are both needed`, again)
	}
	if faults = append(faults, jsontree.Locate(file, text.Shared(data), r.Faults)...); len(faults) > 0 {
		return nil, faults
	}
	return r.lock, nil
}

// again is the fix for a file that nobody writes by hand.
const again = `write it again, by "sidecar mcp lock"`

type reader struct {
	jsontree.Decoder
	lock *Lock
}

func (r *reader) servers(n *jsontree.Node, pointer string) {
	if n.Kind != jsontree.Object {
		r.Wrong(n, pointer, "an object")
		return
	}
	for i := range n.Children {
		m := &n.Children[i]
		s := Server{Tools: map[string]string{}}
		r.Members(m, jsontree.Child(pointer, m.Key), []string{"name", "version", "tools"}, func(m *jsontree.Node, p string) {
			switch m.Key {
			case "name":
				s.Name, _ = r.Text(m, p)
			case "version":
				s.Version, _ = r.Text(m, p)
			case "tools":
				r.tools(&s, m, p)
			}
		})
		r.lock.Servers[strings.Clone(m.Key)] = s
	}
}

func (r *reader) tools(s *Server, n *jsontree.Node, pointer string) {
	if n.Kind != jsontree.Object {
		r.Wrong(n, pointer, "an object")
		return
	}
	for i := range n.Children {
		m := &n.Children[i]
		if hash, ok := r.Text(m, jsontree.Child(pointer, m.Key)); ok {
			s.Tools[strings.Clone(m.Key)] = hash
		}
	}
}

// Encode returns the content of the file.
func (l *Lock) Encode() ([]byte, error) {
	doc, err := json.MarshalIndent(struct {
		Version int               `json:"version"`
		Servers map[string]Server `json:"servers"`
	}{version, l.Servers}, "", "  ")
	return append(doc, '\n'), err
}

// Write writes a file, or replaces it.
func (l *Lock) Write(path string) (err error) {
	data, err := l.Encode()
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	mode := fs.FileMode(0o644) // it holds no secret, and belongs into the repository
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
