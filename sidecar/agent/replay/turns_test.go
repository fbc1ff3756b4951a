package replay_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/replay"
)

// cast makes a recording of a python prompt of these events.
func cast(events ...string) string {
	return `{"version":2,"width":40,"height":6}` + "\n" + strings.Join(events, "\n") + "\n"
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
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header, events, err := term.ReadCast(strings.NewReader(c.recording))
			if err != nil {
				t.Fatal(err)
			}
			turns, typed, err := replay.TurnsOf(agent.For([]string{"python"}), header, events)
			if err != nil || !typed {
				t.Fatal(typed, err)
			}
			var got []string
			for _, turn := range turns {
				got = append(got, turn.Message+"="+turn.Answer)
			}
			if strings.Join(got, ";") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
