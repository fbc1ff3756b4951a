package call

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// tail is the end of an output.
type tail struct {
	most int
	kept []byte
	lost int64 // bytes before those that are kept
}

// add takes what was written. It keeps a quarter more than is shown, so that little is moved.
func (t *tail) add(chunk []byte) {
	t.kept = append(t.kept, chunk...)
	if len(t.kept) > t.most+t.most/4 {
		t.shorten()
	}
}

func (t *tail) shorten() {
	if over := len(t.kept) - t.most; over > 0 {
		t.kept, t.lost = t.kept[:copy(t.kept, t.kept[over:])], t.lost+int64(over)
	}
}

// text returns what is kept, without a character of which only a part is there.
func (t *tail) text() (string, bool) {
	t.shorten()
	kept := t.kept
	if t.lost > 0 {
		kept = text.Resume(kept)
	}
	kept = kept[:len(kept)-text.Unfinished(kept)]
	return strings.ToValidUTF8(string(kept), "\ufffd"), t.lost > 0
}

// take returns what is kept, and forgets it, with how many bytes before that are lost. Of a character of which only
// a part is there yet, nothing is returned, unless it is the last.
func (t *tail) take(last bool) (said []byte, lost int64) {
	t.shorten()
	kept, lost := t.kept, t.lost
	if lost > 0 {
		kept = text.Resume(kept)
		lost += int64(len(t.kept) - len(kept))
	}
	end := len(kept)
	if !last {
		end -= text.Unfinished(kept)
	}
	said = append(said, kept[:end]...)
	t.kept, t.lost = append(t.kept[:0], kept[end:]...), 0
	return said, lost
}
