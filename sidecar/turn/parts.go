package turn

import (
	"maps"
	"mime"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// empty reports whether parts say nothing: none, or only white space.
func empty(parts []a2a.Part) bool {
	for _, p := range parts {
		switch p.Kind {
		case a2a.PartText:
			if strings.TrimSpace(p.Text) != "" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// heard is the message as the agent gets it: with what the request itself says,
// under and behind what the message says.
func heard(m *a2a.Message, q Request) *a2a.Message {
	c := *m
	if len(q.Metadata) > 0 {
		c.Metadata = maps.Clone(q.Metadata)
		maps.Copy(c.Metadata, m.Metadata)
	}
	for _, uri := range q.Extensions {
		if !slices.Contains(c.Extensions, uri) {
			c.Extensions = append(slices.Clip(c.Extensions), uri)
		}
	}
	return &c
}

// render makes the text that the agent gets, and the files of raw parts.
func (d *folder) render(parts []a2a.Part) (string, error) {
	return driver.Render(parts, d.receive)
}

// receive makes the file of a raw part and returns its path.
func (d *folder) receive(p a2a.Part, i int) (string, error) {
	if d == nil {
		return "", errNoFiles
	}
	if err := d.mkdir(inbox); err != nil {
		return "", err
	}
	name := d.unused(fileName(p, i))
	if err := d.write(path.Join(inbox, name), p.Raw); err != nil {
		return "", err
	}
	return d.path(path.Join(inbox, name)), nil
}

// unused makes a name unlike the others in the inbox.
func (d *folder) unused(name string) string {
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

// fileName is a safe name for a part's file: the last element of the name it
// came with, of letters, digits and ._- only, not hidden and not like a flag.
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

// shorten cuts a name that is too long, at a rune, and keeps its extension.
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

// extension is the usual one for a media type, "" for none.
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
