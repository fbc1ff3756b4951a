package spec

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
)

// doorFile is how a hook finds the channel. The environment would do for most
// agents, but some can be told to keep every variable with TOKEN in its name
// from its hooks.
const doorFile = "channel.json"

// maxDoor is more than any door needs.
const maxDoor = 16 << 10

// door is what the file says.
type door struct {
	Socket string `json:"socket"`
	Token  string `json:"token"`
}

// ErrNoChannel: there is nothing that a hook could report to.
var ErrNoChannel = errors.New("there is no channel, or no folder for files")

// Command writes the door and returns the command that an agent is to run as its
// hook, as arguments.
func (l *Launch) Command() ([]string, error) {
	if l.Self == "" || l.Dir == "" || l.Socket == "" || l.Token == "" {
		return nil, ErrNoChannel
	}
	data, err := json.Marshal(door{l.Socket, l.Token})
	if err != nil {
		return nil, err
	}
	if err := l.Write(doorFile, data); err != nil {
		return nil, err
	}
	return []string{l.Self, "emit", "hook", "--channel", l.Path(doorFile), l.agent}, nil
}

// OpenDoor reads the file that `emit hook` is given.
func OpenDoor(path string) (socket, token string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	var d door
	if err := json.NewDecoder(io.LimitReader(f, maxDoor)).Decode(&d); err != nil {
		return "", "", err
	}
	return d.Socket, d.Token, nil
}

// ShellLine writes arguments as a line of sh that never fails: neither a binary that
// is gone nor one that was killed is the agent's business.
func ShellLine(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ") + " 2>/dev/null || :"
}
