package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	txt "github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
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

// readFile reads the whole file and returns what is good of it with everything
// that is wrong.
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

// reader walks over the top-level object of a file.
type reader struct {
	path   string
	data   []byte
	table  []Setting
	dec    *json.Decoder
	file   file
	faults Faults
}

// parseFile decodes strictly: no unknown keys, none twice, nothing after the
// object.
func parseFile(path string, data []byte, table []Setting) (*file, Faults) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	r := &reader{path: path, data: data, table: table, dec: json.NewDecoder(bytes.NewReader(data)), file: file{entries: map[string]entry{}}}
	if faults := r.checkSyntax(); len(faults) > 0 {
		return nil, faults
	}
	if t, _ := r.dec.Token(); t != json.Delim('{') {
		return nil, Faults{r.fault(0, "", "the file must hold one JSON object, such as {\"port\": 8999}")}
	}
	for r.dec.More() {
		r.member()
	}
	return &r.file, r.faults
}

// checkSyntax makes sure that the walk meets no error on its way.
func (r *reader) checkSyntax() Faults {
	if len(bytes.TrimSpace(r.data)) == 0 {
		return Faults{r.fault(0, "", "the file is empty; write at least {}")}
	}
	if !utf8.Valid(r.data) {
		return Faults{r.fault(0, "", "the file is not UTF-8")}
	}
	if json.Valid(r.data) {
		return nil
	}
	var all Faults
	var found manifest.Faults
	if errors.As(manifest.CheckJSON(r.path, r.data), &found) {
		for _, f := range found {
			all = append(all, errors.New(f.String()))
		}
	}
	if len(all) == 0 {
		all = Faults{r.fault(0, "", "the file is not JSON")}
	}
	return all
}

// member reads one key with its value.
func (r *reader) member() {
	keyAt := r.next()
	t, _ := r.dec.Token() // the syntax is known to be good
	key, _ := t.(string)
	valueAt := r.next()
	var raw json.RawMessage
	if err := r.dec.Decode(&raw); err != nil {
		r.faults = append(r.faults, r.fault(valueAt, key, err.Error()))
		return
	}
	if err := r.checkKey(key, keyAt); err != nil {
		r.faults = append(r.faults, err)
		return
	}
	e := entry{position: r.position(valueAt)}
	var err error
	if key == commandKey {
		e.list, err = parseArgv(string(raw))
	} else {
		setting, _ := lookup(r.table, key)
		e.text, err = asText(raw, setting.List)
	}
	if err != nil {
		r.faults = append(r.faults, r.fault(valueAt, key, err.Error()))
		return
	}
	r.file.entries[key] = e
}

func (r *reader) checkKey(key string, at int) error {
	if _, twice := r.file.entries[key]; twice {
		return r.fault(at, key, "stands there twice; keep one")
	}
	names := []string{commandKey}
	for _, s := range r.table {
		if s.InFile() {
			names = append(names, s.Name)
		}
		if s.Name == key && s.InFile() || key == commandKey {
			return nil
		}
	}
	if near := Nearest(strings.ReplaceAll(key, "_", "-"), names); near != "" {
		return r.fault(at, key, "is not a setting; did you mean "+near+"?")
	}
	return r.fault(at, key, "is not a setting of the file; see sidecar run --help for their names")
}

// asText gives a JSON value the spelling that a flag would have.
func asText(raw json.RawMessage, list bool) (string, error) {
	switch c := raw[0]; {
	case c == '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	case c == '[' && list:
		var all []string
		if err := json.Unmarshal(raw, &all); err != nil {
			return "", errors.New("must be a list of strings")
		}
		return strings.Join(all, ","), nil
	case c == '[' || c == '{':
		return "", errors.New("must be one value, not a list or an object")
	case c == 'n':
		return "", errors.New("is null; leave the key out for the default")
	}
	return string(raw), nil // a number, true, false
}

// next returns the offset of the next token.
func (r *reader) next() int {
	at := int(r.dec.InputOffset())
	for at < len(r.data) && strings.IndexByte(" \t\r\n,:", r.data[at]) >= 0 {
		at++
	}
	return at
}

func (r *reader) fault(at int, key, message string) error {
	return &Fault{Setting: key, Origin: Origin{FromFile, r.position(at)}, Err: errors.New(message)}
}

// position is what editors jump to: line and column from 1, in characters.
func (r *reader) position(at int) string {
	before := r.data[:min(max(at, 0), len(r.data))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("%s:%d:%d", r.path, line, column)
}
