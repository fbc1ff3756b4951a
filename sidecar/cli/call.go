package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/client"
)

const callText = `Call a tool and print its result: text as text, anything else as JSON. What is
not right with it is told on stderr; what a failing tool had said is printed too.

In a program that a sidecar runs, its agent or a tool, it is that sidecar's tool and
goes over the channel, unless --url or SIDECAR_URL names another sidecar. It then
waits for approvals too, and Ctrl-C stops it.

The arguments are one JSON object, given as it is, read from stdin (-) or from a
file (@FILE), or put together from --arg: key=value is a string, key:=value is
JSON.`

const callExamples = `sidecar call acme.echo '{"text":"hello"}'
sidecar call acme.deploy --arg env=staging --arg replicas:=3
echo '{"text":"hello"}' | sidecar call acme.echo -
sidecar call acme.report @arguments.json -o json | jq .metadata`

const callExits = `0    the tool gave its result
1    it failed, or was stopped with part of it
2    the command line is wrong
3    it waits for an answer: an approval, or what the tool asks
4    no sidecar there
5    it was canceled
6    it was denied or rejected
7    busy or unavailable: try again
8    it timed out
9    its arguments are invalid
10   there is no such tool
125  the arguments cannot be read, or the result not written
130  Ctrl-C; the call may go on`

// callOptions are the flags of call.
type callOptions struct {
	target
	pairs []string
}

func newCall(std Std) *cobra.Command {
	o := &callOptions{target: target{std: std}}
	c := &cobra.Command{
		Use:         "call NAME [JSON|-|@FILE]",
		Short:       "Call a tool",
		Long:        callText,
		Example:     callExamples,
		Annotations: map[string]string{exitCodes: callExits},
		Args:        between(1, 2, "the tool's NAME"),
	}
	c.ValidArgsFunction = o.tools
	o.addFlag(c)
	outputFlag(c, func(c *cobra.Command, args []string, asJSON bool) error {
		if args[0] == "" {
			return usagef(c.CommandPath(), "the tool's NAME is empty")
		}
		arguments, err := o.arguments(c, args[1:])
		if err != nil {
			return err
		}
		return o.run(c.Context(), args[0], arguments, asJSON)
	})
	c.Flags().StringArrayVarP(&o.pairs, "arg", "a", nil, "`KEY=VALUE` one argument; KEY:=JSON for what is not text; repeatable")
	return c
}

// envelope is the result of a call.
type envelope struct {
	Type      string          `json:"type"`
	Data      json.RawMessage `json:"data"`
	ErrorText string          `json:"error_text"`
	Metadata  struct {
		Outcome   string `json:"outcome"`
		Reason    string `json:"reason"`
		Truncated bool   `json:"truncated"`
		Redacted  bool   `json:"redacted"`
		OutputURL string `json:"output_url"`
	} `json:"metadata"`
}

func (o *callOptions) run(ctx context.Context, name string, arguments []byte, asJSON bool) error {
	ctx, stop := untilInterrupt(ctx)
	defer stop()
	own, refused := o.inside(ctx)
	if own != nil {
		reply, err := callInside(ctx, own, name, arguments)
		if err = errors.Join(err, own.Close()); err != nil {
			return err
		}
		return o.report(ctx, nil, own.URL(), reply, asJSON)
	}
	client, base, err := o.client()
	if err != nil {
		return err
	}
	reply, err := client.CallTool(ctx, &a2a.ToolRequest{Name: name, Arguments: arguments})
	switch {
	case ctx.Err() != nil:
		return &exitError{code: exitInterrupt, err: errors.New("interrupted before the answer came: the call may go on")}
	case err != nil && refused != nil && dialFailed(err): // there is no other way, and the first one says more
		return &exitError{code: exitNoSidecar, err: fmt.Errorf("the channel cannot be used: %w; nor can %s: %w", refused, base, innermost(err))}
	case err != nil:
		return clientError(base, err)
	}
	return o.report(ctx, client, base, reply, asJSON)
}

// report prints what came of a call.
func (o *callOptions) report(ctx context.Context, client *client.Client, base string, reply *a2a.ToolReply, asJSON bool) error {
	var e envelope
	if err := json.Unmarshal(reply.Envelope, &e); err != nil {
		return notASidecar(base, fmt.Sprintf("HTTP status %d with something that is no envelope", reply.Status))
	}
	if asJSON {
		if _, err := fmt.Fprintf(o.std.Out, "%s\n", reply.Envelope); err != nil {
			return err
		}
		return silent(callCode(reply.Status, e.Metadata.Outcome))
	}
	if reply.Status == http.StatusAccepted {
		return o.waits(ctx, client, reply.TaskID)
	}
	return o.print(base, reply, &e)
}

// waits shows what the call waits for, and how to answer.
func (o *callOptions) waits(ctx context.Context, client *client.Client, id string) error {
	why := "the call waits for an answer, as task " + id
	if t, err := client.Get(ctx, &a2a.GetRequest{ID: id}); err == nil {
		showQuestion(o.std.Err, t.Status.Message)
		if t.Status.State == a2a.StateAuthRequired {
			return &exitError{code: exitNobody, err: errors.New(why), hint: "sidecar send --task " + id + " once|always|reject"}
		}
	}
	return unanswered(id, why)
}

// print writes what the tool said, and reports on stderr what is wrong with it.
func (o *callOptions) print(base string, reply *a2a.ToolReply, e *envelope) error {
	if e.Type == "output" || e.Data != nil {
		if err := writeData(o.std.Out, e.said()); err != nil {
			return err
		}
	}
	m := &e.Metadata
	switch {
	case m.Truncated && m.OutputURL != "":
		fmt.Fprintf(o.std.Err, "sidecar: the result was cut off at the tool's limit; all of it: sidecar output %s\n", printable(reply.TaskID))
	case m.Truncated:
		fmt.Fprintln(o.std.Err, "sidecar: the result was cut off at the tool's limit")
	case m.Outcome == "artifact":
		fmt.Fprintf(o.std.Err, "sidecar: the result is not text: it is an artifact of %s/tasks/%s\n", base, printable(reply.TaskID))
	}
	if m.Redacted {
		fmt.Fprintln(o.std.Err, "sidecar: secrets were taken out of the result")
	}
	code := callCode(reply.Status, m.Outcome)
	switch {
	case e.Type == "error":
		return &exitError{code: code, err: errors.New(e.why())}
	case m.Outcome == "partial":
		return &exitError{code: code, err: fmt.Errorf("%s: what was printed is what the tool had said by then", spoken(m.Reason))}
	}
	return silent(code)
}

// said returns what the tool said, of a result that was cut its head.
func (e *envelope) said() json.RawMessage {
	var cut struct {
		Head json.RawMessage `json:"head"`
	}
	if e.Metadata.Truncated && json.Unmarshal(e.Data, &cut) == nil && cut.Head != nil {
		return cut.Head
	}
	return e.Data
}

// why returns the error's text, with its case in front unless the text begins with it.
func (e *envelope) why() string {
	name := spoken(e.Metadata.Outcome)
	if strings.HasPrefix(e.ErrorText, name) {
		return e.ErrorText
	}
	return name + ": " + e.ErrorText
}

// spoken returns a case in words: timed out.
func spoken(outcome string) string { return strings.ReplaceAll(outcome, "_", " ") }

// writeData prints a string as text and anything else as JSON.
func writeData(out *os.File, data json.RawMessage) error {
	var text string
	if json.Unmarshal(data, &text) != nil {
		text = string(data)
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, err := io.WriteString(out, forReader(out, text))
	return err
}
