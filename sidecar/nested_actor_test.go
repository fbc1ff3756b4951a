package sidecar_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// caller is an agent, and the program of a tool, that calls tools of its own sidecar: it
// reads "DOOR TOOL,TOOL…", calls the first tool with the rest as its text, and prints the
// answer. With no tool left it has done its work. What it does in the workspace it notes in
// the file NOTES.
func caller() int {
	text, err := io.ReadAll(os.Stdin)
	must(err)
	said := strings.TrimSpace(string(text))
	var args struct{ Text string }
	if json.Unmarshal(text, &args) == nil {
		said = args.Text
	}
	name := os.Getenv("SIDECAR_TOOL")
	note("begin " + name)
	if way, tools, ok := strings.Cut(said, " "); ok && tools != "" {
		tool, rest, _ := strings.Cut(tools, ",")
		fmt.Print(callBy(way, tool, way+" "+rest))
	}
	fmt.Print("[" + name + "]")
	note("end " + name)
	return 0
}

func note(line string) {
	f, err := os.OpenFile(os.Getenv("NOTES"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	must(err)
	_, err = fmt.Fprintln(f, line)
	must(err)
	must(f.Close())
}

// callChannel and callCommand are ways to call a tool over the channel: by the protocol, and
// by the command, which finds the door that it has inherited.
const (
	callChannel = "channel"
	callCommand = "command"
)

// callWays are all ways to call a tool of one's own sidecar.
func callWays() []string {
	return append(slices.Sorted(maps.Keys(callDoors)), callChannel, callCommand)
}

// callInside calls a tool over the channel and returns the envelope.
func callInside(way, tool string, arguments []byte) string {
	if way == callCommand {
		self, err := os.Executable()
		must(err)
		cmd := exec.Command(self, "call", tool, string(arguments), "-o", "json")
		cmd.Env = append(os.Environ(), asSidecar+"=1", "GORACE=atexit_sleep_ms=0")
		cmd.Stderr = os.Stderr
		out, _ := cmd.Output() // a call that was not allowed has an exit code of its own
		return string(out)
	}
	ctx := context.Background()
	c, err := channel.Dial(ctx, os.Getenv("SIDECAR_SOCKET"), os.Getenv("SIDECAR_CHANNEL_TOKEN"), channel.Capabilities{})
	must(err)
	defer c.Close()
	called, err := c.CallTool(ctx, channel.Call{Name: tool, Arguments: arguments})
	must(err)
	return string(called.Envelope)
}

// callDoors are the doors of a sidecar for calls by HTTP: a path, a body around the arguments, and
// headers.
var callDoors = map[string]struct{ path, body, header string }{
	"post":  {"/a2a/tools/TOOL", `ARGUMENTS`, ""},
	"grant": {"/a2a/tools/TOOL", `ARGUMENTS`, "GRANT"},
	"rpc":   {"/", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"ID","role":"ROLE_USER","parts":[{"data":CALL}]}}}`, ""},
	"rest":  {"/message:send", `{"message":{"messageId":"ID","role":"ROLE_USER","parts":[{"data":CALL}]}}`, ""},
	"rpc03": {"/", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"ID","role":"user","parts":[{"kind":"data","data":CALL}]}}}`, ""},
}

// callBy calls a tool through one of the doors and returns the answer's body.
func callBy(way, tool, text string) string {
	arguments, err := json.Marshal(map[string]string{"text": text})
	must(err)
	d, ok := callDoors[way]
	if !ok {
		return callInside(way, tool, arguments)
	}
	body := strings.NewReplacer("CALL", `{"toolCall":{"name":"`+tool+`","arguments":`+string(arguments)+`}}`,
		"ARGUMENTS", string(arguments), `"ID"`, fmt.Sprintf(`"m%d"`, time.Now().UnixNano())).Replace(d.body)
	req, err := http.NewRequest(http.MethodPost, os.Getenv("SIDECAR_URL")+strings.Replace(d.path, "TOOL", tool, 1), bytes.NewReader([]byte(body)))
	must(err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("A2A-Extensions", toolCallURI)
	req.Header.Set("X-A2A-Extensions", toolCallURI)
	if way != "rpc03" {
		req.Header.Set("A2A-Version", "1.0")
	}
	if d.header != "" {
		req.Header.Set("Authorization", "Bearer "+os.Getenv("SIDECAR_CHANNEL_TOKEN"))
	}
	resp, err := http.DefaultClient.Do(req)
	must(err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	must(err)
	return fmt.Sprintf("%d %s", resp.StatusCode, answer)
}
