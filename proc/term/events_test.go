package term_test

import (
	"encoding/base64"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// events returns what a screen tells of in.
func events(in string) (told []term.Event) {
	s := term.New(term.Options{Event: func(e term.Event) { told = append(told, e) }})
	write(s, in)
	return told
}

func TestEvents(t *testing.T) {
	notify := func(code int, text string) []term.Event {
		return []term.Event{{Kind: term.EventNotify, Code: code, Text: text}}
	}
	mark := func(text string, code int) []term.Event {
		return []term.Event{{Kind: term.EventMark, Text: text, Code: code}}
	}
	progress := func(state, percent int) []term.Event {
		return []term.Event{{Kind: term.EventProgress, Code: state, Percent: percent}}
	}
	title := func(text string) []term.Event { return []term.Event{{Kind: term.EventTitle, Text: text}} }
	for in, want := range map[string][]term.Event{
		"\x1b]0;✳ Claude Code\a":         title("✳ Claude Code"),
		"\x1b]2;a;b\x1b\\":               title("a;b"),
		"\x1b]2;\a":                      title(""),
		"\x1b]2;a\u202eb\tc\u0085\xff\a": title("abc\ufffd"), // tab never gets there
		"\x1b]1;icon\a":                  nil,
		"\x1b]0;cut off\x18":             nil,
		"\a":                             {{Kind: term.EventBell}},
		"\x1b]133;A\a":                   mark("A", -1),
		"\x1b]133;A;cl=m\a":              mark("A", -1),
		"\x1b]633;C\x1b\\":               mark("C", -1),
		"\x1b]133;D;7\a":                 mark("D", 7),
		"\x1b]133;D;7;aid=1\a":           mark("D", 7),
		"\x1b]133;D\a":                   mark("D", -1),
		"\x1b]633;E;ls\a":                nil,
		"\x1b]9;Approval: ls\a":          notify(9, "Approval: ls"),
		"\x1b]9;42\a":                    notify(9, "42"),
		"\x1b]9;a\u202eb\U000e0041\a":    notify(9, "ab"),
		"\x1b]9;4;7 of 9\a":              notify(9, "4;7 of 9"),
		"\x1b]9;9;/tmp\a":                nil,
		"\x1b]9;4;1;50\a":                progress(1, 50),
		"\x1b]9;4;3\a":                   progress(3, -1),
		"\x1b]9;4;0;\a":                  progress(0, -1),
		"\x1b]9;4;1;300\a":               progress(1, 100),
		"\x1b]777;notify;T;B;C\a":        notify(777, "T\nB;C"),
		"\x1b]777;other;T\a":             nil,
		"\x1b]99;;hello\a":               notify(99, "hello"),
		"\x1b]99;i=1:d=0;T\a\x1b]99;i=1:p=body;B\a":                               notify(99, "T\nB"),
		"\x1b]99;i=1:d=0;T\a\x1b]99;i=2;U\a":                                      notify(99, "U"),
		"\x1b]99;e=1;" + base64.StdEncoding.EncodeToString([]byte("a\nb")) + "\a": notify(99, "a\nb"),
		"\x1b]99;e=1;***\a":                            nil,
		"\x1b]99;p=?;\a":                               nil,
		"\x1b[?2004h\x1b[?2004l":                       {{Kind: term.EventBracketedPaste, Code: 1}, {Kind: term.EventBracketedPaste}},
		"\x1b[?1049h\x1b[?1049h\x1b[?1049l\x1b[?1049l": {{Kind: term.EventAlternate, Code: 1}, {Kind: term.EventAlternate}},
		"\x1b[?2004;1049h\x1bc": {{Kind: term.EventBracketedPaste, Code: 1}, {Kind: term.EventAlternate, Code: 1},
			{Kind: term.EventAlternate}, {Kind: term.EventBracketedPaste}},
		"\x1b]0;a\a\x1b[22;0t\x1b]0;b\a\x1b[23;0t\x1b[23t": {{Kind: term.EventTitle, Text: "a"}, {Kind: term.EventTitle, Text: "b"}, {Kind: term.EventTitle, Text: "a"}},
	} {
		if diff := cmp.Diff(want, events(in)); diff != "" {
			t.Errorf("%q: %s", in, diff)
		}
	}
}

// TestEventsComeInOrder: more than fit in one turn with the lock.
func TestEventsComeInOrder(t *testing.T) {
	var in, want strings.Builder
	for i := range 500 {
		code := string(rune('a' + i%26))
		in.WriteString("\x1b]0;" + code + "\a")
		want.WriteString(code)
	}
	var got strings.Builder
	for _, e := range events(in.String()) {
		got.WriteString(e.Text)
	}
	if got.String() != want.String() {
		t.Errorf("%d of %d, or not in order", got.Len(), want.Len())
	}
}

func TestProgramStatus(t *testing.T) {
	text := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	for in, want := range map[string]*term.Status{
		"state=idle:app=claude-code": {State: "idle", App: "claude-code", Progress: -1},
		"state=blocked:kind=permission:app=codex:msg=" + text("approve Bash: ls · x"): {State: "blocked", Kind: "permission", App: "codex", Progress: -1, Msg: "approve Bash: ls · x"},
		"state=working:id=us-east/2:progress=40:title=" + text("US East"):             {State: "working", ID: "us-east/2", Progress: 40, Title: "US East"},
		"state=blocked:progress=0":                   {State: "blocked", Progress: 0},
		"state=error:msg=" + text("a\u202eb\u2066c"): {State: "error", Progress: -1, Msg: "abc"},
		"state=clear":                                           {State: "clear", Progress: -1},
		"state=done:later=1":                                    {State: "done", Progress: -1},
		"state=busy":                                            nil,
		"kind=auth":                                             nil,
		"state=idle:kind=auth":                                  nil,
		"state=done:progress=5":                                 nil,
		"state=blocked:kind=other":                              nil,
		"state=working:progress=101":                            nil,
		"state=working:progress=+1":                             nil,
		"state=working:progress=":                               nil,
		"state=working:state=idle":                              nil,
		"state=working:":                                        nil,
		"state=working:app=a b":                                 nil,
		"state=working:id=a//b":                                 nil,
		"state=working:id=1/2/3/4/5/6/7/8/9":                    nil,
		"state=working:msg=***":                                 nil,
		"state=working:msg=" + text("a\nb"):                     nil,
		"state=working:msg=" + text("\xff"):                     nil,
		"state=working:title=" + text(strings.Repeat("x", 193)): nil,
		"state=working:msg=" + text(strings.Repeat("x", 2049)):  nil,
		"state=idle:x=" + strings.Repeat("x", 4096):             nil,
		"": nil,
	} {
		var expect []term.Event
		if want != nil {
			expect = []term.Event{{Kind: term.EventStatus, Text: want.State, Status: *want}}
		}
		if diff := cmp.Diff(expect, events("\x1b]7501;"+in+"\x1b\\")); diff != "" {
			t.Errorf("%q: %s", in, diff)
		}
	}
}

// TestProgramStatusOfAgents: what the recorded agents reported.
func TestProgramStatusOfAgents(t *testing.T) {
	for name, want := range map[string]string{
		"claude/testdata/328-osc7501":          "idle working done blocked/permission/approve Bash: echo permitted > /home/agent/work/osc.txt working done working idle working clear",
		"claude/testdata/328-osc7501-question": "idle working blocked/question/answer: Which branch? (main · dev) working done working error//API Error: 400 stub failure working clear",
		"codex/testdata/permission":            "working idle working blocked/permission/ working idle working blocked/permission/ working done idle working idle",
	} {
		var told []string
		for _, e := range replayEvents(t, agents+name+".cast") {
			if e.Kind != term.EventStatus {
				continue
			}
			state := e.Status.State
			if e.Status.Kind != "" || e.Status.Msg != "" {
				state += "/" + e.Status.Kind + "/" + e.Status.Msg
			}
			told = append(told, state)
		}
		if got := strings.Join(told, " "); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}

func replayEvents(t *testing.T, file string) (told []term.Event) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	header, list, err := term.ReadCast(f)
	if err != nil {
		t.Fatal(err)
	}
	s := term.New(term.Options{Cols: header.Cols, Rows: header.Rows, Event: func(e term.Event) { told = append(told, e) }})
	for e, err := range list {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == term.CastOutput {
			write(s, e.Data)
		}
	}
	return told
}
