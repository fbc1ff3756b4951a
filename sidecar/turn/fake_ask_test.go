package turn_test

import (
	"encoding/base64"
	"time"
)

// strangely asks what is no permission.
func (f *fake) strangely(command string, picks []string) string {
	f.mu.Lock()
	f.chosen = make(chan string, 1)
	f.strange, f.swap, f.at = command == "STRANGE", command == "SWAP", 0
	switch command {
	case "PICK", "SWAP":
		f.picks = picks
	case "DIALOG":
		f.dialog = trust()
	}
	f.title("✳ Claude Code")
	f.draw()
	f.mu.Unlock()
	if command == "DIALOG" {
		return "chose " + <-f.chosen
	}
	if command == "STRANGE" {
		f.tell("blocked", ":kind=permission:msg="+base64.StdEncoding.EncodeToString([]byte("approve Strange")))
	} else {
		f.tell("blocked", ":kind=question")
	}
	a := <-f.chosen
	f.tell("working", "")
	return "chose " + a
}

// trust is a dialog that is no question of a turn's.
func trust() []string {
	return []string{" Quick safety check: Is this a project you created or one you trust?", "",
		" ❯ 1. Yes, I trust this folder", "   2. No, exit"}
}

// down is the arrow. The lock is held.
func (f *fake) down() {
	if f.picks == nil {
		return
	}
	f.at = min(f.at+1, len(f.picks)-1)
	if f.swap {
		pause(500 * time.Millisecond) // it is slow to draw it
		f.picks, f.question = nil, "in its place"
	}
}
