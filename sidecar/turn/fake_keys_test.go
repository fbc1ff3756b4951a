package turn_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
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
