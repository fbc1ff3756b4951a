package channel_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/a2a-sidecar/sidecar/internal/golden"
)

// Each transcript is one connection:
//
//	> a frame that is sent and answered with one frame
//	>> a frame that is sent and not answered
//	< the answer
//	! what the owner was told meanwhile
//	= closed: the sidecar has ended the connection
//
// TOKEN is a valid token; in files named session-* it is a session's.
func TestTranscripts(t *testing.T) {
	golden.Each(t, "testdata/*.txtar", 1, func(t *testing.T, file string) {
		archive := golden.Archive(t, file)
		for i, section := range archive.Files {
			archive.Files[i].Data = []byte(play(t, strings.HasPrefix(filepath.Base(file), "session-"), string(section.Data)))
		}
		golden.Same(t, file, string(txtar.Format(archive)))
	})
}

// play sends the frames of a script and returns it with the answers that came.
func play(t *testing.T, ofSession bool, script string) string {
	t.Helper()
	s := listen(t)
	plain, full := &owner{}, newSession()
	grant, told := s.Grant(plain), plain
	if ofSession {
		grant, told = s.Grant(full), &full.owner
	}
	p := connect(t, s)
	var out strings.Builder
	for line := range strings.Lines(script) {
		line = strings.TrimSuffix(line, "\n")
		kind, frame, _ := strings.Cut(line, " ")
		switch kind {
		case ">", ">>":
			out.WriteString(line + "\n")
			p.send(strings.ReplaceAll(frame, "TOKEN", grant.Token()))
			if kind == ">" {
				answer := p.line()
				for _, call := range told.take() {
					out.WriteString("! " + call + "\n")
				}
				out.WriteString("< " + answer + "\n")
			}
		case "=":
			out.WriteString(line + "\n")
			p.ends()
		case "<", "!":
		default:
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}
