package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

const logsText = `Print the last lines of a sidecar's log, and with --follow what comes after, until
Ctrl-C or its end: in a container, or on a laptop whose terminal is the agent's.
The sidecar keeps its last 1 MiB of lines in memory for that, whatever --log-file
says.

The log is for whoever operates the sidecar. It is given to this command when run
by the sidecar's own user, with the same binary, on its machine or in its container
(Linux), and from elsewhere to the callers that --operators names. The agent, and
what it starts, never get it.`

const logsExamples = `sidecar logs -f
sidecar logs --lines -1 --level warn              all the warnings that are kept
docker exec agent /sidecar logs -f
SIDECAR_TOKEN=… sidecar logs --url https://agent.example.com:8999 -o json`

const logsExits = `0    told; with --follow: the sidecar has ended
1    the log is not for this caller, or the server answered an error
2    the command line is wrong
4    no sidecar there
130  Ctrl-C`

// logsOptions are the flags of logs.
type logsOptions struct {
	target
	follow bool
	lines  int
	level  string
}

func newLogs(std Std) *cobra.Command {
	o := &logsOptions{target: target{std: std}}
	c := &cobra.Command{
		Use:         "logs",
		Short:       "Print a sidecar's log",
		Long:        logsText,
		Example:     logsExamples,
		Annotations: map[string]string{exitCodes: logsExits},
		Args:        between(0, 0, ""),
	}
	o.addFlag(c)
	outputFlag(c, func(c *cobra.Command, _ []string, asJSON bool) error {
		var least slog.Level
		if !slices.Contains(logLevels(), o.level) || least.UnmarshalText([]byte(o.level)) != nil {
			return usagef(c.CommandPath(), "--level %q is none of %s", o.level, strings.Join(logLevels(), ", "))
		}
		return o.run(c.Context(), least, asJSON)
	})
	c.Flags().BoolVarP(&o.follow, "follow", "f", false, "go on until Ctrl-C, or the sidecar's end")
	c.Flags().IntVarP(&o.lines, "lines", "n", 100, "`N` last lines are told, -1 for all that are kept (100)")
	c.Flags().StringVar(&o.level, "level", "debug", "`LEVEL` and above: debug, info, warn or error")
	return c
}

func logLevels() []string { return []string{"debug", "info", "warn", "error"} }

func (o *logsOptions) run(ctx context.Context, least slog.Level, asJSON bool) error {
	ctx, stop := untilInterrupt(ctx)
	defer stop()
	client, base, err := o.client()
	if err != nil {
		return err
	}
	body, err := client.Open(ctx, "/logs?lines="+strconv.Itoa(o.lines)+"&follow="+strconv.FormatBool(o.follow))
	if err != nil {
		if ctx.Err() != nil {
			return interrupted()
		}
		return clientError(base, err)
	}
	defer body.Close()
	err = o.copy(body, least, asJSON)
	switch {
	case ctx.Err() != nil:
		return interrupted()
	case errors.Is(err, errNoLine):
		return notASidecar(base, "no log")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil
	}
	return clientError(base, err)
}

// copy prints lines until there are no more. The error is io.EOF at the end of the
// lines.
func (o *logsOptions) copy(body io.Reader, least slog.Level, asJSON bool) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxLogLine)
	for lines.Scan() {
		if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 {
			if err := o.print(line, least, asJSON); err != nil {
				return err
			}
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return errNoLine
	case err != nil:
		return err
	}
	return io.EOF
}

// maxLogLine is the longest line that is accepted as a log line, in bytes. A sidecar
// keeps 1 MiB of lines in all.
const maxLogLine = 4 << 20

// print writes one line, unchanged or in the form for people.
func (o *logsOptions) print(line []byte, least slog.Level, asJSON bool) error {
	e, err := readLogLine(line)
	if err != nil {
		return errNoLine
	}
	if e.level < least {
		return nil
	}
	text := e.String()
	if asJSON {
		text = string(line)
	}
	if _, err = fmt.Fprintln(o.std.Out, forReader(o.std.Out, text)); err != nil {
		return &exitError{code: exitFault, err: err}
	}
	return nil
}

// errNoLine says that what came is not a line of a log.
var errNoLine = errors.New("not a line of a log")

// logLine is one line of the log, taken apart.
type logLine struct {
	time  time.Time
	level slog.Level
	msg   string
	attrs []string // key=value
}

// readLogLine splits a line and keeps the order of its members.
func readLogLine(line []byte) (e logLine, err error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return e, errors.Join(errors.New("it is no JSON object"), err)
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return e, err
		}
		key, _ := t.(string)
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return e, err
		}
		e.member(key, raw)
	}
	return e, nil
}

func (e *logLine) member(key string, raw json.RawMessage) {
	text := string(raw)
	var s string
	if json.Unmarshal(raw, &s) == nil {
		text = s
	}
	switch key {
	case slog.TimeKey:
		e.time, _ = time.Parse(time.RFC3339Nano, text) // zero: it is shown as it is
	case slog.LevelKey:
		_ = e.level.UnmarshalText([]byte(text)) // info where it is not known
	case slog.MessageKey:
		e.msg = printable(text)
	default:
		if text == "" || strings.ContainsAny(text, " \t\n\"=") {
			text = strconv.Quote(text)
		}
		e.attrs = append(e.attrs, printable(key)+"="+printable(text))
	}
}

func (e *logLine) String() string {
	head := fmt.Sprintf("%s %-5s %s", e.time.Local().Format("2006-01-02 15:04:05.000"), e.level, e.msg)
	return strings.Join(append([]string{head}, e.attrs...), " ")
}
