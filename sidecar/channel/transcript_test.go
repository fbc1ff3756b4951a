package channel_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the transcripts in testdata")

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
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d transcripts, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i := range archive.Files {
				section := &archive.Files[i]
				got := play(t, strings.HasPrefix(filepath.Base(file), "session-"), string(section.Data))
				if diff := cmp.Diff(string(section.Data), got); diff != "" && !*update {
					t.Errorf("%s:\n%s", section.Name, diff)
				}
				section.Data = []byte(got)
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
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
