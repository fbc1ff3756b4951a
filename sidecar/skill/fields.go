package skill

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// The keys of the format.
const (
	keyName          = "name"
	keyDescription   = "description"
	keyLicense       = "license"
	keyCompatibility = "compatibility"
	keyMetadata      = "metadata"
	keyAllowedTools  = "allowed-tools"
)

// keys returns the keys of the format.
func keys() []string {
	return []string{keyName, keyDescription, keyLicense, keyCompatibility, keyMetadata, keyAllowedTools}
}

// fields reads the keys of the front matter.
func (p *parser) fields(root *yaml.Node) {
	seen := map[string]bool{}
	meant := map[string]string{} // from a key of the format to what was written for it
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode:
			p.at(key, "a key must be a word", "write it as key: value")
		case seen[key.Value]:
			p.at(key, text.Quote(key.Value, maxName)+" is here twice", "remove one of them")
		case !slices.Contains(keys(), key.Value):
			near := jsontree.Nearest(key.Value, keys())
			meant[near] = key.Value
			hint := "what is your own goes below metadata"
			if near != "" {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			p.warn(key, text.Quote(key.Value, maxName)+" is no key of a skill, and is not read", hint)
		default:
			p.field(key.Value, value)
		}
		seen[key.Value] = true
	}
	for _, key := range []string{keyName, keyDescription} {
		if !seen[key] {
			hint := map[string]string{keyName: "write name: " + p.folder, keyDescription: "write description: what it does, and when it is to be used"}[key]
			if written := meant[key]; written != "" {
				hint = fmt.Sprintf("did you mean it by %s?", text.Quote(written, maxName))
			}
			p.fault(1, 1, key+" is missing", hint)
		}
	}
}

// field reads one key of the format.
func (p *parser) field(key string, n *yaml.Node) {
	s := p.skill
	switch key {
	case keyName:
		if v, ok := p.text(key, n, maxName); ok && p.name(n, v) {
			s.Name = v
		}
	case keyDescription:
		v, _ := p.text(key, n, maxDescription)
		s.Description = strings.Join(strings.Fields(text.Strip(v)), " ")
	case keyLicense:
		s.License, _ = p.text(key, n, maxDescription)
	case keyCompatibility:
		s.Compatibility, _ = p.text(key, n, maxCompatibility)
	case keyMetadata:
		p.metadata(n)
	case keyAllowedTools:
		p.allowed(n)
	}
}

// text reads a value that is a text of at most so many characters.
func (p *parser) text(key string, n *yaml.Node, most int) (string, bool) {
	v := strings.TrimSpace(n.Value)
	switch {
	case n.Kind != yaml.ScalarNode:
		p.at(n, key+" must be a text, not "+kindOf(n), "write it in one value")
	case n.ShortTag() == "!!null", v == "":
		p.at(n, key+" is empty", "say what it is")
	case n.ShortTag() != "!!str":
		p.at(n, fmt.Sprintf("%s must be a text, not %s", key, text.Quote(v, maxName)), "put it into quotes")
	case utf8.RuneCountInString(v) > most:
		p.at(n, fmt.Sprintf("%s has %d characters, and may have %d", key, utf8.RuneCountInString(v), most), "shorten it")
	default:
		return v, true
	}
	return "", false
}

func kindOf(n *yaml.Node) string {
	if n.Kind == yaml.SequenceNode {
		return "a list"
	}
	return "keys and values"
}

// name checks a skill's name.
func (p *parser) name(n *yaml.Node, v string) bool {
	switch {
	case !isName(v):
		p.at(n, text.Quote(v, maxName)+" is no name of a skill", "use lower-case letters, digits and single hyphens between them, as in pdf-forms")
	case v != p.folder:
		p.at(n, fmt.Sprintf("the name is %q, and the folder's is %s", v, text.Quote(p.folder, maxName)), "make them equal")
	default:
		return true
	}
	return false
}

// isName reports whether s is ^[a-z0-9]+(-[a-z0-9]+)*$ of at most maxName bytes.
func isName(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	last := byte('-')
	for i := range len(s) {
		c := s[i]
		if c == '-' && last == '-' || c != '-' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
		last = c
	}
	return last != '-'
}

// metadata reads what an author has added.
func (p *parser) metadata(n *yaml.Node) {
	if n.ShortTag() == "!!null" {
		return
	}
	if n.Kind != yaml.MappingNode {
		p.at(n, "metadata must have keys and values", "write one a line below it, indented")
		return
	}
	p.skill.Metadata = map[string]string{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || value.Kind != yaml.ScalarNode {
			p.warn(key, "a value of metadata that is no text is not read", "write it as one text")
			continue
		}
		if _, twice := p.skill.Metadata[key.Value]; twice {
			p.at(key, text.Quote(key.Value, maxName)+" is twice in metadata", "remove one of them")
		}
		p.skill.Metadata[key.Value] = value.Value
	}
}

// allowed reads the tools that the skill means to use: words, or a list of them.
func (p *parser) allowed(n *yaml.Node) {
	switch {
	case n.ShortTag() == "!!null":
	case n.Kind == yaml.ScalarNode:
		p.skill.AllowedTools = strings.Fields(n.Value)
	case n.Kind == yaml.SequenceNode:
		for _, one := range n.Content {
			if one.Kind != yaml.ScalarNode {
				p.at(one, "a tool of allowed-tools must be a text", "write the tools in one line, with a space between them")
				return
			}
			p.skill.AllowedTools = append(p.skill.AllowedTools, one.Value)
		}
	default:
		p.at(n, "allowed-tools must be a text", "write the tools in one line, with a space between them")
	}
}
