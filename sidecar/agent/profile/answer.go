package profile

import "github.com/a2a-sidecar/sidecar/manifest/jsontree"

// Answer says how the text of an answer is distinguished from what the agent draws
// around it: see [Reader]. Rows are looked at one by one, from the message's echo
// down. The zero value means the rules of the generic profile.
type Answer struct {
	// Echo fits the first row of a message as the agent shows it after it was sent; the
	// first group is its text. Without Echo, the first row that has the message behind
	// a few signs is taken for the echo.
	Echo *Pattern `json:"echo"`
	// Text fits the first row of a block of text, Body a further one: the first group
	// is the text. A row that fits neither, and is not blank, ends the block, and so
	// does an echo of another message. Without Text, a row that fits Body is text
	// wherever it stands below the echo; without Body every row is text.
	Text *Pattern `json:"text"`
	Body *Pattern `json:"body"`
	// Drop fits rows that are never text. Such a row ends a block.
	Drop []Pattern `json:"drop"`
	// Tool fits rows that look like the first of a block or, after a blank row, like a
	// further one, and that begin a tool call if a row that fits ToolMark comes before
	// the next blank row.
	Tool     []Pattern `json:"tool"`
	ToolMark *Pattern  `json:"toolMark"`
	// Stale fits rows that stand only at the top of the live region. If such a row is
	// found above text after the screen was resized, the agent has left a part of the
	// live region behind and drawn it again below.
	Stale []Pattern `json:"stale"`
	// Failed finds an error that the turn ended with: see [Reader.Failure].
	Failed []Failure `json:"failed"`
	// Live says where the transcript ends and what the agent keeps below it (the input
	// box, a question) begins. The first that fits counts.
	Live []Border `json:"live"`
	// Preview says that the last paragraph, if it is not the first of its block, may be
	// a line that is still being written, and that lines above it may still be missing
	// and come later.
	Preview bool `json:"preview"`
	// Wrap says how the agent breaks lines that are too long: WrapInk, WrapTrim or
	// WrapWide; "" if it does not break them.
	Wrap string `json:"wrap"`
	// Margin is how many columns of the screen, left and right together, never hold
	// text.
	Margin int `json:"margin"`
}

// Border is where a region of the screen begins.
type Border struct {
	// At sees a row, a newline and the row below it. The lowest place that fits counts.
	At Pattern `json:"at"`
	// Up fits rows right above that place which belong to the region too.
	Up *Pattern `json:"up"`
}

// Failure says how an agent shows that a turn has ended with an error, in the place of
// the answer or of the rest of it.
type Failure struct {
	// Row fits the first row; the first group is what went wrong. The lowest row that
	// fits counts, if it is new since the message and no block of text begins below it.
	Row Pattern `json:"row"`
	// More fits rows right below that continue the error.
	More *Pattern `json:"more"`
	// Below is what the next row that is not blank must look like; it sees "" if there
	// is none.
	Below *Pattern `json:"below"`
}

// The values of Answer.Wrap. Each of them cuts a word that is longer than a row.
const (
	// WrapInk breaks before a word; the blank after a full row begins the next row.
	WrapInk = "ink"
	// WrapTrim breaks at blanks and leaves them out.
	WrapTrim = "trim"
	// WrapWide is WrapTrim that also breaks between any two wide characters.
	WrapWide = "wide"
)

// checkAnswer finds what is wrong with the rules of the answer.
func (d *decoder) checkAnswer(root *jsontree.Node, a *Answer) {
	d.oneOf(root, "/answer/wrap", a.Wrap, "", WrapInk, WrapTrim, WrapWide)
	for name, p := range map[string]*Pattern{"echo": a.Echo, "text": a.Text, "body": a.Body} {
		if p.ungrouped() {
			d.at(root, "/answer/"+name, "the pattern has no group", "put ( ) around the text")
		}
	}
	if len(a.Tool) > 0 && a.ToolMark == nil {
		d.at(root, "/answer/tool", "nothing would tell a tool call from text", "give toolMark: what stands below it")
	}
}
