package replay_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/replay"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/autodetect"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// cast makes a recording of these events.
func cast(events ...string) string {
	return `{"version":2,"width":40,"height":6}` + "\n" + strings.Join(events, "\n") + "\n"
}

func draws(s term.Snapshot, v state.Verdict) bool {
	return autodetect.Draws(console.Observation{Screen: s, Verdict: v}, tty.Mode{})
}

// turnsOf plays a recording. It returns each turn as MESSAGE=ANSWER, and what the answers
// were read by.
func turnsOf(t *testing.T, p *profile.Profile, recording string) (turns, from []string) {
	t.Helper()
	header, events, err := term.ReadCast(strings.NewReader(recording))
	if err != nil {
		t.Fatal(err)
	}
	all, typed, err := replay.TurnsOf(p, header, events, draws)
	if err != nil || !typed {
		t.Fatal(typed, err)
	}
	for _, turn := range all {
		turns, from = append(turns, turn.Message+"="+turn.Answer), append(from, turn.From)
	}
	return turns, from
}

func wantTurns(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, ";") != strings.Join(want, ";") {
		t.Errorf("got  %q,\nwant %q", got, want)
	}
}

// TestTurnsOf holds what counts as a message, and where its answer ends.
func TestTurnsOf(t *testing.T) {
	const prompt, echo, back = `[0.5,"o",">>> "]`, `[2.1,"o","6*7\r\n42\r\n"]`, `[2.2,"o",">>> "]`
	for name, c := range map[string]struct{ recording, want string }{
		"typed by keys":       {cast(prompt, `[1.8,"i","6"]`, `[1.9,"i","*7"]`, `[2,"i","\r"]`, echo, back), "6*7=42"},
		"erased":              {cast(prompt, `[1.8,"i","9\u007f6*7\r"]`, echo, back), "6*7=42"},
		"taken back":          {cast(prompt, `[1.7,"i","no"]`, `[1.8,"i","\u0003"]`, `[2,"i","6*7\r"]`, echo, back), "6*7=42"},
		"pasted":              {cast(prompt, `[2,"i","\u001b[200~6*7\u001b[201~"]`, `[2.05,"i","\r"]`, echo, back), "6*7=42"},
		"a terminal's answer": {cast(prompt, `[1.9,"i","\u001b[?62;22c"]`, `[2,"i","6*7\r"]`, echo, back), "6*7=42"},
		"arrows":              {cast(prompt, `[1.9,"i","\u001b[D\u001bOC"]`, `[2,"i","6*7\r"]`, echo, back), "6*7=42"},
		"before it is ready":  {cast(`[0.1,"i","6*7\r"]`, prompt), ""},
		"nothing":             {cast(prompt, `[2,"i","\r"]`, `[2.1,"o","\r\n>>> "]`), ""},
		"not ended":           {cast(prompt, `[2,"i","6*7\r"]`, echo), "6*7=42"},
		"more than the screen holds": {cast(prompt, `[2,"i","n\r"]`, `[2.1,"o","n\r\n1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n"]`, back),
			"n=1\n2\n3\n4\n5\n6\n7"},
		"a prompt after output without a newline": {cast(prompt, `[2,"i","n\r"]`, `[2.1,"o","n\r\n1\r\n2>>> "]`), "n=1\n2"},
		"typed before the prompt has settled": {cast(prompt, `[2,"i","6*7\r"]`, echo, back, `[2.23,"i","8"]`, `[2.24,"i","\r"]`, `[2.3,"o","8\r\n8\r\n>>> "]`),
			"6*7=42;8=8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := turnsOf(t, agent.For([]string{"python"}), c.recording)
			wantTurns(t, got, strings.Split(c.want, ";")...)
		})
	}
}

// TestMessages holds which keys are a message, however their bytes were cut into events.
func TestMessages(t *testing.T) {
	for name, c := range map[string]struct {
		events []string
		want   string
	}{
		"a paste with letters of replies":    {[]string{`\u001b[200~fix the tests\u001b[201~`, `\r`}, "fix the tests"},
		"an arrow and text":                  {[]string{`\u001b[Dto\r`}, "to"},
		"an arrow and a paste":               {[]string{`\u001b[C\u001b[200~Rest\u001b[201~\r`}, "Rest"},
		"replies and text":                   {[]string{`\u001b[12;3R\u001b]11;rgb:0/0/0\u001b\\\u001b[Ihello\r`}, "hello"},
		"a paste over two events":            {[]string{`\u001b[200~one\rtw`, `o\rthree\u001b[201~\r`}, "one\ntwo\nthree"},
		"the end of a paste is cut":          {[]string{`\u001b[200~one\rtwo\u001b[2`, `01~`, `\r`}, "one\ntwo"},
		"the beginning of a paste is cut":    {[]string{`\u001b`, `[200~one\rtwo\u001b[201~\r`}, "one\ntwo"},
		"a reply is cut":                     {[]string{`\u001b]11;rgb:00`, `/00/00\u0007`, `hello\r`}, "hello"},
		"Alt-Enter":                          {[]string{`one\u001b\rtwo\r`}, "one\ntwo"},
		"Shift-Enter":                        {[]string{`one\u001b[13;2utwo\r`}, "one\ntwo"},
		"the newline of the profile":         {[]string{`one\\`, `\r`, `two\r`}, "one\ntwo"},
		"other control characters":           {[]string{`one\u0001\u0005two\r`}, "onetwo"},
		"Alt and a letter":                   {[]string{`one\u001bb\r`}, "one"},
		"a paste with a line end of Windows": {[]string{`\u001b[200~one\r\ntwo\u001b[201~\r`}, "one\ntwo"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := profile.Parse("newline.json", []byte(`{
				"prompt": {"row": "^> (.*)$", "cursor": true}, "submit": {"newline": "\\\r"},
				"signs": [{"rule": "prompt", "state": "ready", "cursor": "^> $"}]}`))
			if err != nil {
				t.Fatal(err)
			}
			events := []string{`[0.1,"o","> "]`}
			for i, data := range c.events {
				events = append(events, `[2.00`+string(rune('0'+i))+`,"i","`+data+`"]`)
			}
			got, _ := turnsOf(t, p, cast(events...))
			wantTurns(t, got, c.want+"=")
		})
	}
}

// TestEscKey: Esc looks like the beginning of a sequence, and the next key does not
// belong to it.
func TestEscKey(t *testing.T) {
	got, _ := turnsOf(t, agent.For([]string{"python"}), cast(`[0.5,"o",">>> "]`, `[1.5,"i","\u001b"]`, `[1.9,"i","["]`, `[2,"i","1]\r"]`))
	wantTurns(t, got, "[1]=")
}

// TestStrangers: without a profile the answers are those that a client got when the
// recordings were made.
func TestStrangers(t *testing.T) {
	echo := []string{"hello there=ECHO: hello there", "Count to three=one\ntwo\nthree"}
	for name, c := range map[string]struct{ turns, from []string }{
		"irb":   {[]string{"6*7==> 42", "[1,2].each do |x| puts x end=1\n2\n=> [1, 2]", "puts 'a'; puts 'b'; nil=a\nb\n=> nil"}, []string{"lines", "lines", "lines"}},
		"umbra": {echo, []string{"screen", "learnt"}},
		"tarn":  {echo, []string{"screen", "learnt"}},
		"quill": {echo, []string{"screen", "learnt"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recording, err := os.ReadFile("testdata/strangers/" + name + ".cast")
			if err != nil {
				t.Fatal(err)
			}
			turns, from := turnsOf(t, profile.Generic(), string(recording))
			wantTurns(t, turns, c.turns...)
			wantTurns(t, from, c.from...)
		})
	}
}

// TestPrinted holds where the answers of a program end that prints lines and has no
// profile, and what of its rows is no answer.
func TestPrinted(t *testing.T) {
	for name, c := range map[string]struct{ recording, want string }{
		"no prompt": {cast(`[1,"i","a\r"]`, `[1.1,"o","a\r\n1\r\n"]`, `[3,"i","b\r"]`, `[3.1,"o","b\r\n2\r\n"]`), "a=1;b=2"},
		"a prompt that counts": {cast(`[0.1,"o","In [1]: "]`, `[1,"i","a\r"]`, `[1.1,"o","a\r\n1\r\nIn [2]: "]`, `[3,"i","b\r"]`, `[3.1,"o","b\r\n2In [3]: "]`),
			"a=1;b=2"},
		"no echo":               {cast(`[0.1,"o","? "]`, `[1,"i","a\r"]`, `[1.1,"o","1\r\n? "]`), "a=1"},
		"a redrawn prompt":      {cast(`[0.1,"o","12:00 $ "]`, `[1,"i","ls\r"]`, `[1.1,"o","\r\u001b[K> ls\r\nx\r\n12:01 $ "]`), "ls=x"},
		"it ends in the answer": {cast(`[0.1,"o","$ "]`, `[1,"i","ls\r"]`, `[1.1,"o","ls\r\nhalf"]`), "ls=half"},
		"an Enter alone":        {cast(`[0.1,"o","$ "]`, `[1,"i","ls\r"]`, `[1.1,"o","ls\r\nx\r\n$ "]`, `[1.2,"i","\r"]`, `[1.3,"o","\r\n$ "]`), "ls=x"},
		"a question of its own": {cast(`[0.1,"o","$ "]`, `[1,"i","rm x\r"]`, `[1.1,"o","rm x\r\nremove x? [y/N] "]`, `[3,"i","y\r"]`, `[3.1,"o","y\r\ngone\r\n$ "]`),
			"rm x=gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, from := turnsOf(t, profile.Generic(), c.recording)
			wantTurns(t, got, strings.Split(c.want, ";")...)
			if len(from) > 0 && from[0] != replay.FromLines {
				t.Errorf("it was read by %q", from[0])
			}
		})
	}
}

// TestPager: of a program that has the whole screen and shows no message the answer is
// its screen.
func TestPager(t *testing.T) {
	got, from := turnsOf(t, profile.Generic(), cast(`[0.1,"o","\u001b[?1049hpage 1"]`, `[2,"i","next\r"]`, `[2.1,"o","\u001b[H\u001b[Jpage 2"]`))
	wantTurns(t, got, "next=page 2")
	wantTurns(t, from, replay.FromScreen)
}

// TestTimeDoesNotRunBack: a time that has passed changes nothing.
func TestTimeDoesNotRunBack(t *testing.T) {
	header, _, err := term.ReadCast(strings.NewReader(cast()))
	if err != nil {
		t.Fatal(err)
	}
	var last time.Duration
	p := replay.New(agent.For([]string{"python"}), header, func(at time.Duration, _ state.Verdict) error {
		if at < last {
			t.Errorf("%v comes after %v", at, last)
		}
		last = at
		return nil
	})
	for _, at := range []time.Duration{2 * time.Second, time.Second, -time.Second} {
		if err := p.Until(at); err != nil {
			t.Fatal(err)
		}
		if err := p.Play(term.CastEvent{At: at, Kind: term.CastOutput, Data: "x"}); err != nil {
			t.Fatal(err)
		}
	}
}
