package call

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
)

// secrets finds the redactor of each tool: what the operator's rules take out, and the
// secrets that the tool itself is given. Its methods may be called from many goroutines.
type secrets struct {
	rules  func() *output.Redactor // nil: there are no rules
	env    []string
	server func(server string) []output.Value // what an MCP server is given; nil: nothing

	mu   sync.Mutex
	base *output.Redactor        // with which made was made
	made map[string]madeRedactor // by the names of the variables
}

// madeRedactor is a redactor, or why it could not be made.
type madeRedactor struct {
	redactor *output.Redactor
	err      error
}

// of returns the redactor of a tool, nil if nothing is taken out. The error says which of the
// tool's secrets cannot be taken out together with the others: such a tool must not be run.
func (s *secrets) of(t *manifest.Tool) (*output.Redactor, error) {
	var base *output.Redactor
	if s.rules != nil {
		base = s.rules()
	}
	names, given := secretVariables(t), s.given(t)
	if len(names)+len(given) == 0 {
		return base, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made == nil || s.base != base {
		s.base, s.made = base, map[string]madeRedactor{}
	}
	key := strings.Join(names, "\n")
	for _, v := range given {
		key += "\n" + v.Name + "=" + v.Secret // another one when the file of servers changes
	}
	made, ok := s.made[key]
	if !ok {
		made.redactor, made.err = base.With(append(given, s.values(names)...)...)
		s.made[key] = made
	}
	return made.redactor, made.err
}

// given returns the secrets that the MCP server of a tool is given and that can be taken out.
func (s *secrets) given(t *manifest.Tool) []output.Value {
	if s.server == nil || t.Bridge.MCP == nil {
		return nil
	}
	return slices.DeleteFunc(s.server(t.Bridge.MCP.Server), func(v output.Value) bool { return !removable(v.Secret) })
}

// values returns the values of variables that can be taken out.
func (s *secrets) values(names []string) (all []output.Value) {
	for _, entry := range s.env {
		name, value, _ := strings.Cut(entry, "=")
		if value = strings.TrimSpace(value); slices.Contains(names, name) && removable(value) {
			all = append(all, output.Value{Name: name, Secret: value})
		}
	}
	return all
}

// removable reports whether a secret can be taken out. A short one stands in many words by chance.
func removable(secret string) bool {
	return len(secret) >= output.LeastValue && len(secret) <= output.LongestValue
}

// secretVariables returns the variables that a tool is given and whose values are
// secrets: those in the headers of its requests, and those of its program whose names
// say so.
func secretVariables(t *manifest.Tool) (names []string) {
	switch {
	case t.Handler != nil:
	case t.Bridge.HTTP != nil:
		names = slices.Clone(t.Bridge.HTTP.Variables())
	case t.Bridge.Exec != nil:
		names = slices.DeleteFunc(slices.Clone(t.Bridge.Exec.Env), func(name string) bool { return !NamesSecret(name) })
	}
	slices.Sort(names)
	return names
}

// NamesSecret reports whether a variable's name says that its value is a secret.
func NamesSecret(name string) bool {
	name = strings.ToUpper(name)
	for _, word := range [...]string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "APIKEY"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return name == "KEY" || strings.HasSuffix(name, "_KEY") || strings.HasSuffix(name, "_PAT")
}

// cleanJSON takes the secrets out of JSON. If that leaves no JSON, the text becomes a
// string.
func cleanJSON(r *output.Redactor, data json.RawMessage) (json.RawMessage, bool) {
	clean, found := r.Bytes(data)
	if found && !json.Valid(clean) {
		return quote(string(clean)), true
	}
	return clean, found
}

// cleanParts returns parts without secrets: texts, data, files that are text, addresses,
// names and metadata. What is in other files stays as it is.
func cleanParts(r *output.Redactor, parts []a2a.Part) (clean []a2a.Part, found bool) {
	if r == nil {
		return parts, false
	}
	clean = slices.Clone(parts)
	for i := range clean {
		part, had := &clean[i], false
		switch {
		case part.Kind == a2a.PartText:
			part.Text, had = r.Text(part.Text)
		case part.Kind == a2a.PartData:
			part.Data, had = cleanJSON(r, part.Data)
		case part.Kind == a2a.PartRaw && text.IsText(part.Raw):
			part.Raw, had = r.Bytes(part.Raw)
		}
		found = cleanTexts(r, &part.URL, &part.Filename, &part.MediaType) || found || had
		part.Metadata, had = cleanMetadata(r, part.Metadata)
		found = found || had
	}
	return clean, found
}

// cleanTexts takes the secrets out of short texts, and reports whether there were any.
func cleanTexts(r *output.Redactor, texts ...*string) (found bool) {
	for _, s := range texts {
		if *s != "" {
			var had bool
			*s, had = r.Text(*s)
			found = found || had
		}
	}
	return found
}

// cleanMetadata returns metadata without secrets.
func cleanMetadata(r *output.Redactor, m a2a.Metadata) (clean a2a.Metadata, found bool) {
	if r == nil || len(m) == 0 {
		return m, false
	}
	clean = make(a2a.Metadata, len(m))
	for key, value := range m {
		var had bool
		clean[key], had = cleanJSON(r, value)
		found = found || had
	}
	return clean, found
}

// cleanStderr takes the secrets out of what is kept of stderr, before any part of it is
// shown.
func (e *execution) cleanStderr(inv *Invocation) {
	if inv.secrets == nil {
		return
	}
	e.stderr.Edit(func(kept []byte) []byte {
		clean, found := inv.secrets.Bytes(kept)
		e.redacted = e.redacted || found
		return clean
	})
}

// clean takes the secrets out of everything in a result but the output, which came
// without them.
func (r *result) clean(secrets *output.Redactor) {
	if secrets == nil {
		return
	}
	note := func(found bool) { r.redacted = r.redacted || found }
	var found bool
	r.text, found = secrets.Text(r.text)
	note(found)
	r.parts, found = cleanParts(secrets, r.parts)
	note(found)
	r.metadata, found = cleanMetadata(secrets, r.metadata)
	note(found)
	for i := range r.artifacts {
		if a := &r.artifacts[i].Artifact; a.ID != binaryID {
			a.Parts, found = cleanParts(secrets, a.Parts)
			note(found)
			note(cleanTexts(secrets, &a.ID, &a.Name, &a.Description))
			a.Metadata, found = cleanMetadata(secrets, a.Metadata)
			note(found)
		}
	}
}
