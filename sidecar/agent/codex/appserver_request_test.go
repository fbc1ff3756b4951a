package codex_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// Each request for permission, what is decided about, and what codex is answered when it is allowed, rejected
// and withdrawn. No answer allows more than was asked.
func TestPermissions(t *testing.T) {
	decisions := [3]string{`{"decision":"accept"}`, `{"decision":"decline"}`, `{"decision":"cancel"}`}
	earlier := [3]string{`{"decision":"approved"}`, `{"decision":{"denied":{"rejection":"not now"}}}`, `{"decision":"abort"}`}
	for name, c := range map[string]struct {
		before, method, params, permit string
		answers                        [3]string
	}{
		"command": {
			method: "item/commandExecution/requestApproval",
			params: `"itemId":"c","kind":"command","reason":"why","command":"/bin/bash -lc 'touch x'","cwd":"/w","proposedExecpolicyAmendment":["touch"],"availableDecisions":["accept","cancel"]`,
			permit: "permit c execute shell | touch x command=touch x dir=/w", answers: decisions,
		},
		"command of an item": {
			before: `{"type":"commandExecution","id":"c","command":"/bin/zsh -lc \"echo \\\"a\\\"\"","cwd":"/w","status":"inProgress"}`,
			method: "item/commandExecution/requestApproval", params: `"itemId":"c"`,
			permit: `permit c execute shell | echo "a" command=echo "a" dir=/w`, answers: decisions,
		},
		"network": {
			method: "item/commandExecution/requestApproval",
			params: `"itemId":"c","command":"curl https://x.org","networkApprovalContext":{"host":"x.org","protocol":"https"}`,
			permit: "permit c fetch network | network access to x.org, for curl https://x.org hosts=x.org", answers: decisions,
		},
		"stdin": {
			method: "item/commandExecution/requestApproval", params: `"itemId":"c","kind":"writeStdin","command":"ls\n"`,
			permit: "permit c execute write_stdin | input for a program: ls\n", answers: decisions,
		},
		"changes": {
			before: `{"type":"fileChange","id":"f","status":"inProgress","changes":[{"path":"/a","kind":{"type":"update","move_path":"/b"},"diff":"@@ -1 +1 @@\n-x\n+y\n"}]}`,
			method: "item/fileChange/requestApproval", params: `"itemId":"f"`,
			permit: `permit f move apply_patch | move a writes=/a,/b /b:"x\n">"y\n"`, answers: decisions,
		},
		"changes below a root": {
			before: `{"type":"fileChange","id":"f","status":"inProgress","changes":[{"path":"/a","kind":{"type":"delete"},"diff":"x"}]}`,
			method: "item/fileChange/requestApproval", params: `"itemId":"f","grantRoot":"/srv"`,
			permit: `permit f delete apply_patch | delete a, and all others below /srv writes=/a,/srv /a:"x">""`, answers: decisions,
		},
		"changes that are not known": {
			method: "item/fileChange/requestApproval", params: `"itemId":"f"`,
			permit: "permit f edit apply_patch | changes of files that codex does not name writes=/", answers: decisions,
		},
		"permissions": {
			method: "item/permissions/requestApproval",
			params: `"itemId":"p","cwd":"/w","reason":"why","permissions":{"network":{"enabled":true},"fileSystem":{"read":null,"write":["/a"],"entries":[{"path":{"type":"path","path":"/a"},"access":"write"},{"path":{"type":"path","path":"/r"},"access":"read"},{"path":{"type":"glob_pattern","pattern":"**"},"access":"write"},{"path":{"type":"path","path":"/d"},"access":"deny"}]}}`,
			permit: "permit p other request_permissions | more permissions in this turn: why dir=/w reads=/r writes=/a,/ hosts=*",
			answers: [3]string{
				`{"permissions":{"network":{"enabled":true},"fileSystem":{"read":null,"write":["/a"],"entries":[{"path":{"type":"path","path":"/a"},"access":"write"},{"path":{"type":"path","path":"/r"},"access":"read"},{"path":{"type":"glob_pattern","pattern":"**"},"access":"write"},{"path":{"type":"path","path":"/d"},"access":"deny"}]}},"scope":"turn"}`,
				`{"permissions":{},"scope":"turn"}`, `{"permissions":{},"scope":"turn"}`,
			},
		},
		"tool of an MCP server": {
			method:  "mcpServer/elicitation/request",
			params:  `"serverName":"s","mode":"form","message":"?","requestedSchema":{"type":"object","properties":{}},"_meta":{"codex_approval_kind":"mcp_tool_call","persist":["session","always"],"tool_name":"t","tool_params":{"a":1}}`,
			permit:  "permit  other s.t | s.t",
			answers: [3]string{`{"action":"accept","content":{},"_meta":null}`, `{"action":"decline","content":null,"_meta":null}`, `{"action":"cancel","content":null,"_meta":null}`},
		},
		"earlier command": {
			method: "execCommandApproval", params: `"conversationId":"t1","callId":"c","command":["bash","-lc","ls"],"cwd":"/w"`,
			permit: "permit c execute shell | ls command=ls dir=/w", answers: earlier,
		},
		"earlier command without a shell": {
			method: "execCommandApproval", params: `"conversationId":"t1","callId":"c","command":["rm","a b"],"cwd":"/w"`,
			permit: "permit c execute shell | rm a b argv=rm,a b dir=/w", answers: earlier,
		},
		"earlier changes": {
			method: "applyPatchApproval", params: `"conversationId":"t1","callId":"f","fileChanges":{"/b":{"type":"add","content":"n"},"/a":{"type":"update","unified_diff":"@@\n-x\n+y\n"}}`,
			permit: `permit f edit apply_patch | edit a, b writes=/a,/b /a:"x\n">"y\n" /b:"n"`, answers: earlier,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for i, answer := range []func(context.Context, peer.Action) (peer.Answer, error){
				always(peer.Answer{Allowed: true, Always: true}, nil), always(peer.Answer{Reason: "not now"}, nil), always(peer.Answer{}, peer.ErrWithdrawn),
			} {
				f := opened(t)
				said := &story{permit: answer}
				end := f.prompted(said)
				if c.before != "" {
					f.notes("item/started", `"item":`+c.before)
				}
				f.says(`{"id":"q","method":%q,"params":{"threadId":"t1","turnId":"u1",%s}}`, c.method, c.params)
				if got := f.answered(); got != c.answers[i] {
					t.Errorf("answered %s, want %s", got, c.answers[i])
				}
				f.completes("completed", "")
				if _, err := end(t); err != nil {
					t.Error(err)
				}
				if lines := said.lines[len(said.lines)-1]; lines != c.permit {
					t.Errorf("asked %s, want %s", lines, c.permit)
				}
			}
		})
	}
}

// Nobody decides: the agent is told no, and goes on.
func TestAPermissionThatNobodyDecides(t *testing.T) {
	f := opened(t)
	end := f.prompted(&story{permit: always(peer.Answer{}, errors.New("nobody is there"))})
	f.says(`{"id":1,"method":"item/commandExecution/requestApproval","params":{"threadId":"t1","turnId":"u1","command":"ls"}}`)
	if got := f.answered(); got != `{"decision":"decline"}` {
		t.Errorf("answered %s", got)
	}
	f.completes("completed", "")
	if e, err := end(t); !e.OK || err != nil {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestQuestions(t *testing.T) {
	form := func(properties string) string {
		return `"serverName":"s","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{` + properties + `},"required":["a"]}`
	}
	for name, c := range map[string]struct {
		method, params string
		replies        []peer.Reply // for each question; then ErrWithdrawn
		told, answer   string
	}{
		"choice": {
			"item/tool/requestUserInput", `"questions":[{"id":"a","question":"which?","options":[{"label":"x"},{"label":"y"}]}]`,
			[]peer.Reply{{Options: []string{"y"}}}, `ask "which?" x y`, `{"answers":{"a":{"answers":["y"]}}}`,
		},
		"text": {
			"item/tool/requestUserInput", `"questions":[{"id":"a","question":"what?"},{"id":"b","question":"secret?","isSecret":true}]`,
			[]peer.Reply{{Text: "words"}}, `ask "what?"`, `{"answers":{"a":{"answers":["words"]}}}`,
		},
		"withdrawn": {"item/tool/requestUserInput", `"questions":[{"id":"a","question":"what?"},{"id":"b","question":"more?"}]`, nil, `ask "what?"`, `{"answers":{}}`},
		"form": {
			"mcpServer/elicitation/request", form(`"b":{"type":"integer","title":"How many"},"a":{"type":"string","enum":["red","blue"],"description":"the colour"},"c":{"type":"boolean"},"d":{"type":"array","items":{"enum":["p","q"]}}`),
			[]peer.Reply{{Options: []string{"red"}}, {Text: "3"}, {Options: []string{"true"}}, {Options: []string{"p", "q"}}},
			`ask "m\na: the colour" red blue` + "\n" + `ask "m\nHow many"` + "\n" + `ask "m\nc" true false` + "\n" + `ask "m\nd" p q`,
			`{"action":"accept","content":{"a":"red","b":3,"c":true,"d":["p","q"]},"_meta":null}`,
		},
		"wrong number":  {"mcpServer/elicitation/request", form(`"a":{"type":"number"}`), []peer.Reply{{Text: "many"}}, `ask "m\na"`, `{"action":"decline","content":null,"_meta":null}`},
		"no option":     {"mcpServer/elicitation/request", form(`"a":{"type":"string","oneOf":[{"const":"r","title":"Red"}]}`), []peer.Reply{{Text: "green"}}, `ask "m\na" r`, `{"action":"decline","content":null,"_meta":null}`},
		"stopped form":  {"mcpServer/elicitation/request", form(`"a":{"type":"string"}`), nil, `ask "m\na"`, `{"action":"cancel","content":null,"_meta":null}`},
		"not described": {"mcpServer/elicitation/request", form(``), nil, ``, `{"action":"decline","content":null,"_meta":null}`},
		"consent": {
			"mcpServer/elicitation/request", `"mode":"form","message":"really?","requestedSchema":{"type":"object","properties":{}}`,
			[]peer.Reply{{Options: []string{"yes"}}}, `ask "really?" yes no`, `{"action":"accept","content":{},"_meta":null}`,
		},
		"no consent": {
			"mcpServer/elicitation/request", `"mode":"form","message":"really?","requestedSchema":{"type":"object","properties":{}}`,
			[]peer.Reply{{Options: []string{"no"}}}, `ask "really?" yes no`, `{"action":"decline","content":null,"_meta":null}`,
		},
		"page": {"mcpServer/elicitation/request", `"mode":"url","message":"go","url":"https://x"`, nil, ``, `{"action":"decline","content":null,"_meta":null}`},
	} {
		t.Run(name, func(t *testing.T) {
			f := opened(t)
			said := &story{}
			left := c.replies
			said.ask = func(context.Context, peer.Question) (peer.Reply, error) {
				if len(left) == 0 {
					return peer.Reply{}, peer.ErrWithdrawn
				}
				r := left[0]
				left = left[1:]
				return r, nil
			}
			end := f.prompted(said)
			f.says(`{"id":9,"method":%q,"params":{"threadId":"t1","turnId":"u1",%s}}`, c.method, c.params)
			if got := f.answered(); got != c.answer {
				t.Errorf("answered %s, want %s", got, c.answer)
			}
			f.completes("completed", "")
			if _, err := end(t); err != nil {
				t.Error(err)
			}
			if said.String() != c.told {
				t.Errorf("asked %s, want %s", said, c.told)
			}
		})
	}
}

// A question that codex answers itself is withdrawn from the client.
func TestAQuestionThatCodexTakesBack(t *testing.T) {
	f := opened(t)
	asked := make(chan struct{})
	said := &story{permit: func(ctx context.Context, a peer.Action) (peer.Answer, error) {
		close(asked)
		return until(ctx, a)
	}}
	end := f.prompted(said)
	f.says(`{"id":7,"method":"item/commandExecution/requestApproval","params":{"threadId":"t1","turnId":"u1","command":"ls"}}`)
	await.One(t, asked, "the question")
	f.says(`{"method":"serverRequest/resolved","params":{"threadId":"t1","requestId":7}}`)
	if got := f.answered(); got != `{"decision":"cancel"}` {
		t.Errorf("answered %s", got)
	}
	f.completes("completed", "")
	if e, err := end(t); !e.OK || err != nil {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestRequestsThatNobodyKnows(t *testing.T) {
	f := opened(t)
	for request, want := range map[string]string{
		`"method":"account/chatgptAuthTokens/refresh","params":{}`:                       "there is no method",
		`"method":"item/commandExecution/requestApproval","params":[]`:                   "cannot be read",
		`"method":"item/commandExecution/requestApproval"`:                               "cannot be read",
		`"method":"item/permissions/requestApproval","params":{"permissions":"all"}`:     "cannot be read",
		`"method":"item/tool/call","params":{"tool":"x"}`:                                `"success":false`,
		`"method":"mcpServer/elicitation/request","params":{"threadId":null}`:            `"action":"decline"`,
		`"method":"item/tool/requestUserInput","params":{"questions":[{"id":"a"}]}`:      `{"answers":{}}`,
		`"method":"execCommandApproval","params":{"conversationId":"x","command":["x"]}`: `"denied"`,
	} {
		f.says(`{"id":1,%s}`, request)
		if got := f.answered(); !strings.Contains(got, want) {
			t.Errorf("%s is answered %s", request, got)
		}
	}
}
