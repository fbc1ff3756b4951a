package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/rpc"
)

// abilities are what initialize says of an agent.
type abilities struct {
	load, resume           bool
	image, audio, embedded bool
	logins                 []login
}

// login is a way to log in that an agent offers.
type login struct {
	id, name, description string
	variables             []string // of the environment
}

const (
	// maxName is how much of a name of the agent's is shown or kept, in bytes; maxNames is how many of
	// one kind, such as ways to log in.
	maxName  = 200
	maxNames = 32
	// patience is how long an agent that first writes something else has for its answer: a
	// warning may stand before it.
	patience = 5 * time.Second
)

// authRequired is ACP's code for an agent that has to be logged in first.
const authRequired = -32000

// errNoACP is the beginning of the error for a program that speaks something else.
var errNoACP = errors.New("the command is no ACP agent: give the command that starts its ACP mode, such as a flag or subcommand named acp, or choose another --mode")

// Start implements peer.Peer: it agrees on the protocol.
func (a *connection) Start(ctx context.Context) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	answered := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		a.watchFirst(answered, end)
	}()
	var raw json.RawMessage
	err := a.conn.Call(ctx, sdk.AgentMethodInitialize, a.introduction(), &raw)
	close(answered)
	<-watched
	head := a.first.end()
	if err != nil {
		return refused(lost(err), head)
	}
	return a.agree(object(raw))
}

// watchFirst ends a handshake with a process that has written something else first, after a while.
func (a *connection) watchFirst(answered <-chan struct{}, end context.CancelCauseFunc) {
	select {
	case <-a.first.strange:
	case <-answered:
		return
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-late.C:
		end(errNoACP)
	case <-answered:
	}
}

// introduction is what we say of ourselves.
func (a *connection) introduction() sdk.InitializeRequest {
	return sdk.InitializeRequest{
		ProtocolVersion: sdk.ProtocolVersionNumber,
		ClientCapabilities: sdk.ClientCapabilities{
			Fs:       sdk.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true},
			Terminal: true,
			Meta:     failures(),
		},
		ClientInfo: &sdk.Implementation{Name: "sidecar", Version: cmp.Or(a.process.Version, "dev")},
	}
}

// refused says why there was no handshake. head is what the process wrote first.
func refused(err error, head string) error {
	wrote := ""
	if head != "" {
		wrote = fmt.Sprintf(" (it first wrote %s)", text.Quote(head, maxFirst))
	}
	var fault *rpc.Error
	switch {
	case errors.As(err, &fault):
		return fmt.Errorf("%w: it answers initialize with the error %s", errNoACP, text.Quote(fault.Error(), maxReason))
	case errors.Is(err, errNoACP):
		return fmt.Errorf("%w%s", errNoACP, wrote)
	default:
		return fmt.Errorf("the agent has not answered initialize%s: %w", wrote, err)
	}
}

// agree reads the answer to initialize.
func (a *connection) agree(f fields) error {
	version, ok := f.count("protocolVersion")
	if !ok {
		return fmt.Errorf("%w: its answer to initialize has no protocolVersion", errNoACP)
	}
	if version != sdk.ProtocolVersionNumber {
		return fmt.Errorf("the agent speaks version %d of ACP; this sidecar speaks version %d: use a release of the agent that speaks it",
			version, sdk.ProtocolVersionNumber)
	}
	can := f.object("agentCapabilities")
	prompts, sessions, info := can.object("promptCapabilities"), can.object("sessionCapabilities"), f.object("agentInfo")
	a.mu.Lock()
	defer a.mu.Unlock()
	a.agent = abilities{
		load: can.flag("loadSession"), resume: sessions.has("resume"),
		image: prompts.flag("image"), audio: prompts.flag("audio"), embedded: prompts.flag("embeddedContext"),
		logins: logins(f.list("authMethods")),
	}
	a.about = peer.About{
		Name: text.Line(info.text("title", "name"), maxName), Version: text.Line(info.text("version"), maxName),
		Protocol: fmt.Sprintf("acp %d", version), Resumes: a.agent.load || a.agent.resume,
	}
	return nil
}

func logins(all []json.RawMessage) (found []login) {
	for _, v := range all[:min(len(all), maxNames)] {
		f := object(v)
		l := login{
			id: text.Line(f.text("id"), maxName), name: text.Line(f.text("name"), maxName),
			description: text.Line(f.text("description"), maxName),
		}
		for _, v := range f.list("vars") {
			if name := object(v).text("name"); name != "" && len(l.variables) < maxNames {
				l.variables = append(l.variables, text.Line(name, maxName))
			}
		}
		found = append(found, l)
	}
	return found
}

// String names a way to log in.
func (l login) String() string {
	s := cmp.Or(l.name, l.id)
	if l.description != "" && l.description != l.name {
		s += ": " + l.description
	}
	if len(l.variables) > 0 {
		s += " (set " + strings.Join(l.variables, " and ") + ")"
	}
	return s
}

// needsLogin returns the error for an agent that has to be logged in first.
func (a *connection) needsLogin(why string) error {
	a.mu.Lock()
	ways := a.agent.logins
	a.mu.Unlock()
	var offers string // in one line, as logs and clients show it
	for i, l := range ways {
		if i == 0 {
			offers = ". It offers: "
		} else {
			offers += "; "
		}
		offers += l.String()
	}
	return fmt.Errorf("the agent asks for a login (%s): log in with the agent's own command, as the user that the sidecar runs as, or give it its key by a variable of the environment; then start again%s",
		text.Quote(why, maxReason), offers)
}
