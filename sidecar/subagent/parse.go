package subagent

import (
	"cmp"
	"encoding/hex"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// The bounds of a file of agents.
const (
	MaxAgents      = 50
	maxName        = 64
	maxDescription = 300 // characters of a description that the model sees
	quoteMax       = 80
)

// Options say how a file is read. The zero value is valid.
type Options struct {
	// NoProcess says why there cannot be one more process of the wrapped command; "": there can be, or it is not known.
	NoProcess string
}

// Parse returns a reader of files of agents, {"agents": {NAME: {…}}}. Its argument file is for messages, and the directory from which the paths in
// it begin. The error is jsontree.Faults: all faults at once.
func Parse(o Options) func(file string, data []byte) (*Agents, error) {
	return func(file string, data []byte) (*Agents, error) {
		root, faults := jsontree.ParseFile(file, data)
		if root.Kind == 0 {
			return nil, faults
		}
		r := &reader{o: o, dir: filepath.Dir(file)}
		r.file(&root)
		if faults = append(faults, jsontree.Locate(file, text.Shared(data), r.Faults)...); len(faults) > 0 {
			return nil, faults
		}
		slices.SortFunc(r.agents, func(a, b Agent) int { return cmp.Compare(a.Name, b.Name) })
		return &Agents{All: r.agents}, nil
	}
}

// IsFile reports whether a document looks like a file of agents: an object with the key "agents".
func IsFile(data []byte) bool {
	root, _ := jsontree.ParseFile("", data)
	return root.Kind == jsontree.Object && root.Get("agents") != nil
}

// reader reads one file.
type reader struct {
	jsontree.Decoder
	o      Options
	dir    string
	agents []Agent
}

func (r *reader) file(root *jsontree.Node) {
	r.Members(root, "", []string{"agents"}, func(m *jsontree.Node, p string) {
		switch {
		case m.Kind != jsontree.Object:
			r.Wrong(m, p, `an object, as in {"reviewer":{"url":"https://agent.example"}}`)
		case len(m.Children) > MaxAgents:
			r.Fault(m.Offset, p, "there are "+strconv.Itoa(len(m.Children))+" agents, and a model is shown "+strconv.Itoa(MaxAgents)+" at most", "remove some")
		default:
			for i := range m.Children {
				r.agent(&m.Children[i], jsontree.Child(p, m.Children[i].Key))
			}
		}
	})
	if root.Kind == jsontree.Object && root.Get("agents") == nil {
		r.Fault(root.Offset, "", `"agents" is missing`, `write {"agents":{…}}, with an entry for each agent`)
	}
}

// agent reads one entry.
func (r *reader) agent(n *jsontree.Node, pointer string) {
	a := Agent{Name: string([]byte(n.Key))} // it outlives the tree
	if !name(a.Name) {
		r.Fault(n.KeyOffset, pointer, text.Quote(a.Name, quoteMax)+" is no name of an agent", "a name has 1 to 64 letters, digits, - and _")
	}
	r.Subject = a.Name
	defer func() { r.Subject = "" }()
	r.Members(n, pointer, []string{"url", "tokenFile", "card", "description", "process"}, func(m *jsontree.Node, p string) {
		switch m.Key {
		case "url":
			a.URL = r.url(m, p)
		case "tokenFile":
			a.TokenFile = r.path(m, p)
		case "card":
			a.CardSHA256 = r.card(m, p)
		case "description":
			s, _ := r.Text(m, p)
			a.Description = text.Line(s, maxDescription)
		case "process":
			if a.Process = m.Kind == jsontree.Bool && m.Text == "true"; !a.Process {
				r.Wrong(m, p, "true")
			}
		}
	})
	if n.Kind == jsontree.Object {
		r.kind(&a, n, pointer)
	}
	r.agents = append(r.agents, a)
}

// kind checks that the entry is either an address or a process.
func (r *reader) kind(a *Agent, n *jsontree.Node, pointer string) {
	if n.Get("process") == nil {
		if n.Get("url") == nil {
			r.Fault(n.Offset, pointer, `"url" is missing`, `add "url", the agent's address, or "process": true for one more process of the wrapped command`)
		}
		return
	}
	for _, key := range []string{"url", "tokenFile", "card"} {
		if m := n.Get(key); m != nil {
			r.Fault(m.KeyOffset, jsontree.Child(pointer, key), strconv.Quote(key)+" means nothing for a process", "remove it, or process")
		}
	}
	if a.Process && r.o.NoProcess != "" {
		r.Fault(n.Get("process").KeyOffset, jsontree.Child(pointer, "process"), "there cannot be one more process: "+r.o.NoProcess, "change that, or remove the agent")
	}
}

// name reports whether s can be the name of an agent.
func name(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '-' && c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && len(s) <= maxName
}

func (r *reader) url(n *jsontree.Node, pointer string) string {
	s, ok := r.Text(n, pointer)
	if !ok {
		return ""
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		r.Fault(n.Offset, pointer, "url must be an address of http or https", `as in "https://agent.example.com"`)
	case u.User != nil:
		r.Fault(n.Offset, pointer, "url has a user name in it", `put the token into a file, and name it with "tokenFile"`)
	case u.RawQuery != "" || u.Fragment != "":
		r.Fault(n.Offset, pointer, "url has more than a path", "remove what begins with ? or #")
	}
	return s
}

func (r *reader) path(n *jsontree.Node, pointer string) string {
	s, ok := r.Text(n, pointer)
	switch {
	case !ok:
		return ""
	case s == "":
		r.Fault(n.Offset, pointer, "tokenFile names no file", "name one, or leave it out")
		return ""
	case filepath.IsAbs(s):
		return s
	}
	abs, err := filepath.Abs(filepath.Join(r.dir, s))
	if err != nil {
		r.Fault(n.Offset, pointer, "the path cannot be made absolute: "+err.Error(), "write an absolute path")
	}
	return abs
}

// card reads how a card is pinned.
func (r *reader) card(n *jsontree.Node, pointer string) (digest string) {
	r.Members(n, pointer, []string{"sha256"}, func(m *jsontree.Node, p string) {
		digest, _ = r.Text(m, p)
		if b, err := hex.DecodeString(digest); m.Kind == jsontree.String && (err != nil || len(b) != 32) {
			r.Fault(m.Offset, p, "sha256 must be 64 hexadecimal digits", "the digest of what the agent answers: curl -s URL/.well-known/agent-card.json | sha256sum")
		}
	})
	if n.Kind == jsontree.Object && n.Get("sha256") == nil {
		r.Fault(n.Offset, pointer, `"sha256" is missing`, "add it, or leave card out")
	}
	return digest
}
