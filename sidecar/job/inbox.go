package job

import (
	"errors"
	"mime"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// errNoFiles: the message has a part that must become a file.
var errNoFiles = errors.New("the message has a file, and there is no runtime directory to put it in")

// Receive makes a file from part i, which must be a raw part, and returns its path.
func (d *Folder) Receive(p a2a.Part, i int) (string, error) {
	if d == nil {
		return "", errNoFiles
	}
	if err := d.mkdir(inbox); err != nil {
		return "", err
	}
	name := d.unused(fileName(p, i))
	if err := d.Write(path.Join(inbox, name), p.Raw); err != nil {
		return "", err
	}
	return d.path(path.Join(inbox, name)), nil
}

// unused returns a name that no other file in the inbox has.
func (d *Folder) unused(name string) string {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := 2; d.used[name]; n++ {
		name = stem + "-" + strconv.Itoa(n) + ext
	}
	d.used[name] = true
	return name
}

// maxName is the longest file name, in bytes.
const maxName = 100

// fileName returns a safe name for a part's file: the last element of the name that
// it came with, with only letters, digits and ._-, not hidden and not like a flag.
func fileName(p a2a.Part, i int) string {
	name := path.Base(strings.ReplaceAll(p.Filename, `\`, "/"))
	name = strings.Map(func(c rune) rune {
		if c == utf8.RuneError || !(unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("._-", c)) {
			return '_'
		}
		return c
	}, name)
	name = strings.TrimLeft(name, ".-")
	if strings.Trim(name, "_.") == "" {
		return "part-" + strconv.Itoa(i+1) + extension(p.MediaType)
	}
	return shorten(name)
}

// shorten cuts a name that is too long at a rune boundary, and keeps its extension.
func shorten(name string) string {
	if len(name) <= maxName {
		return name
	}
	ext := path.Ext(name)
	if len(ext) > 16 {
		ext = ""
	}
	return text.Cut(name, maxName-len(ext)) + ext
}

// extension returns the usual extension for a media type, "" for none.
func extension(mediaType string) string {
	if mediaType == "" {
		return ""
	}
	all, err := mime.ExtensionsByType(mediaType)
	if err != nil || len(all) == 0 {
		return ""
	}
	return all[0]
}
