package profile

import "github.com/a2a-sidecar/sidecar/manifest/jsontree"

// Answer says how the text of an answer is told from what the agent draws
// around it: see [Reader]. Rows are looked at one by one, from the message's
// echo down. The zero value means the rules of the generic profile.
type Answer struct {
	// Echo is the first row of a message as the agent shows it once it was
	// sent; the first group is its text. Without it, a row that has the message
	// behind a few signs is taken for the echo, the first time.
	Echo *Pattern `json:"echo"`
	// Text is the first row of a block of text, Body a further one: the first
	// group is the text. A row that fits neither, and is not blank, ends the
	// block, and so does an echo of another message. Without Text, what fits
	// Body is text wherever it stands below the echo; without Body everything
	// is.
	Text *Pattern `json:"text"`
	Body *Pattern `json:"body"`
	// Drop are rows that are never text. One ends a block.
	Drop []Pattern `json:"drop"`
	// Tool are rows which look like the first of a block or, after a blank row,
	// like a further one, and begin a tool call if a row that fits ToolMark
	// comes before the next blank one.
	Tool     []Pattern `json:"tool"`
	ToolMark *Pattern  `json:"toolMark"`
	// Stale are rows that stand at the top of the live region only. Where one is
	// found above text after the screen got another size, the agent has left a
	// part of the live region behind and drawn it again below.
	Stale []Pattern `json:"stale"`
	// Failed are for an error that the turn ended with: see [Reader.Failure].
	Failed []Failure `json:"failed"`
	// Live are for where the transcript ends and what the agent keeps below it
	// (the input box, a question) begins. The first that fits counts.
	Live []Border `json:"live"`
	// Preview says that the last paragraph, when it is not the first of its
	// block, may be a line that is still being written, with lines missing above
	// it which come later.
	Preview bool `json:"preview"`
	// Wrap says how the agent breaks lines that are too long: WrapInk, WrapTrim,
	// WrapWide, or "" for not at all.
	Wrap string `json:"wrap"`
	// Margin is how many columns of the screen, left and right together, text
	// is never in.
	Margin int `json:"margin"`
}

// Border is where a region of the screen begins.
type Border struct {
	// At sees a row, a newline and the row below it. The lowest place counts.
	At Pattern `json:"at"`
	// Up are rows right above that place which belong to the region too.
	Up *Pattern `json:"up"`
}

// Failure is how an agent shows that a turn has ended with an error, in the
// place of the answer or of the rest of it.
type Failure struct {
	// Row is the first row; the first group is what went wrong. The lowest
	// that fits counts, if it is new since the message and no block of text
	// begins below it.
	Row Pattern `json:"row"`
	// More are rows right below that go on with it.
	More *Pattern `json:"more"`
	// Below is what the next row must look like that has something in it; it
	// sees "" when there is none.
	Below *Pattern `json:"below"`
}

// The values of Answer.Wrap. All cut a word that is longer than a row.
const (
	// WrapInk breaks before a word; of a full row the blank begins the next.
	WrapInk = "ink"
	// WrapTrim breaks at blanks and leaves them out.
	WrapTrim = "trim"
	// WrapWide is WrapTrim, and breaks between any two wide characters too.
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
