package learn_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/learn"
)

// A turn of one kind, as the screens that it shows.
type turnKind struct {
	name    string
	works   []term.Snapshot
	rest    term.Snapshot
	typed   term.Snapshot
	before  term.Snapshot
	message string
}

// turnKinds are an ordinary turn, in which an answer of ordinary text appears row by row, and the
// worst one: a large alternate screen on which each row changes in each frame.
func turnKinds() []turnKind {
	words := strings.Fields("the sea looks different in the morning when fishing boats return and gulls circle over the harbour wall while somebody repairs nets beside blue doors")
	text := func(seed, n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(words[(seed*7+i*(seed%5+1))%len(words)])
			b.WriteByte(' ')
		}
		return b.String()
	}
	ordinary := turnKind{name: "ordinary", message: "hello", before: showIn(120, 40, "Welcome", "> |"), typed: showIn(120, 40, "Welcome", "> hello|")}
	said := []string{"> hello"}
	for i := range 400 {
		if i%10 == 0 {
			said = append(said, text(i, 14))
		}
		rows := append(said[max(0, len(said)-36):len(said):len(said)], fmt.Sprintf("✳ Thinking (%ds · esc to interrupt)", i), "> |")
		ordinary.works = append(ordinary.works, showIn(120, 40, rows...))
	}
	ordinary.rest = showIn(120, 40, append(said[len(said)-36:], "> |")...)
	worst := turnKind{name: "worst", message: "hello", before: showIn(300, 60, altScreen+"Welcome", "> |"), typed: showIn(300, 60, "\x1b[?1049hWelcome", "> hello|")}
	picture := func(n int) term.Snapshot {
		rows := []string{altScreen + "> hello"}
		for i := range 58 {
			var b strings.Builder
			for j := range 45 {
				b.WriteString(letters(n*2610 + i*45 + j)[:5])
				b.WriteByte(' ')
			}
			rows = append(rows, b.String())
		}
		return showIn(300, 60, append(rows, "> |")...)
	}
	for i := range 100 {
		worst.works = append(worst.works, picture(i))
	}
	worst.rest = picture(1000)
	return []turnKind{ordinary, worst}
}

// begun returns a learner to which the message of a turn was sent.
func (k *turnKind) begun() *learn.Learner {
	l := &learn.Learner{}
	l.Before(k.before)
	l.Typed(k.typed, k.message)
	return l
}

// worked returns a learner that has seen the turn up to its end.
func (k *turnKind) worked() *learn.Learner {
	l := k.begun()
	for _, s := range k.works {
		l.SeeWorking(s)
	}
	return l
}

// BenchmarkSeeWorking is the cost of one screen of a turn, on average.
func BenchmarkSeeWorking(b *testing.B) {
	for _, k := range turnKinds() {
		b.Run(k.name, func(b *testing.B) {
			l, i := k.begun(), 0
			for b.Loop() {
				if i == len(k.works) {
					b.StopTimer()
					l, i = k.begun(), 0
					b.StartTimer()
				}
				l.SeeWorking(k.works[i])
				i++
			}
		})
	}
}

// BenchmarkMoved is the cost of a look at a screen that has changed, after a long turn.
func BenchmarkMoved(b *testing.B) {
	for _, k := range turnKinds() {
		b.Run(k.name, func(b *testing.B) {
			l, i := k.worked(), 0
			for b.Loop() {
				l.Moved(k.works[i%len(k.works)])
				i++
			}
		})
	}
}

// BenchmarkProfile is the cost of the end of a long turn: the screen at rest, and a profile.
func BenchmarkProfile(b *testing.B) {
	for _, k := range turnKinds() {
		b.Run(k.name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				l := k.worked()
				b.StartTimer()
				l.SeeResting(k.rest)
				l.Profile("learnt")
			}
		})
	}
}
