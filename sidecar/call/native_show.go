package call

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
)

// What an approval shows of an agent's own tool at most.
const (
	shownTitle   = 500 // bytes
	shownName    = 100 // bytes
	shownChanges = 8
	shownLines   = 24      // of one change
	shownChange  = 2 << 10 // bytes of one change
)

// shownOwn returns what people are shown of an action, with a digest over all of it.
func (p *Pipeline) shownOwn(inv *Invocation, a *peer.Action) approval.Own {
	show := func(s string, limit int) string { return text.Shorten(p.clean(inv, text.Line(s, 0)), limit) }
	o := approval.Own{Title: show(a.Title, shownTitle), Name: show(a.Name, shownName), Dir: show(a.Dir, ownPath)}
	o.Digest, o.Same = saidOf(a, inv.args)
	for i, d := range a.Diffs {
		if i == shownChanges {
			o.More = len(a.Diffs) - i
			break
		}
		o.Changes = append(o.Changes, approval.Change{Path: show(d.Path, ownPath), Text: p.clean(inv, shownDiff(d))})
	}
	return o
}

// saidOf returns a digest over all that the agent says of an action and that is neither its arguments nor
// what it uses; same leaves out the title if there are arguments: models word it anew each time.
func saidOf(a *peer.Action, args string) (digest, same string) {
	said := struct {
		Name, Title, Dir string
		Diffs            []peer.Diff
	}{a.Name, a.Title, a.Dir, a.Diffs}
	digest = sumOf(said)
	if args != noArguments {
		said.Title = ""
	}
	return digest, sumOf(said)
}

func sumOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil { // texts always have a JSON form
		panic(err)
	}
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// shownDiff returns the lines that a change takes out and puts in, shortened.
func shownDiff(d peer.Diff) string {
	var old []string
	if d.Old != nil {
		old = diffLines(*d.Old)
	}
	add := diffLines(d.New)
	for len(old) > 0 && len(add) > 0 && old[0] == add[0] {
		old, add = old[1:], add[1:]
	}
	for len(old) > 0 && len(add) > 0 && old[len(old)-1] == add[len(add)-1] {
		old, add = old[:len(old)-1], add[:len(add)-1]
	}
	var b strings.Builder
	shownSide(&b, "- ", old)
	shownSide(&b, "+ ", add)
	return strings.TrimSuffix(b.String(), "\n")
}

// diffLines splits a text; the end of the last line begins no other.
func diffLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// shownSide writes one side of a change, at most half of what is shown of it.
func shownSide(b *strings.Builder, mark string, lines []string) {
	left := shownChange / 2
	for i, line := range lines {
		if i == shownLines/2 || left <= 0 {
			b.WriteString("  … " + text.Count(len(lines)-i, "line") + " left out\n")
			return
		}
		line = text.Shorten(text.Line(line, 0), left)
		left -= len(line)
		b.WriteString(mark + line + "\n")
	}
}
