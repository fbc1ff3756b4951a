package turn_test

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// fake is an agent that draws its screen as claude does: a transcript that
// scrolls, and below it a spinner, a box to type into and a footer that are
// drawn anew at each change. What it is told decides what it does:
//
//	SAY ms text…   a word every ms/words milliseconds
//	PAUSE ms       half an answer, a pause, the other half
//	ASK cmd        a permission, then what was chosen
//	TWICE cmd      two permissions
//	STRANGE        a question that nobody can read, which Enter approves
//	PICK a b …     a choice with arrow keys
//	DIALOG         a dialog that stays until Esc
//	SWAP a b …     the same, and a permission in its place at the first of them
//	LINES n        an answer of n lines
//	BACK           the answer, and a moment later text in its input
//	LOST           nothing: the message is gone
//	ONCE           is lost the second time
//	MUTE ...       a turn of which no hook tells
//	DEAF           work that no Esc ends
//	EXIT n         the process ends
//	anything else  ECHO: and what was typed
type fake struct {
	out io.Writer

	// How it differs, by its arguments.
	slowStart time.Duration // before the box is there
	trust     bool          // a dialog first
	noPaste   bool          // mode 2004 stays off
	swallow   time.Duration // an Enter so soon after text is a part of it
	status    bool          // OSC 7501, when its query was answered
	hooks     bool          // session/report over the channel
	eats      string        // typed text that makes it busy at once, and is lost
	lostEnter bool          // no Enter ever sends anything
	wakes     string        // typed text that makes it work on something else, once; what is sent meanwhile is lost
	behind    time.Duration // its hooks tell all of a turn so long before it draws any of it
	lag       time.Duration // so late does it draw what was typed
	putsBack  time.Duration // an Esc so soon after an Enter puts the message back, a moment later
	tabs      bool          // it makes tabs blanks
	bangs     bool          // a paste that begins with ! makes all of the input a command
	parts     time.Duration // it takes the second half of a paste so late
	clears    string        // a file that says how often Ctrl-C came
	haunted   string        // text that comes into its input with the next paste, before it
	folds     bool          // of a long paste it shows a word, and takes it for a command whatever blank the paste begins with
	impatient time.Duration // two Ctrl-C within it end it, whatever they have cleared
	marks     string        // a file that says how many pastes have come
	doneFirst time.Duration // it says that it is done so long before it draws the answer
	garbles   bool          // after each turn its box is drawn where nobody can find it, until the size changes
	startled  time.Duration // so long after a question has come, keys are lost
	tips      bool          // after each turn a dialog comes, which Esc closes
	counts    bool          // its title tells how many Escs have come
	escs      string        // and so does a file
	dozes     time.Duration // it reads nothing for so long after a paste
	enters    string        // a file that says how many messages were sent
	ponders   time.Duration // it reads nothing, and shows the question still, so long after an answer

	escapes  int
	tip      bool // the dialog is one
	garbled  bool // the box is not to be found
	size     [2]int
	mu       sync.Mutex
	height   int // rows of what is drawn below the transcript
	below    int // rows under the cursor
	input    []rune
	typedAt  time.Time
	busy     string // the spinner's word; "": idle
	queued   string // typed while it was busy
	once     bool   // ONCE was typed
	quits    int    // keys that would end it, in a row
	ctrlC    time.Time
	ctrlCs   int
	entered  time.Time // the last Enter
	sent     []rune    // by it
	pastes   int
	drowsy   bool // it has just got a paste
	messages int
	spaced   bool   // the input began with a blank that was a key
	partial  string // the answer so far
	dialog   []string
	question string
	askedAt  time.Time
	strange  bool     // the question is one that nobody can read
	heard    string   // what was typed at it
	picks    []string // the choices, and at is the marked one
	at       int
	swap     bool
	chosen   chan string
	stop     chan struct{} // closed by Esc
	deaf     bool
	told     bool // the terminal knows OSC 7501
	channel  *channel.Client
}

func playFake(args []string) int {
	f := &fake{out: os.Stdout}
	for _, a := range args {
		name, value, _ := strings.Cut(a, "=")
		ms, _ := strconv.Atoi(value)
		switch name {
		case "slowStart":
			f.slowStart = time.Duration(ms) * time.Millisecond
		case "trust":
			f.trust = true
		case "noPaste":
			f.noPaste = true
		case "swallow":
			f.swallow = time.Duration(ms) * time.Millisecond
		case "status":
			f.status = true
		case "hooks":
			f.hooks = true
		case "eats":
			f.eats = value
		case "doneFirst":
			f.doneFirst = time.Duration(ms) * time.Millisecond
		case "garbles":
			f.garbles = true
		case "startled":
			f.startled = time.Duration(ms) * time.Millisecond
		case "tips":
			f.tips = true
		case "counts":
			f.counts = true
		case "escs":
			f.escs = value
		case "ponders":
			f.ponders = time.Duration(ms) * time.Millisecond
		case "lag":
			f.lag = time.Duration(ms) * time.Millisecond
		case "parts":
			f.parts = time.Duration(ms) * time.Millisecond
		case "clears":
			f.clears = value
		case "dozes":
			f.dozes = time.Duration(ms) * time.Millisecond
		case "enters":
			f.enters = value
		case "bangs":
			f.bangs = true
		case "haunted":
			f.haunted = value
		case "folds":
			f.folds = true
		case "tabs":
			f.tabs = true
		case "putsBack":
			f.putsBack = time.Duration(ms) * time.Millisecond
		case "impatient":
			f.impatient = time.Duration(ms) * time.Millisecond
		case "marks":
			f.marks = value
		case "behind":
			f.behind = time.Duration(ms) * time.Millisecond
		case "wakes":
			f.wakes = value
		case "lostEnter":
			f.lostEnter = true
		case "--settings", "--flat": // what hooks would need, and what nobody can type to
		default:
			fmt.Fprintln(os.Stderr, "no such habit:", a)
			return 99
		}
	}
	return f.run()
}

func (f *fake) run() int {
	state, err := term.MakeRaw(0)
	check(err)
	defer term.Restore(0, state)
	if f.hooks {
		f.channel = dial(channel.Capabilities{})
		defer f.channel.Close()
	}
	winch := make(chan os.Signal, 1)
	signal.Notify(winch, syscall.SIGWINCH)
	go func() {
		for range winch {
			f.mu.Lock()
			width, height, _ := term.GetSize(0)
			if size := [2]int{width, height}; size != f.size {
				f.size, f.garbled = size, false
			}
			f.draw()
			f.mu.Unlock()
		}
	}()
	if f.slowStart > 0 {
		f.write("loading…\r\n")
		pause(f.slowStart)
		f.drain() // what came before it was ready is lost
	}
	if !f.noPaste {
		f.write("\x1b[?2004h")
	}
	if f.status {
		f.write("\x1b]7501;?\x1b\\")
	}
	f.mu.Lock()
	if f.trust {
		f.dialog = []string{
			" Quick safety check: Is this a project you created or one you trust?", "",
			" ❯ 1. Yes, I trust this folder", "   2. No, exit", "", " Enter to confirm · Esc to cancel"}
	} else {
		f.title("✳ Claude Code")
	}
	f.draw()
	f.mu.Unlock()
	f.tell("idle", "")
	return f.read()
}

// drain throws away what can be read now.
func (f *fake) drain() {
	_ = syscall.SetNonblock(0, true)
	buf := make([]byte, 4096)
	for {
		if n, err := syscall.Read(0, buf); n <= 0 || err != nil {
			break
		}
	}
	_ = syscall.SetNonblock(0, false)
}

// pause is time that passes in the agent.
func pause(d time.Duration) { <-time.After(d) }

func (f *fake) write(s string) { io.WriteString(f.out, s) }

func (f *fake) title(s string) { f.write("\x1b]0;" + s + "\x07") }

// tell reports the state by OSC 7501.
func (f *fake) tell(state, rest string) {
	if f.told {
		f.write("\x1b]7501;state=" + state + rest + "\x1b\\")
	}
}

// say adds to the transcript. The lock is held.
func (f *fake) say(lines ...string) {
	f.erase()
	f.write(strings.Join(lines, "\r\n") + "\r\n")
	f.draw()
}

// erase takes away what is drawn below the transcript.
func (f *fake) erase() {
	if f.height == 0 {
		return
	}
	if f.below > 0 {
		f.write(fmt.Sprintf("\x1b[%dB", f.below))
	}
	if f.height > 1 {
		f.write(fmt.Sprintf("\x1b[%dA", f.height-1))
	}
	f.write("\r\x1b[J")
	f.height, f.below = 0, 0
}

// draw draws it anew. The lock is held.
func (f *fake) draw() {
	f.erase()
	width, height, err := term.GetSize(0)
	if err != nil {
		width = 120
	}
	if f.size == [2]int{} {
		f.size = [2]int{width, height}
	}
	rule := strings.Repeat("─", width)
	var rows []string
	cursor := -1
	switch {
	case f.dialog != nil:
		rows = append([]string{rule}, f.dialog...)
	case f.strange:
		rows = []string{rule, "Strange tool wants to run. Proceed? [Enter = yes, Esc = no]"}
	case f.picks != nil:
		rows = []string{rule, " Which one?", ""}
		for i, pick := range f.picks {
			rows = append(rows, map[bool]string{true: " ❯ ", false: "   "}[i == f.at]+pick)
		}
		rows = append(rows, "", " Enter to select")
	case f.question != "":
		rows = []string{"● Bash(" + f.question + ")", "  ⎿  Waiting…", "", rule, " Bash command", "", "   " + f.question, "",
			" Do you want to proceed?", " ❯ 1. Yes", "   2. Yes, and don't ask again for this", "   3. No", "", " Esc to cancel · Tab to amend"}
	default:
		if f.partial != "" {
			rows = answerRows(f.partial)
			rows = append(rows[max(0, len(rows)-maxPartial):], "") // what scrolls off cannot be drawn anew
		}
		if f.busy != "" {
			rows = append(rows, "✢ "+f.busy+"… (1s · ↓ 4 tokens)", "")
		}
		rows = append(rows, rule)
		text := strings.Split(string(f.input), "\n")
		if len(text) > 5 || len(f.input) > 800 {
			text = []string{fmt.Sprintf("[Pasted text #1 +%d lines]", len(text)-1)}
		}
		for i, l := range text {
			if f.garbled {
				rows = append(rows, rule)
			} else if i == 0 {
				rows = append(rows, "❯ "+l)
			} else {
				rows = append(rows, "  "+l)
			}
		}
		cursor = len(rows) - 1
		rows = append(rows, rule)
		if f.busy != "" {
			rows = append(rows, "  esc to interrupt · ← for agents")
		} else {
			rows = append(rows, "  ? for shortcuts · ← for agents")
		}
	}
	f.write("\x1b[?2026h" + strings.Join(rows, "\r\n"))
	f.height = len(rows)
	if cursor >= 0 {
		f.below = len(rows) - 1 - cursor
		f.write(fmt.Sprintf("\x1b[%dA\r\x1b[%dC", f.below, 2+len([]rune(lastLine(string(f.input))))))
	}
	f.write("\x1b[?2026l")
}

// maxPartial is how many rows of an answer are shown while it grows.
const maxPartial = 20

func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

// wrap breaks lines that are too long at blanks, which it leaves out.
func wrap(text string, width int) (rows []string) {
	for _, line := range strings.Split(text, "\n") {
		row := ""
		for i, w := range strings.Split(line, " ") {
			switch {
			case i == 0:
				row = w
			case len([]rune(row))+1+len([]rune(w)) > width:
				rows, row = append(rows, row), w
			default:
				row += " " + w
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func answerRows(text string) []string {
	rows := wrap(text, 118)
	for i := range rows {
		if i == 0 {
			rows[i] = "● " + rows[i]
		} else if rows[i] != "" {
			rows[i] = "  " + rows[i]
		}
	}
	return rows
}
