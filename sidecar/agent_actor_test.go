package sidecar_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// How an actor is spoken to, and how it speaks.
const (
	actorDrive = "ACTOR_DRIVE" // oneshot, typed or connected
	actorVoice = "ACTOR_VOICE" // channel, emit, or result: by what it answers a delivery with
)

// actor is an agent that does what its message says, in any mode and by any
// voice. "end STATE" ends the turn, "parts STATE" with parts, "message" with a
// bare message; "ask" asks and ends with the answer; "artifacts" emits one of
// every kind, "tell" what it knows of the message, and "hold" goes on until it is
// stopped.
func actor() int {
	switch os.Getenv(actorDrive) {
	case "oneshot":
		text, err := io.ReadAll(os.Stdin)
		must(err)
		act(context.Background(), newVoice(nil), strings.TrimSpace(string(text)), fromFile)
	case "typed":
		actTyped()
	case "connected":
		actConnected()
	}
	return 0
}

// actTyped is the actor at a prompt. Ctrl-C ends what it does.
func actTyped() {
	v := newVoice(nil)
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, syscall.SIGINT)
	fmt.Print("ready> ")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); fmt.Print("ready> ") {
		ctx, stop := context.WithCancel(context.Background())
		go func() { // ends with the turn
			select {
			case <-interrupts:
				stop()
			case <-ctx.Done():
			}
		}()
		act(ctx, v, lines.Text(), fromFile)
		stop()
	}
}

// actConnected is the actor that takes messages over the channel.
func actConnected() {
	var c *channel.Client
	ready := make(chan struct{}) // a message may come before dial returns
	c, err := channel.Dial(context.Background(), os.Getenv("SIDECAR_SOCKET"), os.Getenv("SIDECAR_CHANNEL_TOKEN"), channel.Capabilities{
		Name: "actor",
		OnDeliver: func(ctx context.Context, d channel.Delivery) (channel.Delivered, error) {
			<-ready
			v := newVoice(c)
			act(ctx, v, d.Text, func() *a2a.Message {
				return &a2a.Message{
					ID: d.MessageID, TaskID: d.TaskID, ContextID: d.ContextID,
					Metadata: d.Metadata, Extensions: d.Extensions, ReferenceTaskIDs: d.ReferenceTaskIDs,
				}
			})
			if r, ok := v.(*resultVoice); ok {
				return r.Delivered, context.Cause(ctx)
			}
			return channel.Delivered{}, context.Cause(ctx)
		},
	})
	must(err)
	close(ready)
	select {}
}

// fromFile is the message as a process finds it.
func fromFile() *a2a.Message {
	raw, err := os.ReadFile(os.Getenv("SIDECAR_MESSAGE_FILE"))
	must(err)
	m, err := codec.DecodeMessage(raw)
	must(err)
	return m
}

// actorParts are what an actor ends a turn with in parts.
var actorParts = []a2a.Part{a2a.TextPart("in parts"), a2a.DataPart(json.RawMessage(`{"form":["name"]}`))}

func act(ctx context.Context, v voice, text string, message func() *a2a.Message) {
	verb, state, _ := strings.Cut(text, " ")
	switch verb {
	case "end":
		v.done(channel.Done{State: a2a.TaskState(state), Text: "because"})
	case "parts":
		v.done(channel.Done{State: a2a.TaskState(state), Parts: actorParts})
	case "message":
		v.done(channel.Done{Text: "just this", Message: true})
	case "ask":
		answer, err := v.ask(channel.Question{Text: "which?"})
		if err != nil { // it was withdrawn
			<-ctx.Done()
			return
		}
		v.done(channel.Done{State: a2a.StateRejected, Text: "not " + answer.Text})
	case "artifacts":
		v.artifact(a2a.ArtifactUpdate{Artifact: a2a.Artifact{ID: "t", Name: "text", Parts: []a2a.Part{{Kind: a2a.PartText, Text: "one", MediaType: "text/markdown"}}}})
		v.artifact(a2a.ArtifactUpdate{Append: true, Artifact: a2a.Artifact{ID: "t", Parts: []a2a.Part{{Kind: a2a.PartText, Text: " two", MediaType: "text/markdown"}}}})
		v.artifact(a2a.ArtifactUpdate{Append: true, LastChunk: true, Artifact: a2a.Artifact{ID: "t", Parts: []a2a.Part{{Kind: a2a.PartText, Text: " three", MediaType: "text/markdown"}}}})
		v.artifact(a2a.ArtifactUpdate{Artifact: a2a.Artifact{ID: "f", Name: "dot.png", Parts: []a2a.Part{{Kind: a2a.PartRaw, Raw: []byte("\x89PNG\x00"), Filename: "dot.png", MediaType: "image/png"}}}})
		v.artifact(a2a.ArtifactUpdate{LastChunk: true, Artifact: a2a.Artifact{ID: "u", Name: "link", Parts: []a2a.Part{{Kind: a2a.PartURL, URL: "https://example.com/r.pdf", MediaType: "application/pdf"}}}})
		v.artifact(a2a.ArtifactUpdate{Artifact: a2a.Artifact{ID: "d", Name: "data", Parts: []a2a.Part{a2a.DataPart(json.RawMessage(`{"n":[1,2]}`))}}})
		v.done(channel.Done{})
	case "dress":
		dress(ctx, v)
	case "tell":
		m := message()
		told, err := json.Marshal(map[string]any{
			"id": m.ID, "task": m.TaskID, "context": m.ContextID,
			"metadata": m.Metadata, "extensions": m.Extensions, "references": m.ReferenceTaskIDs,
		})
		must(err)
		v.artifact(a2a.ArtifactUpdate{Artifact: a2a.Artifact{ID: "told", Parts: []a2a.Part{a2a.DataPart(told)}}})
		v.done(channel.Done{})
	case "hold":
		v.status(channel.Status{Text: "holding"})
		<-ctx.Done()
	}
}

// dressURI is an extension that an actor's words use, and dressed is a part that
// says which.
const dressURI = "https://example.com/extensions/dress/v1"

func dressed(at string) a2a.Part {
	return a2a.Part{
		Kind: a2a.PartData, Data: json.RawMessage(`{"at":"` + at + `"}`), MediaType: "application/dress+json",
		Metadata: a2a.Metadata{"mimeType": json.RawMessage(`"application/dress+json"`)},
	}
}

func dressMetadata(at string) a2a.Metadata {
	return a2a.Metadata{dressURI: json.RawMessage(`{"at":"` + at + `"}`)}
}

// dress uses the extension in all that an agent may say, and answers with what
// it was answered.
func dress(ctx context.Context, v voice) {
	uses := []string{dressURI}
	v.status(channel.Status{Text: "dressing", Parts: []a2a.Part{dressed("status")}, Metadata: dressMetadata("status"), Extensions: uses})
	p := a2a.Part{Kind: a2a.PartText, Text: "trousers", MediaType: "text/plain", Filename: "wardrobe.txt", Metadata: dressMetadata("part")}
	v.artifact(a2a.ArtifactUpdate{LastChunk: true, Artifact: a2a.Artifact{
		ID: "wardrobe", Name: "Wardrobe", Description: "what there is", Parts: []a2a.Part{p}, Metadata: dressMetadata("artifact"), Extensions: uses,
	}})
	answer, err := v.ask(channel.Question{Text: "which?", Parts: []a2a.Part{dressed("question")}, Metadata: dressMetadata("question"), Extensions: uses})
	if err != nil {
		<-ctx.Done()
		return
	}
	v.done(channel.Done{Parts: answer.Parts, Metadata: answer.Metadata, Extensions: answer.Extensions})
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "actor:", err)
		os.Exit(97)
	}
}

// voice is a way for an agent to say something.
type voice interface {
	status(s channel.Status)
	artifact(u a2a.ArtifactUpdate)
	ask(q channel.Question) (channel.Answer, error)
	done(d channel.Done)
}

// newVoice is the voice that the environment asks for. A connected agent speaks
// over the connection that it has.
func newVoice(c *channel.Client) voice {
	switch os.Getenv(actorVoice) {
	case "emit":
		return emitVoice{}
	case "result":
		return &resultVoice{channelVoice: channelVoice{c}}
	}
	if c == nil {
		var err error
		c, err = channel.Dial(context.Background(), os.Getenv("SIDECAR_SOCKET"), os.Getenv("SIDECAR_CHANNEL_TOKEN"), channel.Capabilities{})
		must(err)
	}
	return channelVoice{c}
}

type channelVoice struct{ c *channel.Client }

func (v channelVoice) status(s channel.Status) { must(v.c.Status(context.Background(), s)) }

func (v channelVoice) artifact(u a2a.ArtifactUpdate) { must(v.c.Artifact(context.Background(), u)) }

func (v channelVoice) ask(q channel.Question) (channel.Answer, error) {
	return v.c.Ask(context.Background(), q)
}

func (v channelVoice) done(d channel.Done) { must(v.c.Done(context.Background(), d)) }

// resultVoice ends turns by the answer to message/deliver, which has no text.
type resultVoice struct {
	channelVoice
	channel.Delivered
}

func (v *resultVoice) done(d channel.Done) {
	v.Delivered = channel.Delivered{State: d.State, Parts: d.Parts, Metadata: d.Metadata, Extensions: d.Extensions}
	if d.Text != "" {
		v.Parts = []a2a.Part{a2a.TextPart(d.Text)}
	}
}

// emitVoice speaks through the command, as a shell script does.
type emitVoice struct{}

func (emitVoice) command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Getenv("SIDECAR"), args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a Ctrl-C is the agent's
	return cmd
}

func (v emitVoice) run(args ...string) {
	cmd := v.command(append([]string{"emit"}, args...)...)
	cmd.Stderr = os.Stderr
	must(cmd.Run())
}

// ask reads the whole answer.
func (v emitVoice) ask(q channel.Question) (a channel.Answer, err error) {
	args := append([]string{"ask", "--json", q.Text}, besides(q.Metadata, q.Extensions, q.Parts)...)
	out, err := v.command(args...).Output()
	if err != nil {
		return a, err
	}
	var whole struct {
		Answer     string
		Parts      json.RawMessage
		Metadata   a2a.Metadata
		Extensions []string
	}
	must(json.Unmarshal(out, &whole))
	m, err := codec.DecodeMessage([]byte(`{"parts":` + orNone(whole.Parts) + `}`))
	must(err)
	return channel.Answer{Text: whole.Answer, Parts: m.Parts, Metadata: whole.Metadata, Extensions: whole.Extensions}, nil
}

func orNone(list json.RawMessage) string {
	if list == nil {
		return "[]"
	}
	return string(list)
}

// besides are the flags for what a thing carries besides its words.
func besides(m a2a.Metadata, extensions []string, parts []a2a.Part) (args []string) {
	if m != nil {
		args = append(args, "--metadata", string(encoded(m)))
	}
	for _, uri := range extensions {
		args = append(args, "--extension", uri)
	}
	if len(parts) > 0 {
		args = append(args, "--data", string(parts[0].Data), "--media-type", parts[0].MediaType, "--part-metadata", string(encoded(parts[0].Metadata)))
	}
	return args
}

func encoded(m a2a.Metadata) []byte {
	b, err := json.Marshal(m)
	must(err)
	return b
}

func (v emitVoice) status(s channel.Status) {
	v.run(append([]string{"status", s.Text}, besides(s.Metadata, s.Extensions, s.Parts)...)...)
}

func (v emitVoice) artifact(u a2a.ArtifactUpdate) {
	args := append([]string{"artifact", "--id", u.Artifact.ID}, besides(u.Artifact.Metadata, u.Artifact.Extensions, nil)...)
	if u.Artifact.Description != "" {
		args = append(args, "--description", u.Artifact.Description)
	}
	if u.Artifact.Name != "" {
		args = append(args, "--name", u.Artifact.Name)
	}
	if u.Append {
		args = append(args, "--append")
	}
	if u.LastChunk {
		args = append(args, "--last")
	}
	p := u.Artifact.Parts[0]
	if p.MediaType != "" {
		args = append(args, "--media-type", p.MediaType)
	}
	if p.Metadata != nil {
		args = append(args, "--part-metadata", string(encoded(p.Metadata)))
	}
	if p.Filename != "" && p.Kind != a2a.PartRaw { // else the file's own
		args = append(args, "--filename", p.Filename)
	}
	switch p.Kind {
	case a2a.PartText:
		args = append(args, "--text", p.Text)
	case a2a.PartData:
		args = append(args, "--data", string(p.Data))
	case a2a.PartURL:
		args = append(args, "--url", p.URL)
	case a2a.PartRaw:
		dir, err := os.MkdirTemp("", "actor-")
		must(err)
		defer os.RemoveAll(dir)
		file := filepath.Join(dir, p.Filename)
		must(os.WriteFile(file, p.Raw, 0o600))
		args = append(args, file)
	}
	v.run(args...)
}

func (v emitVoice) done(d channel.Done) {
	args := append([]string{"done"}, besides(d.Metadata, d.Extensions, d.Parts)...)
	if d.State != "" {
		args = append(args, "--state", string(d.State))
	}
	if d.Message {
		args = append(args, "--message")
	}
	if d.Text != "" {
		args = append(args, d.Text)
	}
	v.run(args...)
}
