package stream

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/linefile"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

const (
	// conversationsFile is the name of the file in the state directory that holds the conversations: one JSON
	// object on each line, of which the last one for a context counts.
	conversationsFile = "conversations"
	// maxConversations is how many conversations are remembered. The oldest one is forgotten: its
	// context goes on with a new one.
	maxConversations = 10_000
	// maxConversationID is how long an agent's id of a conversation may be, in bytes. One with a longer id is
	// not remembered.
	maxConversationID = 4 << 10
)

// Files returns the names of all files that there may be in a state directory.
func Files() []string { return []string{conversationsFile} }

// Conversations remember which conversation of an agent belongs to which context, and to which caller. With a
// state directory they do so over restarts. The methods may be called from many goroutines.
type Conversations struct {
	agent string

	writing sync.Mutex     // held while lines are written: one at a time
	file    *linefile.File // nil: in memory only
	lines   int            // how many lines the file has

	mu    sync.Mutex
	known map[string]*conversation // by their contexts
	order []*conversation          // the oldest first; one that was replaced has no context
	gone  int                      // how many of order were replaced
}

// conversation is a line of the file.
type conversation struct {
	Agent   string `json:"agent"`
	Caller  string `json:"caller,omitempty"`
	Context string `json:"context"`
	ID      string `json:"conversation"` // "" if the agent has none any more
}

// OpenConversations reads what is remembered in a state directory; with "" it is in memory only. agent says
// which agent speaks: its command and its mode. Another agent's conversations are not resumed, but kept
// until the agent begins one in the same context.
func OpenConversations(dir, agent string) (*Conversations, error) {
	c := &Conversations{agent: agent, known: map[string]*conversation{}}
	if dir == "" {
		return c, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the agent's conversations: %w", err)
	}
	var err error
	c.file, err = linefile.Open(filepath.Join(dir, conversationsFile), c.read)
	if err != nil {
		return nil, fmt.Errorf("the agent's conversations: %w", err)
	}
	if err = linefile.SyncDir(dir); err == nil && c.lines > len(c.known) {
		err = c.compact()
	}
	if err != nil {
		return nil, fmt.Errorf("the agent's conversations: %w", errors.Join(err, c.file.Close()))
	}
	return c, nil
}

// read takes a line of the file. One that was cut off says nothing.
func (c *Conversations) read(line string) {
	c.lines++
	var one conversation
	if json.Unmarshal([]byte(line), &one) == nil && one.Context != "" {
		c.put(&one)
	}
}

// put remembers a conversation as the newest one. mu is held, or nobody else knows c.
func (c *Conversations) put(one *conversation) {
	c.drop(c.known[one.Context])
	c.known[one.Context] = one
	c.order = append(c.order, one)
	for ; len(c.known) > maxConversations; c.order = c.order[1:] {
		c.drop(c.order[0])
		c.gone--
	}
	if c.gone > maxConversations {
		c.order = slices.DeleteFunc(c.order, func(o *conversation) bool { return o.Context == "" })
		c.gone = 0
	}
}

// drop forgets a conversation.
func (c *Conversations) drop(one *conversation) {
	if one != nil && one.Context != "" {
		delete(c.known, one.Context)
		*one = conversation{}
		c.gone++
	}
}

// Admits returns an error if a caller may not have the context's conversation: only the caller that began
// it may. The error's text is that for a context of another caller's tasks.
func (c *Conversations) Admits(caller, contextID string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one := c.known[contextID]; one != nil && one.Caller != caller {
		return a2a.ErrInvalidParams.With("contextId is not available: leave it out, or send another")
	}
	return nil
}

// ID returns the agent's own name of a caller's conversation, "" for none.
func (c *Conversations) ID(caller, contextID string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one := c.known[contextID]; one != nil && one.Agent == c.agent && one.Caller == caller {
		return one.ID
	}
	return ""
}

// Forget says that the agent has a caller's conversation no more. The context stays the caller's. The error
// is that of the disk: after it the conversation is known again at the next start.
func (c *Conversations) Forget(caller, contextID string) error {
	if c.ID(caller, contextID) == "" {
		return nil
	}
	return c.keep(caller, contextID, "")
}

// errLongID says why a conversation is not remembered.
var errLongID = errors.New("the agent's id of the conversation is too long, or has characters that cannot be shown")

// keep remembers a conversation. It is on disk when keep returns; after an error it is known only until the
// next start, if at all.
func (c *Conversations) keep(caller, contextID, id string) error {
	if len(id) > maxConversationID || id != "" && !text.Visible(id) {
		return errLongID
	}
	one := &conversation{Agent: c.agent, Caller: caller, Context: contextID, ID: id}
	line, err := text.JSON(one)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.put(one)
	c.mu.Unlock()
	if c.file == nil {
		return nil
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	c.lines++
	if c.lines > 2*maxConversations {
		return c.compact() // with this one
	}
	return c.file.Add(strings.TrimSpace(string(line)))
}

// compact writes the file anew, with what is remembered only. writing is held, or nobody else knows c.
func (c *Conversations) compact() error {
	var lines []string
	c.mu.Lock()
	for _, one := range c.order {
		if one.Context == "" {
			continue
		}
		if line, err := text.JSON(one); err == nil { // always
			lines = append(lines, string(line))
		}
	}
	c.mu.Unlock()
	c.lines = len(lines)
	return c.file.Rewrite(lines)
}

// Close closes the file.
func (c *Conversations) Close() error {
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}
