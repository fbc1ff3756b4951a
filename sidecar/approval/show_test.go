package approval_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

func TestText(t *testing.T) {
	s := subject()
	s.Agent = true
	s.Uses = append(s.Uses,
		policy.Use{Capability: policy.FSRead, Value: "/srv/**", Declared: true},
		policy.Use{Capability: policy.NetFetch, Value: "example.com:443"},
		policy.Use{Capability: policy.ShellRun, Value: "git push \x1b[8m--force\u202e"})
	a := open(t, registry(), approval.Request{Subject: s})
	want := `May the agent's call of acme.deploy run?
  arguments {"env":"prod"}
  effects   write
  writes    /srv/data
  reads     /srv/** (declared: any of it)
  host      example.com:443
  command   git push \x1b[8m--force\u202e
  rule      acme.* ask (policy.json:7)
  reason    it deploys
  caller    ann
  digest    ` + a.Digest()
	if got := a.Text(); got != want {
		t.Errorf("shown as\n%s\nwant\n%s", got, want)
	}
}

// What is long is shown by its head and tail, in a status message; the document has all.
func TestLongArguments(t *testing.T) {
	s := subject()
	s.Arguments = `{"text":"HEAD` + strings.Repeat("x", 100_000) + `TAIL"}`
	for i := range 100 {
		s.Uses = append(s.Uses, policy.Use{Capability: policy.FSRead, Value: fmt.Sprint("/srv/", i, strings.Repeat("y", 5000), "END", i)})
	}
	a := open(t, registry(), approval.Request{Subject: s})
	shown := a.Text()
	for _, want := range []string{`{"text":"HEAD`, `TAIL"}`, fmt.Sprint(len(s.Arguments)-3<<10, " bytes left out"), "/srv/5y", "END5\n", "69 more things"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not shown", want)
		}
	}
	if len(shown) > 128<<10 {
		t.Errorf("%d bytes are shown", len(shown))
	}
	part, err := json.Marshal(a.Brief())
	if err != nil || strings.Contains(string(part), strings.Repeat("x", 5000)) || a.Brief().MoreUses != 69 {
		t.Errorf("%v: %d bytes for programs, %d more uses", err, len(part), a.Brief().MoreUses)
	}
	if d := a.Document(); string(d.Arguments) != s.Arguments || len(d.Uses) != len(s.Uses) || d.MoreUses != 0 {
		t.Errorf("the document has %d bytes of arguments and %d uses", len(d.Arguments), len(d.Uses))
	}
	if a.Document().Text() != shown {
		t.Error("the document's text is another one")
	}
}

func message(parts ...a2a.Part) *a2a.Message {
	return &a2a.Message{Role: a2a.RoleUser, Parts: parts}
}

func data(format string, args ...any) a2a.Part {
	return a2a.DataPart(fmt.Appendf(nil, format, args...))
}

func TestPartIsAnsweredByAPart(t *testing.T) {
	a := open(t, registry(), approval.Request{})
	var part map[string]approval.Document
	if err := json.Unmarshal(a.Part().Data, &part); err != nil {
		t.Fatal(err)
	}
	d := part[approval.URI]
	if d.ID != a.ID() || d.Digest != a.Digest() || len(d.Options) != 3 || string(d.Arguments) != `{"env":"prod"}` || d.Rule.Line != 7 {
		t.Fatalf("the part says %+v", d)
	}
	p, err := a.Read(message(a2a.TextPart("my answer:"), data(`{%q:{"id":%q,"digest":%q,"option":%q,"reason":"r"}}`, approval.URI, d.ID, d.Digest, d.Options[2].ID)))
	if err != nil || p != (approval.Reply{ID: a.ID(), Digest: a.Digest(), Option: approval.Reject, Reason: "r"}) {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestReadMessages(t *testing.T) {
	for _, c := range []struct {
		what     string
		part     func(a *approval.Approval) a2a.Part
		confirms bool
		want     approval.Option // "": refused
	}{
		{"the option's name", func(*approval.Approval) a2a.Part { return a2a.TextPart(" once\n") }, false, approval.Once},
		{"another case", func(*approval.Approval) a2a.Part { return a2a.TextPart("Always") }, false, ""},
		{"a label", func(*approval.Approval) a2a.Part { return a2a.TextPart(approval.Once.Label()) }, false, ""},
		{"a sentence", func(*approval.Approval) a2a.Part { return a2a.TextPart("once please") }, false, ""},
		{"nothing", func(*approval.Approval) a2a.Part { return a2a.TextPart("") }, false, ""},
		{"no digest", func(a *approval.Approval) a2a.Part {
			return data(`{%q:{"id":%q,"option":"once"}}`, approval.URI, a.ID())
		}, false, ""},
		{"no id", func(a *approval.Approval) a2a.Part {
			return data(`{%q:{"digest":%q,"option":"once"}}`, approval.URI, a.Digest())
		}, false, ""},
		{"more members", func(a *approval.Approval) a2a.Part {
			return data(`{%q:{"id":%q,"digest":%q,"option":"once","for":"ever"}}`, approval.URI, a.ID(), a.Digest())
		}, false, ""},
		{"another approval", func(a *approval.Approval) a2a.Part {
			return data(`{%q:{"id":"x","digest":%q,"option":"once"}}`, approval.URI, a.Digest())
		}, false, ""},
		{"another data part", func(*approval.Approval) a2a.Part { return data(`{"option":"once"}`) }, false, ""},

		{"a confirmation", func(*approval.Approval) a2a.Part {
			return data(`{"tool_call_id":"c1","selected_option_id":"proceed_once"}`)
		}, true, approval.Once},
		{"a confirmation for ever", func(*approval.Approval) a2a.Part {
			return data(`{"tool_call_id":"c1","selected_option_id":"proceed_always"}`)
		}, true, approval.Always},
		{"a cancelation, by the server's names", func(*approval.Approval) a2a.Part { return data(`{"callId":"c1","outcome":"cancel"}`) }, true, approval.Reject},
		{"the confirmation of another call", func(*approval.Approval) a2a.Part {
			return data(`{"tool_call_id":"c2","selected_option_id":"proceed_once"}`)
		}, true, ""},
		{"an unknown confirmation", func(*approval.Approval) a2a.Part {
			return data(`{"tool_call_id":"c1","selected_option_id":"modify_with_editor"}`)
		}, true, ""},
		{"a confirmation of other content", func(*approval.Approval) a2a.Part {
			return data(`{"tool_call_id":"c1","selected_option_id":"proceed_once","file_details":{"new_content":"x"}}`)
		}, true, ""},
		{"a confirmation without the extension", func(*approval.Approval) a2a.Part {
			return data(`{"tool_call_id":"c1","selected_option_id":"proceed_once"}`)
		}, false, ""},
	} {
		a := open(t, registry(), approval.Request{Confirms: c.confirms})
		p, err := a.Read(message(c.part(a)))
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%s: taken as %+v", c.what, p)
		case c.want != "" && (err != nil || p.Option != c.want || p.Digest != a.Digest() || p.ID != a.ID()):
			t.Errorf("%s: %+v, %v", c.what, p, err)
		}
	}
}

// The shapes are those of gemini-cli's development-tool extension.
func TestConfirmation(t *testing.T) {
	s := subject()
	s.Uses = []policy.Use{{Capability: policy.ShellRun, Value: "git push"}}
	a := open(t, registry(), approval.Request{Subject: s})
	part, meta := a.Confirmation()
	want := `{"tool_call_id":"c1","status":"PENDING","tool_name":"acme.deploy","input_parameters":{"env":"prod"},"confirmation_request":{"options":[` +
		`{"id":"proceed_once","name":"Allow this call"},{"id":"proceed_always","name":"Allow this call, and the same one again until the session ends"},` +
		`{"id":"cancel","name":"Do not allow it"}],"execute_details":{"command":"git push"}}}`
	if string(part.Data) != want || string(meta[approval.DevelopmentToolURI]) != `{"kind":"TOOL_CALL_CONFIRMATION"}` {
		t.Errorf("%s\n%s", part.Data, meta)
	}
	a = open(t, registry(), approval.Request{})
	if part, _ := a.Confirmation(); !strings.Contains(string(part.Data), `"generic_details":{"description":"May this call of acme.deploy run?\n`) {
		t.Errorf("%s", part.Data)
	}
}

func TestDecodeReply(t *testing.T) {
	if p, err := approval.DecodeReply([]byte(`{"digest":"d","option":"once"}`)); err != nil || p.Option != approval.Once || p.Digest != "d" {
		t.Errorf("%+v, %v", p, err)
	}
	for _, body := range []string{``, `{}`, `null`, `{"digest":"d"}`, `{"option":"once"}`, `{"digest":"d","option":"once"} {}`, `{"digest":"d","option":"once","x":1}`, `[]`} {
		if p, err := approval.DecodeReply([]byte(body)); err == nil {
			t.Errorf("%s: %+v", body, p)
		}
	}
}
