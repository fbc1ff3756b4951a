package turn_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// backTime is how long after its turn has ended a message is put back.
const backTime = 120 * time.Millisecond

// work is a turn.
func (f *fake) work(text string, stop chan struct{}) {
	prompt := text
	f.tell("working", "")
	f.report(channel.Report{State: channel.ReportWorking, Prompt: prompt})
	answer := f.answer(text, stop)
	if f.doneFirst > 0 {
		f.tell("done", "")
		pause(f.doneFirst)
	}
	f.mu.Lock()
	if f.queued != "" {
		f.goOn(answer, prompt)
		return
	}
	f.partial, f.busy, f.stop, f.deaf, f.garbled = "", "", nil, false, f.garbles
	f.title("✳ Claude Code")
	if answer == "" {
		f.say("  ⎿  Interrupted · What should Claude do instead?", "")
		f.mu.Unlock()
		f.tell("idle", "")
		return
	}
	if f.tips {
		f.dialog, f.tip = []string{" A tip for you", "", " Esc to close"}, true
	}
	f.say(append(answerRows(answer), "", "✻ Worked for 0s", "")...)
	if text == "BACK" {
		go f.putBack(backTime/3, []rune("leftover"))
	}
	f.mu.Unlock()
	if strings.HasPrefix(text, "FAIL ") { // its hooks, if it has any, say that this is an answer
		f.tell("error", "")
	} else if f.doneFirst == 0 {
		f.tell("done", "")
	}
	f.report(channel.Report{State: channel.ReportReady, Text: exact(answer), Prompt: prompt, Final: true})
}

// catchUp is a turn of which the screen shows nothing before it is over.
func (f *fake) catchUp(text string) {
	prompt := text
	answer := "ECHO: " + text
	if !strings.HasPrefix(text, "MUTE ") {
		f.report(channel.Report{State: channel.ReportWorking, Prompt: prompt})
		f.report(channel.Report{State: channel.ReportReady, Text: answer, Prompt: prompt, Final: true})
	}
	pause(f.behind)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.say(append([]string{"❯ " + prompt, ""}, append(answerRows(answer), "")...)...)
}

// wake is work that nobody at the terminal has asked for.
func (f *fake) wake() {
	pause(1500 * time.Millisecond)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.busy = ""
	f.say("● of its own", "")
}

// goOn ends a turn with what was typed meanwhile as the next one: it is never
// seen idle between the two. The lock is held.
func (f *fake) goOn(answer, prompt string) {
	text := f.queued
	f.queued, f.partial, f.stop = "", "", make(chan struct{})
	f.say(append(answerRows(answer), "", "✻ Worked for 0s", "", "❯ "+text, "")...)
	stop := f.stop
	f.mu.Unlock()
	f.report(channel.Report{State: channel.ReportReady, Text: exact(answer), Prompt: prompt, Final: true})
	if f.told {
		f.write("\x1b]7501;state=done\x1b\\\x1b]7501;state=working\x1b\\")
	}
	f.work(text, stop)
}

// exact is what the hook says that the answer was.
func exact(answer string) string { return strings.ReplaceAll(answer, "[bold]", "**bold**") }

func (f *fake) report(r channel.Report) {
	if f.channel != nil {
		check(f.channel.Report(context.Background(), r))
	}
}

// show draws a part of an answer, and reports false when it was interrupted.
func (f *fake) show(text string, after time.Duration, stop chan struct{}) bool {
	select {
	case <-stop:
		return false
	case <-time.After(after):
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.partial = text
	f.draw()
	return true
}

// answer is what is said to a message, "" when it was interrupted.
func (f *fake) answer(text string, stop chan struct{}) string {
	words := strings.Fields(text)
	number := func(i int) int { n, _ := strconv.Atoi(words[i]); return n }
	command := ""
	if len(words) > 0 {
		command = words[0]
	}
	switch command {
	case "FAIL":
		return "API Error: " + strings.Join(words[1:], " ")
	case "SAY":
		said := "ECHO:"
		for _, w := range words[2:] {
			said += " " + w
			if !f.show(said, time.Duration(number(1))*time.Millisecond, stop) {
				return ""
			}
		}
		return said
	case "PAUSE":
		if !f.show("first half", 0, stop) || !f.show("first half", time.Duration(number(1))*time.Millisecond, stop) {
			return ""
		}
		return "first half\nsecond half"
	case "ASK", "TWICE":
		said := ""
		for n := 0; n < map[string]int{"ASK": 1, "TWICE": 2}[command]; n++ {
			f.mu.Lock()
			f.question = fmt.Sprint(strings.Join(words[1:], " "), " #", n+1)
			f.chosen, f.askedAt = make(chan string, 1), time.Now()
			f.title("✳ Claude Code")
			f.draw()
			f.mu.Unlock()
			f.tell("blocked", ":kind=permission:msg="+base64.StdEncoding.EncodeToString([]byte("approve Bash")))
			a := "esc"
			select {
			case a = <-f.chosen:
			case <-stop:
				f.mu.Lock()
				f.question = ""
				f.mu.Unlock()
			}
			if a == "esc" {
				return ""
			}
			said += "chose " + a + "\n"
			f.mu.Lock()
			f.title("⠂ Claude Code")
			f.draw()
			f.mu.Unlock()
			f.tell("working", "")
		}
		return strings.TrimSuffix(said, "\n")
	case "STRANGE", "PICK", "SWAP", "DIALOG":
		return f.strangely(command, words[1:])
	case "LINES":
		var lines []string
		for i := range number(1) {
			lines = append(lines, fmt.Sprintf("line %d of the answer", i+1))
		}
		return strings.Join(lines, "\n")
	case "DEAF":
		f.mu.Lock()
		f.deaf = true
		f.mu.Unlock()
		f.show("at it", 0, stop)
		_, err := os.Stat(words[1])
		for err != nil {
			pause(20 * time.Millisecond)
			_, err = os.Stat(words[1])
		}
		return "at last"
	}
	if slices.Contains(words, "FAST") {
		return "ECHO: " + text
	}
	if !f.show("ECHO: "+text, 50*time.Millisecond, stop) {
		return ""
	}
	return "ECHO: " + text
}
