package learn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// smallest returns the smallest number from 1 for which ok is true, and 0 if it is true for none.
func smallest(ok func(n int) bool) int {
	for n := 1; n < 2000; n++ {
		if ok(n) {
			return n
		}
	}
	return 0
}

// largest returns the largest number for which ok is true, if it is true for all smaller ones.
func largest(ok func(n int) bool) int { return smallest(func(n int) bool { return !ok(n) }) - 1 }

// x returns n letters.
func x(n int) string { return strings.Repeat("x", n) }

// word returns a word of six letters, a different one for each number.
func word(n int) string {
	b := []byte("aaaaaa")
	for i := range b {
		b[i] += byte(n % 26)
		n /= 26
	}
	return string(b)
}

// numbered returns n different rows.
func numbered(n int) (rows []string) {
	for i := range n {
		rows = append(rows, word(i))
	}
	return rows
}

// snapshot returns a snapshot of rows.
func snapshot(rows ...string) (s term.Snapshot) {
	for _, row := range rows {
		s.Lines = append(s.Lines, term.Line{Text: row})
	}
	s.Cols, s.CursorRow = 80, len(rows)-1
	return s
}

// seen returns a learner that knows an input and has seen these frames of a turn.
func seen(frames ...[]string) *Learner {
	l := &Learner{}
	l.Before(snapshot("Welcome", "> "))
	l.Typed(snapshot("Welcome", "> hello"), "hello")
	for _, rows := range frames {
		l.SeeWorking(snapshot(append(rows, "> ")...))
	}
	return l
}

// answered returns a learner that has seen n turns.
func answered(n int) *Learner {
	l := &Learner{}
	for i := range n {
		l.Before(snapshot("Welcome", "> "))
		l.Typed(snapshot("Welcome", "> hello "+word(i)), "hello "+word(i))
		l.SeeWorking(snapshot("Welcome", "Pondering", "> "))
		l.SeeWorking(snapshot("Welcome", "Pondering.", "> "))
		l.SeeResting(snapshot("Welcome", "> hello "+word(i), "Well met", "> "))
	}
	return l
}

// covered returns frames of which n have a sign, and the others something else each.
func covered(n, all int) (frames [][]string) {
	for i := range all {
		row := fmt.Sprintf("%d %s", i, word(i))
		if i < n {
			row = fmt.Sprintf("%d Pondering", i)
		}
		frames = append(frames, []string{row})
	}
	return frames
}

// frameOf returns a frame with these rows.
func frameOf(rows ...string) frame {
	var t watch
	f, _ := t.frame(&screen{rows: rows, alternate: true}, nil)
	return f
}

// TestLimits: each limit is what it is, as a caller would notice it. The numbers are written out
// so that a limit cannot change unnoticed.
func TestLimits(t *testing.T) {
	long := strings.Repeat("abcdefghij", 20)
	finds := func(lead string, cols int) bool {
		before, now := screen{rows: []string{"Welcome"}, cols: cols}, screen{rows: []string{"Welcome", lead + "hello"}, cursor: 1, cols: cols}
		_, ok := learnInput(&before, &now, "hello")
		return ok
	}
	for _, tt := range []struct {
		name string
		want int
		got  func() int
	}{
		{"rowsMax", 60, func() int { v := see(snapshot(numbered(200)...)); return len(v.rows) }},
		{"rowsMax above the cursor", 60, func() int {
			return largest(func(n int) bool {
				before, now := screen{cols: 80}, screen{rows: []string{"hello"}, cursor: n, cols: 80}
				in, ok := learnInput(&before, &now, "hello")
				return ok && in.up == n
			})
		}},
		{"cellsMax", 400, func() int { v := see(snapshot(x(2000))); return len(v.rows[0]) }},
		{"boxLinesMin", 8, func() int { return smallest(func(n int) bool { return boxSide(strings.Repeat("─", n)) }) }},
		{"boxShare", 19, func() int { return largest(func(n int) bool { return boxSide(strings.Repeat("─", 20) + x(n)) }) }},

		{"partMin", 8, func() int {
			return smallest(func(n int) bool { return len(find(&screen{rows: []string{"> " + long[:n]}}, long)) > 0 })
		}},
		{"leadShare", 20, func() int { return largest(func(n int) bool { return finds(x(n), 40) }) }},
		{"leadPatternMax", 150, func() int { return largest(func(n int) bool { return finds(strings.Repeat("(", n), 4000) }) }},
		{"emptyMax", 8, func() int {
			var in input
			for _, shown := range numbered(100) {
				in.addEmpty(shown)
			}
			return len(in.empty)
		}},
		{"stemMax", 24, func() int { return len(stem(x(200))) }},

		{"fullNum, fullDen", 76, func() int { return smallest(func(n int) bool { return isFull(n, x(90), 100) }) }},
		{"fullSlack", 12, func() int { return smallest(func(n int) bool { return isFull(80, x(n), 100) }) }},
		{"chromeMax", 8, func() int {
			rows := append(numbered(30), "> ")
			in := input{lead: "> ", found: true}
			before, now := screen{rows: append([]string{"old"}, rows...)}, screen{rows: append([]string{"new"}, rows...)}
			return len(in.sameAbove(&before, &now))
		}},
		{"rowPatternMax", 299 /* without its end */, func() int {
			l := seen()
			l.chromeRows = []string{x(390)}
			return len(l.draft("x").Answer.Drop[3])
		}},
		{"shortPatternMax", 109, func() int {
			l := seen()
			for i := range 8 {
				l.chromeRows = append(l.chromeRows, word(i)+x(390))
			}
			all := strings.Split(l.borders()[0].Up, "|")
			return len(all[len(all)-1])
		}},
		{"gapMin", 6, func() int {
			return smallest(func(n int) bool { return strings.Contains(rowPattern("a"+strings.Repeat(" ", n)+"b", 300), "{") })
		}},

		{"wordsMax", 4, func() (most int) {
			for _, phrase := range phrases(strings.Join(numbered(20), " ")) {
				most = max(most, strings.Count(phrase, " ")+1)
			}
			return most
		}},
		{"rowWordsMax", 40, func() int {
			last := map[string]bool{}
			for _, phrase := range phrases(strings.Join(numbered(100), " ")) {
				last[phrase[strings.LastIndex(phrase, " ")+1:]] = true
			}
			return len(last)
		}},
		{"lettersMin", 5, func() int { return smallest(func(n int) bool { return len(phrases(x(n))) > 0 }) }},
		{"phraseMax", 79, func() int { return largest(func(n int) bool { return n < lettersMin || len(phrases(x(n))) > 0 }) }},

		{"framesMax", 64, func() (most int) {
			var w work
			for i := range 1000 {
				w.sample(frameOf(word(i)))
				most = max(most, len(w.frames))
			}
			return most
		}},
		{"turnFrames", 16, func() int {
			l := seen(covered(40, 40)...)
			l.SeeResting(snapshot("Welcome", "> "))
			return len(l.session.frames)
		}},
		{"framesMax of the session", 64, func() int {
			l := &Learner{}
			for range 9 {
				l.turn, l.kept = seen(covered(40, 40)...).turn, false
				l.keepTurn()
			}
			return len(l.session.frames)
		}},
		{"turnPhrases", 512, func() int {
			l := seen(numbered(40))
			for i := range 40 {
				l.SeeWorking(snapshot(numbered(16 * (i + 1))[16*i:]...))
			}
			for i := range 40 {
				rows := numbered(16 * (i + 1))[16*i:]
				for j := range rows {
					rows[j] += " alpha bravo gamma delta " + word(i*16+j+5000)
				}
				l.SeeWorking(snapshot(rows...))
			}
			l.SeeResting(snapshot("Welcome", "> "))
			_, all := l.search(&l.turn).evidence()
			return len(all)
		}},
		{"phrasesMax", 4096, func() (most int) {
			var w work
			for i := range framesMax {
				rows := make([]string, 128)
				for j := range rows {
					rows[j] = word(i*128 + j)
				}
				w.sample(frameOf(rows...))
				most = max(most, len(w.phrases))
			}
			return most
		}},
		{"glyphsMax", 48, func() int {
			var w work
			for i := range 200 {
				w.add(frameOf(string(rune(0x2800+i))+" x"), nil)
			}
			return len(w.glyphs)
		}},
		{"glyphsMax of titles", 48, func() int {
			var all titles
			for i := range 200 {
				all.see(string(rune(0x2800+i)) + " x")
			}
			return len(all.glyphs)
		}},
		{"rowsKept", 4096, func() (most int) {
			var w watch
			for i := range 9000 {
				w.frame(&screen{rows: []string{word(i)}}, nil)
				most = max(most, len(w.rows)-1)
			}
			return most
		}},
		{"signRows", 16, func() int { var w watch; f, _ := w.frame(&screen{rows: numbered(60)}, nil); return len(f.rows) }},
		{"spunMin", 3, func() int {
			return smallest(func(n int) bool {
				var w work
				w.sample(frameOf("⠋ " + x(n)))
				return w.became("* " + x(n+5))
			})
		}},

		{"coverShare", 16, func() int { return smallest(func(n int) bool { return len(seen(covered(n, 64)...).signs()) > 0 }) }},
		{"coverShare, all signs", 4, func() int {
			var frames [][]string
			for i := range 64 {
				frames = append(frames, []string{fmt.Sprintf("%d %s", i, word(i%4))})
			}
			return len(seen(frames...).signs())
		}},
		{"movedMin", 2, func() int {
			return smallest(func(n int) bool { return seen(covered(n, n)...).Moved(snapshot("Welcome", "> ")) })
		}},
		{"spinnerMin", 2, func() int {
			return smallest(func(n int) bool {
				var frames [][]string
				for i := range 2 * n {
					frames = append(frames, []string{fmt.Sprintf("%c %d", '✢'+rune(i%n), i)})
				}
				return len(seen(frames...).signs()) > 0
			})
		}},
		{"titleShare", 10, func() int {
			return smallest(func(n int) bool {
				var all titles
				for i := range 20 {
					all.see(map[bool]string{true: "✳ x", false: "x"}[i < n])
				}
				return len(all.sign(nil)) > 0
			})
		}},

		{"restsMax", 9, func() int { return len(answered(40).rests) }},
		{"answersMax", 9, func() int { return len(answered(40).answers) }},
		{"sureAnswers", 2, func() int { return smallest(func(n int) bool { return answered(n).Confirmed() }) }},

		{"slack", 2, func() int { return answered(1).File("x").Prompt.After }},
		{"slack of a sign", 4, func() int { return answered(1).File("x").Signs[0].Rows }},
		{"promptRows", 40, func() int { return answered(1).File("x").Prompt.Rows }},
		{"lastAnswers", 2, func() int { // the later kind of answers must be so many
			return smallest(func(n int) bool {
				l := answered(9)
				for i := range l.answers {
					l.answers[i].mark = map[bool]rune{true: '●', false: '◆'}[i < 9-n]
				}
				return strings.Contains(l.draft("x").Answer.Text, "◆")
			})
		}},
		{"certainNum, certainDen", 36, func() int {
			return smallest(func(n int) bool {
				l := answered(1)
				return n > 19 && len(l.unsure(&File{}, []sign{{covers: n, total: 40}})) < len(l.unsure(&File{}, []sign{{covers: 1, total: 40}}))
			})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.got(); got != tt.want {
				t.Errorf("it is %d, not %d", got, tt.want)
			}
		})
	}
}

// TestPatternMax: the longest pattern is the longest that a profile takes.
func TestPatternMax(t *testing.T) {
	for n, want := range map[int]bool{patternMax: true, patternMax + 1: false} {
		f := answered(1).draft("x")
		f.Answer.Echo = "^(" + x(n-3) + ")"
		if f, p := f.check(); p == nil || (f.Answer.Echo != "") != want {
			t.Errorf("a pattern of %d bytes is kept: %v", n, !want)
		}
	}
}
