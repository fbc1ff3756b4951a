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

// read takes keys until the terminal hangs up.
func (f *fake) read() int {
	buf := make([]byte, 64<<10)
	pasting := false
	var pending []byte
	for {
		n, err := os.Stdin.Read(buf)
		if err != nil {
			return 0
		}
		data := append(pending, buf[:n]...)
		pending = nil
		f.mu.Lock()
		for len(data) > 0 {
			s := string(data)
			switch {
			case strings.HasPrefix(s, "\x1b[200~"):
				pasting, data = true, data[6:]
				continue
			case strings.HasPrefix(s, "\x1b[201~"):
				pasting, data = false, data[6:]
				f.pasted()
				continue
			case strings.HasPrefix(s, "\x1b[Z"): // Shift-Tab
				data = data[3:]
				continue
			case strings.HasPrefix(s, "\x1b[B"):
				data = data[3:]
				f.down()
				continue
			case strings.HasPrefix(s, "\x1b]7501"):
				end := strings.Index(s, "\x1b\\")
				f.told, data = true, data[end+2:]
				f.tell("idle", "")
				continue
			case pasting:
				end := strings.Index(s, "\x1b[201~")
				if end < 0 {
					if i := strings.LastIndexByte(s, 0x1b); i >= 0 && len(s)-i < 6 {
						pending, data = data[i:], data[:i]
					}
					f.insert(string(data))
					data = nil
					continue
				}
				f.insert(s[:end])
				data = data[end:]
				continue
			}
			k := []rune(s)[0]
			data = data[len(string(k)):]
			if code, over := f.key(k, len(data) > 0); over {
				f.mu.Unlock()
				return code
			}
		}
		if f.lag == 0 || f.busy != "" {
			f.draw()
		} else {
			go f.drawLate()
		}
		drowsy := f.drowsy
		f.drowsy = false
		f.mu.Unlock()
		if drowsy {
			pause(f.dozes)
		}
	}
}

// drawLate draws what has come so far when it is no news any more.
func (f *fake) drawLate() {
	pause(f.lag)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.draw()
}

// insertLate is the rest of a paste.
func (f *fake) insertLate(s string) {
	pause(f.parts)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.input = append(f.input, []rune(s)...)
	f.draw()
}

// pasted tells that a paste has come.
func (f *fake) pasted() {
	f.drowsy = true
	if f.marks != "" {
		f.pastes++
		check(os.WriteFile(f.marks, []byte(strconv.Itoa(f.pastes)), 0o600))
	}
}

// putBack puts the message of the turn into the input again.
func (f *fake) putBack(after time.Duration, text []rune) {
	pause(after)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.input = append(text, f.input...)
	f.draw()
}

// backTime is how long after its turn has ended a message is put back.
const backTime = 120 * time.Millisecond

func (f *fake) insert(s string) {
	if f.dialog != nil || f.question != "" || f.strange || f.picks != nil {
		return // lost
	}
	s, f.haunted = f.haunted+s, ""
	if f.bangs && strings.HasPrefix(strings.TrimSpace(s), "!") {
		s = "RUN " + s
	}
	if half := len(s) / 2; f.parts > 0 && len(s) > 1 {
		go f.insertLate(s[half:])
		s = s[:half]
	}
	if f.tabs {
		s = strings.ReplaceAll(s, "\t", "    ")
	}
	f.input = append(f.input, []rune(strings.ReplaceAll(s, "\r", "\n"))...)
	f.typedAt = time.Now()
	if f.wakes != "" && strings.Contains(string(f.input), f.wakes) {
		f.wakes = ""
		f.busy = "Pondering"
		go f.wake()
	}
	if f.eats != "" && strings.Contains(string(f.input), f.eats) {
		f.input, f.eats = nil, ""
		f.dialog = []string{" Quick safety check: Is this a project you created or one you trust?", "",
			" ❯ 1. Yes, I trust this folder", "   2. No, exit"}
	}
}

// key is one key. The lock is held.
func (f *fake) key(k rune, more bool) (code int, over bool) {
	if k == 0x1b {
		f.escapes++
		if f.counts {
			f.title(fmt.Sprint("escape ", f.escapes))
		}
		if f.escs != "" {
			check(os.WriteFile(f.escs, []byte(strconv.Itoa(f.escapes)), 0o600))
		}
	}
	switch {
	case f.dialog != nil:
		switch {
		case k == '\r':
			f.dialog = nil
			f.title("✳ Claude Code")
		case k == 0x1b && f.tip:
			pause(f.ponders)
			f.dialog, f.tip = nil, false
		case k == 0x1b && f.chosen != nil: // in the middle of a turn
			f.dialog = nil
			f.chosen <- "nothing"
		}
	case f.strange:
		switch k {
		case '\r':
			f.strange = false
			f.chosen <- "enter after " + strconv.Quote(f.heard)
		case 0x1b:
			f.strange = false
			f.chosen <- "no"
		default:
			f.heard += string(k)
		}
	case f.picks != nil:
		if k == '\r' {
			pick := f.picks[f.at]
			f.picks = nil
			f.chosen <- pick
		}
	case f.question != "" && time.Since(f.askedAt) < f.startled:
	case f.question != "":
		if answer := map[rune]string{'1': "yes", '2': "always", '3': "no", 0x1b: "esc", '\r': "yes"}[k]; answer != "" {
			if f.ponders > 0 {
				f.title("pondering")
				pause(f.ponders)
			}
			f.question = ""
			f.chosen <- answer
		} else {
			f.title("heard " + string(k))
		}
	case k == 0x1b:
		if f.stop != nil && time.Since(f.entered) < f.putsBack {
			go f.putBack(backTime, f.sent)
		}
		if f.stop != nil && !f.deaf {
			close(f.stop)
			f.stop = nil
		}
	case k == 0x03 && time.Since(f.ctrlC) < f.impatient:
		return 0, true
	case k == 0x03:
		f.ctrlC = time.Now()
		if f.ctrlCs++; f.clears != "" {
			check(os.WriteFile(f.clears, []byte(strconv.Itoa(f.ctrlCs)), 0o600))
		}
		if len(f.input) > 0 || f.busy != "" {
			f.input, f.quits = nil, 0
			return 0, false
		}
		f.quits++
		return 0, f.quits == 2
	case k == 0x7f: // Backspace
		f.input = f.input[:max(0, len(f.input)-1)]
	case k == '\r':
		if f.swallow > 0 && time.Since(f.typedAt) < f.swallow || more {
			f.input = append(f.input, '\n')
			return 0, false
		}
		if f.lostEnter || len(f.input) == 0 {
			return 0, false
		}
		text := strings.TrimRight(string(f.input), "\n")
		if f.folds && len(text) > 800 && strings.HasPrefix(strings.TrimSpace(text), "/") && !f.spaced {
			return 0, false // no such command
		}
		f.sent, f.entered = f.input, time.Now()
		if f.messages++; f.enters != "" {
			check(os.WriteFile(f.enters, []byte(strconv.Itoa(f.messages)), 0o600))
		}
		f.input = nil
		if f.busy == "Pondering" {
			return 0, false
		}
		if f.busy != "" {
			f.queued = text
			return 0, false
		}
		if n, ok := strings.CutPrefix(text, "EXIT "); ok {
			code, _ = strconv.Atoi(n)
			return code, true
		}
		if text == "LOST" || text == "ONCE" && f.once {
			return 0, false
		}
		f.once = f.once || text == "ONCE"
		if f.behind > 0 {
			go f.catchUp(text)
			return 0, false
		}
		f.busy = "Fermenting"
		f.stop = make(chan struct{})
		f.erase()
		rows := wrap(text, 118)
		for i := range rows {
			rows[i] = "  " + rows[i]
		}
		f.write("❯ " + strings.TrimPrefix(strings.Join(rows, "\r\n"), "  ") + "\r\n\r\n")
		f.title("⠂ Claude Code")
		go f.work(text, f.stop)
	default:
		f.spaced = len(f.input) == 0 && k == ' '
		f.input = append(f.input, k)
		f.typedAt = time.Now()
	}
	return 0, false
}

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
