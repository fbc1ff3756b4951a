package call

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
)

// What is kept and shown of any output in any chunks: a head within the limit, and
// live content that is a part of it without broken runes.
func FuzzOutput(f *testing.F) {
	f.Add([]byte("plain"), uint8(3), uint8(2))
	f.Add([]byte("äöü€😀"), uint8(7), uint8(1))
	f.Add([]byte("a\x00b\xff"), uint8(200), uint8(5))
	f.Add(bytes.Repeat([]byte("€"), 100), uint8(101), uint8(7))
	f.Fuzz(func(t *testing.T, data []byte, limit, size uint8) {
		o := newOutput(int64(limit))
		var live []byte
		for rest := data; len(rest) > 0; {
			n := min(len(rest), int(size)+1)
			live = append(live, o.write(rest[:n])...)
			rest = rest[n:]
		}
		if o.total != int64(len(data)) || len(o.head) > int(limit) || !bytes.HasPrefix(data, o.head) {
			t.Fatalf("head of %d, total %d, of %d bytes", len(o.head), o.total, len(data))
		}
		if o.truncated() != (len(data) > int(limit)) {
			t.Fatalf("truncated %t", o.truncated())
		}
		if !bytes.HasPrefix(o.head, live) {
			t.Fatalf("live %q is no head of %q", live, o.head)
		}
		if utf8.Valid(data) {
			if !utf8.Valid(live) || !utf8.ValidString(o.text()) {
				t.Fatalf("broken runes: live %q, text %q", live, o.text())
			}
			if !o.binary && len(o.head)-len(live) >= utf8.UTFMax {
				t.Fatalf("live %q holds back too much of %q", live, o.head)
			}
		}
	})
}

func TestBinaryIsSeenEarlyOnly(t *testing.T) {
	for name, tc := range map[string]struct {
		chunks []string
		want   bool
	}{
		"text":                         {[]string{"a", "é"}, false},
		"a rune in two chunks":         {[]string{"a\xc3", "\xa9"}, false},
		"NUL":                          {[]string{"a", "b\x00"}, true},
		"bad bytes":                    {[]string{"a\xc3b"}, true},
		"bad bytes after the first 8K": {[]string{strings.Repeat("a", text.Sniffed), "\xff\x00"}, false},
		"bad bytes in the first 8K of a long chunk": {[]string{strings.Repeat("a", 100) + "\xff" + strings.Repeat("a", text.Sniffed)}, true},
	} {
		o := newOutput(1 << 20)
		for _, c := range tc.chunks {
			o.write([]byte(c))
		}
		if o.binary != tc.want {
			t.Errorf("%s: binary %t", name, o.binary)
		}
	}
}

// What takes the place of an output that had reached the limit of side files is kept whole.
func TestReplacedAfterTheLimit(t *testing.T) {
	store, err := output.NewStore(output.Options{Dir: t.TempDir(), Limit: 40})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var why error
	s := &side{store: store, id: "one", stop: func(err error) { why = err }, log: slog.New(slog.DiscardHandler)}
	o := newSaid(outputLimit{bytes: 10}, nil, s)
	o.write(bytes.Repeat([]byte("x"), 100))
	if why == nil || s.takes() {
		t.Fatalf("the limit was not noticed: %v", why)
	}
	answer := strings.Repeat("y", 30)
	o.replace([]byte(answer))
	path := s.keep("text/plain")
	if kept, err := os.ReadFile(path); err != nil || string(kept) != answer {
		t.Errorf("%q is kept, %v", kept, err)
	}
}

// An output for which the calls that run leave no room is cut there, and the tool is told why.
func TestOutputsOfAllCallsReachTheirLimit(t *testing.T) {
	store, err := output.NewStore(output.Options{Dir: t.TempDir(), Limit: 1 << 20, Total: 50})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	why := map[string]error{}
	begin := func(id string) (*side, *said) {
		s := &side{store: store, id: id, stop: func(err error) { why[id] = err }, log: slog.New(slog.DiscardHandler)}
		return s, newSaid(outputLimit{bytes: 10}, nil, s)
	}
	first, one := begin("one")
	one.write(bytes.Repeat([]byte("x"), 30))
	second, two := begin("two")
	two.write(bytes.Repeat([]byte("y"), 30))
	if why["one"] != nil || why["two"] == nil || second.takes() || !first.takes() {
		t.Fatalf("stopped: %v", why)
	}
	if r := stopped(why["two"]); r.outcome.Case != TooLarge || !strings.Contains(why["two"].Error(), "the calls that run now have reached the limit of 50 together") {
		t.Errorf("%+v, %v", r.outcome, why["two"])
	}
	if kept, err := os.ReadFile(second.keep("text/plain")); err != nil || len(kept) != 20 {
		t.Errorf("%d bytes are kept, %v", len(kept), err)
	}
	third, three := begin("three")
	three.write(bytes.Repeat([]byte("z"), 20)) // the second has ended, and makes room for it
	if path := third.keep("text/plain"); why["three"] != nil || path == "" {
		t.Errorf("the third: %q, %v", path, why["three"])
	}
	if _, err := store.Open("two"); err == nil {
		t.Error("the oldest of the ended calls made no room")
	}
}
