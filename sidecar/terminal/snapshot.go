package terminal

import (
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// snapshot answers GET /terminal: it sends the rows as text, or, with ?format=json
// or Accept: application/json, all that is known of the screen.
func (h *Handlers) snapshot(w http.ResponseWriter, r *http.Request, _ server.Identity, v *turn.View) error {
	asJSON, err := wantsJSON(r)
	if err != nil {
		return err
	}
	snap, offset := v.See()
	kind, body := "text/plain; charset=utf-8", []byte(rows(&snap))
	if asJSON {
		kind = "application/json"
		if body, err = text.JSON(document(v, &snap, offset)); err != nil {
			return err
		}
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Add("Vary", "Accept") // Vary may already name a page's Origin
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodHead {
		return nil
	}
	_, err = w.Write(body)
	return err
}

// wantsJSON reports whether the request asks for JSON rather than text.
func wantsJSON(r *http.Request) (bool, error) {
	switch format := r.URL.Query().Get("format"); format {
	case "json":
		return true, nil
	case "text":
		return false, nil
	case "":
	default:
		return false, a2a.ErrInvalidParams.With("format %.50q is not text or json", format)
	}
	for one := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		kind, _, err := mime.ParseMediaType(one)
		switch {
		case err != nil:
		case kind == "application/json":
			return true, nil
		case kind == "text/plain":
			return false, nil
		}
	}
	return false, nil
}

// rows returns every row of the screen, one per line.
func rows(s *term.Snapshot) string {
	var b strings.Builder
	for _, l := range s.Lines {
		b.WriteString(strings.TrimRight(l.Text, " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// screenDoc is the JSON form of a screen.
type screenDoc struct {
	about
	// Generation grows with every change.
	Generation uint64    `json:"generation"`
	Cursor     cursorDoc `json:"cursor"`
	Alternate  bool      `json:"alternate"`
	Modes      modesDoc  `json:"modes"`
	// Scrolled is how many rows have left the main screen at the top.
	Scrolled uint64 `json:"scrolled"`
	// Output is when the last byte of output came.
	Output time.Time `json:"output,omitzero"`
	Lines  []lineDoc `json:"lines"`
}

// cursorDoc is the position of the cursor, counted from 0.
type cursorDoc struct {
	Row   int  `json:"row"`
	Col   int  `json:"col"`
	Shown bool `json:"shown"`
}

type modesDoc struct {
	BracketedPaste bool `json:"bracketedPaste"`
	Synchronized   bool `json:"synchronized"`
	Mouse          int  `json:"mouse"`
	FocusEvents    bool `json:"focusEvents"`
	AppCursor      bool `json:"appCursor"`
	KittyKeyboard  int  `json:"kittyKeyboard"`
}

// lineDoc is a row. Wrapped means that it continues in the next row (a soft wrap).
type lineDoc struct {
	Text    string   `json:"text"`
	Wrapped bool     `json:"wrapped,omitempty"`
	Runs    []runDoc `json:"runs,omitempty"`
}

// runDoc is a piece of a row in one style. A colour is "0" to "255" of the palette,
// or "#rrggbb"; "" is the terminal's default.
type runDoc struct {
	Text      string `json:"text"`
	Fg        string `json:"fg,omitempty"`
	Bg        string `json:"bg,omitempty"`
	Bold      bool   `json:"bold,omitempty"`
	Faint     bool   `json:"faint,omitempty"`
	Italic    bool   `json:"italic,omitempty"`
	Underline bool   `json:"underline,omitempty"`
	Blink     bool   `json:"blink,omitempty"`
	Reverse   bool   `json:"reverse,omitempty"`
	Hidden    bool   `json:"hidden,omitempty"`
	Strike    bool   `json:"strike,omitempty"`
}

func document(v *turn.View, s *term.Snapshot, offset uint64) *screenDoc {
	m := &s.Modes
	doc := &screenDoc{
		about:      describe(v, &console.Frame{Offset: offset, Snapshot: *s}),
		Generation: s.Generation, Alternate: s.Alternate, Scrolled: s.Scrolled, Output: s.Output,
		Cursor: cursorDoc{s.CursorRow, s.CursorCol, s.CursorShown},
		Modes:  modesDoc{m.BracketedPaste, m.Synchronized, m.Mouse, m.FocusEvents, m.AppCursor, m.KittyKeyboard},
		Lines:  make([]lineDoc, len(s.Lines)),
	}
	for i, l := range s.Lines {
		doc.Lines[i] = lineDoc{Text: l.Text, Wrapped: l.Wrapped, Runs: styled(l.Runs)}
	}
	return doc
}

// styled returns a row's runs, or nil if no run has a style.
func styled(runs []term.Run) []runDoc {
	docs := make([]runDoc, len(runs))
	plain := true
	for i, r := range runs {
		s := r.Style
		plain = plain && s == term.Style{}
		docs[i] = runDoc{
			Text: r.Text, Fg: colour(s.Fg), Bg: colour(s.Bg), Bold: s.Bold, Faint: s.Faint, Italic: s.Italic,
			Underline: s.Underline, Blink: s.Blink, Reverse: s.Reverse, Hidden: s.Hidden, Strike: s.Strike,
		}
	}
	if plain {
		return nil
	}
	return docs
}

func colour(c term.Color) string {
	if n, ok := c.Palette(); ok {
		return strconv.Itoa(int(n))
	}
	if r, g, b, ok := c.RGB(); ok {
		return fmt.Sprintf("#%02x%02x%02x", r, g, b)
	}
	return ""
}
