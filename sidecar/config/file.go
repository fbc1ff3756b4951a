package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	txt "github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// maxFile bounds the configuration file. It holds one flat object.
const maxFile = 1 << 20

// entry is one key of the file, as text for the setting of that name.
type entry struct {
	text     string
	list     []string // a command
	position string   // file:line:column of the value
}

// file is a configuration file that was read. A nil file has no entries.
type file struct{ entries map[string]entry }

func (f *file) lookup(name string) (entry, bool) {
	if f == nil {
		return entry{}, false
	}
	e, found := f.entries[name]
	return e, found
}

// readFile reads the whole file and returns its valid entries, and every fault.
func readFile(path string, table []Setting) (*file, Faults) {
	in, err := os.Open(path)
	if err != nil {
		return nil, Faults{err}
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return nil, Faults{err}
	}
	if len(data) > maxFile {
		return nil, Faults{fmt.Errorf("%s: is larger than %s; is it the right file?", path, txt.FormatSize(maxFile))}
	}
	return parseFile(path, data, table)
}

// reader makes entries from the members of a file's object.
type reader struct {
	path   string
	data   []byte
	table  []Setting
	file   file
	faults Faults
}

// parseFile decodes strictly: it allows no unknown keys, no duplicate keys, and
// nothing after the object.
func parseFile(path string, data []byte, table []Setting) (*file, Faults) {
	r := &reader{path: path, data: data, table: table, file: file{entries: map[string]entry{}}}
	if len(bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))) == 0 {
		return nil, Faults{r.fault(0, "", "the file is empty; write at least {}")}
	}
	root, faults := jsontree.ParseFile(path, data)
	for _, f := range faults {
		r.faults = append(r.faults, errors.New(f.String()))
	}
	switch {
	case len(faults) > 0:
		return nil, r.faults
	case root.Kind != jsontree.Object:
		return nil, Faults{r.fault(root.Offset, "", "the file must hold one JSON object, such as {\"port\": 8999}")}
	}
	for i := range root.Children {
		r.member(&root.Children[i])
	}
	return &r.file, r.faults
}

// member reads one key with its value.
func (r *reader) member(m *jsontree.Node) {
	if err := r.checkKey(m.Key, m.KeyOffset); err != nil {
		r.faults = append(r.faults, err)
		return
	}
	e := entry{position: r.position(m.Offset)}
	var err error
	if m.Key == commandKey {
		e.list, err = parseArgv(string(r.data[m.Offset:m.End]))
	} else {
		setting, _ := lookup(r.table, m.Key)
		e.text, err = asText(m, setting.List)
	}
	if err != nil {
		r.faults = append(r.faults, r.fault(m.Offset, m.Key, err.Error()))
		return
	}
	r.file.entries[m.Key] = e
}

func (r *reader) checkKey(key string, at int) error {
	names := []string{commandKey}
	for _, s := range r.table {
		if s.InFile() {
			names = append(names, s.Name)
		}
		if s.Name == key && s.InFile() || key == commandKey {
			return nil
		}
	}
	if now := replacement(key, asKey); now != nil {
		return r.fault(at, key, now.Error())
	}
	if near := jsontree.Nearest(strings.ReplaceAll(key, "_", "-"), names); near != "" {
		return r.fault(at, key, "is not a setting; did you mean "+near+"?")
	}
	return r.fault(at, key, "is not a setting of the file; see sidecar help settings for their names")
}

// asText returns a JSON value spelled as a flag would have it.
func asText(n *jsontree.Node, list bool) (string, error) {
	switch {
	case n.Kind == jsontree.Array && list:
		all := make([]string, len(n.Children))
		for i := range n.Children {
			if n.Children[i].Kind != jsontree.String {
				return "", errors.New("must be a list of strings")
			}
			all[i] = n.Children[i].Text
		}
		return strings.Join(all, ","), nil
	case n.Kind == jsontree.Array, n.Kind == jsontree.Object:
		return "", errors.New("must be one value, not a list or an object")
	case n.Kind == jsontree.Null:
		return "", errors.New("is null; leave the key out for the default")
	}
	return n.Text, nil
}

func (r *reader) fault(at int, key, message string) error {
	return &Fault{Setting: key, Origin: Origin{FromFile, r.position(at)}, Err: errors.New(message)}
}

// position returns line and column in the form that editors jump to: from 1, in
// characters.
func (r *reader) position(at int) string {
	line, column := jsontree.Position(string(r.data), at)
	return fmt.Sprintf("%s:%d:%d", r.path, line, column)
}
