package spec

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// doorFile is the file in which a hook, or our MCP server, finds the channel. The environment would do for
// most agents, but some can be told to hide every variable with TOKEN in its name from
// their hooks.
const doorFile = "channel.json"

// maxDoor is a size that no door exceeds, in bytes.
const maxDoor = 16 << 10

// door is the content of the file.
type door struct {
	Socket string `json:"socket"`
	Token  string `json:"token"`
}

// ErrNoChannel means that there is nothing that a hook could report to, and nothing that
// could give tools.
var ErrNoChannel = errors.New("there is no channel, or no folder for files")

// Command writes the door and returns the command, as arguments, that an agent runs as
// its hook.
func (l *Launch) Command() ([]string, error) {
	door, err := l.door()
	if err != nil {
		return nil, err
	}
	return []string{l.Self, "emit", "hook", "--channel", door, l.agent}, nil
}

// door writes the door and returns its path.
func (l *Launch) door() (string, error) {
	if l.Self == "" || l.Dir == "" || l.Socket == "" || l.Token == "" {
		return "", ErrNoChannel
	}
	data, err := json.Marshal(door{l.Socket, l.Token})
	if err != nil {
		return "", err
	}
	return l.Path(doorFile), l.Write(doorFile, data)
}

// OpenDoor reads the file that `emit hook` and `mcp` get.
func OpenDoor(path string) (socket, token string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	var d door
	if err := json.NewDecoder(io.LimitReader(f, maxDoor)).Decode(&d); err != nil || d.Socket == "" || d.Token == "" {
		return "", "", fmt.Errorf("%s does not say where a channel is: it is not the file that a sidecar writes for its agent", path)
	}
	return d.Socket, d.Token, nil
}

// ShellLine writes arguments as a line of sh that never fails: a binary that is gone,
// or one that was killed, is no concern of the agent.
func ShellLine(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ") + " 2>/dev/null || :"
}
