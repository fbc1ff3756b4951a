package channel_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

func TestTooLongFrame(t *testing.T) {
	s := listen(t)
	o := &owner{}
	p := connect(t, s)
	p.initialize(s.Grant(o).Token(), `{}`)
	go p.send(`{"jsonrpc":"2.0","id":1,"method":"task/status","params":{"text":"` + strings.Repeat("x", 2<<20) + `"}}`)
	if line := p.wants(channel.ErrFrame.Code); !strings.Contains(line, "1048576") {
		t.Errorf("the limit is not named: %s", line)
	}
	p.ends()
	if calls := o.take(); len(calls) != 0 {
		t.Errorf("the owner was told %d things", len(calls))
	}
}

func TestHalfFrameDoesNothing(t *testing.T) {
	s := listen(t)
	o := newSession()
	p := connect(t, s)
	p.initialize(s.Grant(o).Token(), `{"messages":true}`)
	await.One(t, o.offered, "offer")
	io.WriteString(p, `{"jsonrpc":"2.0","id":1,"method":"task/done","params":{}}`) // no line end
	p.Close()
	await.One(t, o.lost, "end")
	if calls := o.take(); len(calls) != 0 {
		t.Errorf("half a frame was taken for a whole one: %v", calls)
	}
}

// What was sent before the connection ended is all handled and answered, also
// when the peer only closed its writing half.
func TestLastWordsAreHeard(t *testing.T) {
	s := listen(t)
	o := &owner{}
	g := s.Grant(o)
	p := connect(t, s)
	p.initialize(g.Token(), `{}`)
	for range 100 {
		p.send(`{"jsonrpc":"2.0","id":1,"method":"task/status","params":{"text":"x"}}`)
	}
	p.Conn.(interface{ CloseWrite() error }).CloseWrite()
	for range 100 {
		if !strings.Contains(p.line(), "result") {
			t.Fatal("an answer is missing")
		}
	}
	p.ends()

	quick := connect(t, s)
	quick.initialize(g.Token(), `{}`)
	for range 100 {
		quick.send(`{"jsonrpc":"2.0","method":"task/status","params":{"text":"y"}}`)
	}
	quick.Close()
	ctx := await.Context(t)
	if err := g.Drain(ctx); err != nil {
		t.Fatal(err)
	}
	if calls := o.take(); len(calls) != 200 {
		t.Errorf("%d of 200 statements arrived", len(calls))
	}
}

// A peer that floods and never reads is cut off; others do not notice.
func TestPeerThatDoesNotReadIsCutOff(t *testing.T) {
	s := listen(t)
	g := s.Grant(&owner{})
	flood := connect(t, s)
	flood.initialize(g.Token(), `{}`)
	ended := make(chan error, 1)
	go func() {
		frame := strings.Repeat("nonsense\n", 1000)
		for {
			if _, err := io.WriteString(flood, frame); err != nil {
				ended <- err
				return
			}
		}
	}()
	client := dial(t, s, g.Token(), channel.Capabilities{})
	for range 100 {
		start := time.Now()
		if err := client.Status(t.Context(), channel.Status{Text: "x"}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took > patience/2 {
			t.Errorf("another connection waited %v", took)
		}
	}
	await.One(t, ended, "end of the flood")
}

// TestTooManyConnections: what one token has open takes nothing from another, and
// who is one too many is told so.
func TestTooManyConnections(t *testing.T) {
	s := listen(t)
	g := s.Grant(&owner{})
	first := connect(t, s)
	first.initialize(g.Token(), `{}`)
	for range 128 - 1 {
		connect(t, s).initialize(g.Token(), `{}`)
	}
	if _, err := channel.Dial(t.Context(), s.Path(), g.Token(), channel.Capabilities{}); !errors.Is(err, channel.ErrBusy) || !strings.Contains(err.Error(), "128 are open with this token") {
		t.Errorf("one too many: %v", err)
	}
	connect(t, s).initialize(s.Grant(&owner{}).Token(), `{}`)
	first.Close()
	dialSoon(t, s, g)
}

// dialSoon connects in a place that is free once the sidecar has seen the end of
// another connection.
func dialSoon(t *testing.T, s *channel.Server, g *channel.Grant) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		c, err := channel.Dial(t.Context(), s.Path(), g.Token(), channel.Capabilities{})
		if err == nil {
			c.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("no place became free: %v", err)
		}
	}
}

// TestTooManyConnectionsInAll: however many tokens there are, the connections of
// all of them have a limit too.
func TestTooManyConnectionsInAll(t *testing.T) {
	s := listen(t)
	var last *peer
	for range 1024 / 128 {
		g := s.Grant(&owner{})
		for range 128 {
			last = connect(t, s)
			last.initialize(g.Token(), `{}`)
		}
	}
	g := s.Grant(&owner{})
	if _, err := channel.Dial(t.Context(), s.Path(), g.Token(), channel.Capabilities{}); !errors.Is(err, channel.ErrBusy) || !strings.Contains(err.Error(), "1024 are open") {
		t.Errorf("one too many: %v", err)
	}
	last.Close()
	dialSoon(t, s, g)
}

// TestTooManyStrangers: connections that say nothing are few, and the next one
// learns why it is not served.
func TestTooManyStrangers(t *testing.T) {
	s := listen(t)
	g := s.Grant(&owner{})
	var silent []*peer
	for range 64 {
		silent = append(silent, connect(t, s))
	}
	_, err := channel.Dial(t.Context(), s.Path(), g.Token(), channel.Capabilities{})
	if !errors.Is(err, channel.ErrBusy) || !strings.Contains(err.Error(), "have not said initialize") {
		t.Errorf("one too many: %v", err)
	}
	silent[0].initialize(g.Token(), `{}`) // and is none of them any more
	dial(t, s, g.Token(), channel.Capabilities{})
	connect(t, s)
	silent[1].Close() // nor is who has gone without a word
	dialSoon(t, s, g)
}

// TestLongFramesTakeTurns: a token's connections cannot all hold a long frame that
// does not end, and who says nothing else holds none at all.
func TestLongFramesTakeTurns(t *testing.T) {
	s := listen(t)
	g := s.Grant(&owner{})
	const begin = `{"jsonrpc":"2.0","id":1,"method":"task/status","params":{"text":"`
	long := begin + strings.Repeat("x", 900<<10) // far more than the kernel takes
	write := func(p *peer, patience time.Duration) (int, error) {
		p.SetWriteDeadline(time.Now().Add(patience))
		return io.WriteString(p, long)
	}
	var all []*peer
	for range channel.MaxLong {
		p := connect(t, s)
		p.initialize(g.Token(), `{}`)
		if _, err := write(p, patience); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	waits := connect(t, s)
	waits.initialize(g.Token(), `{}`)
	sent, err := write(waits, 100*time.Millisecond)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("one too many was read: %v", err)
	}
	other := connect(t, s)
	other.initialize(s.Grant(&owner{}).Token(), `{}`)
	if _, err := write(other, patience); err != nil {
		t.Errorf("another token's waits too: %v", err)
	}
	dial(t, s, g.Token(), channel.Capabilities{}) // short ones go on
	all[0].send(`"}}`)
	all[0].line()
	all[1].Close()
	waits.SetWriteDeadline(time.Now().Add(patience))
	waits.send(long[sent:] + `"}}`)
	if line := waits.line(); !strings.Contains(line, `"result"`) {
		t.Errorf("who waited gets %q", line)
	}
	stranger := connect(t, s)
	go stranger.send(long)
	stranger.wants(channel.ErrFrame.Code)
	stranger.ends()
}

func TestTooManyExtensions(t *testing.T) {
	s := listen(t)
	p := connect(t, s)
	p.initialize(s.Grant(&owner{}).Token(), `{}`)
	status := func(extensions int) {
		all := strings.TrimSuffix(strings.Repeat(`"urn:x:1",`, extensions), ",")
		p.send(`{"jsonrpc":"2.0","id":1,"method":"task/status","params":{"text":"x","extensions":[` + all + `]}}`)
	}
	status(64)
	if line := p.line(); !strings.Contains(line, `"result"`) {
		t.Errorf("64 extensions: %s", line)
	}
	status(65)
	if line := p.wants(channel.ErrInvalidParams.Code); !strings.Contains(line, "more than 64") {
		t.Errorf("the limit is not named: %s", line)
	}
}

func TestTooManyAsks(t *testing.T) {
	s := listen(t)
	o := &owner{ask: func(ctx context.Context, _ channel.Question) (channel.Answer, error) {
		<-ctx.Done()
		return channel.Answer{}, context.Cause(ctx)
	}}
	p := connect(t, s)
	p.initialize(s.Grant(o).Token(), `{}`)
	for i := range 8 + 1 {
		p.send(`{"jsonrpc":"2.0","id":` + strconv.Itoa(i) + `,"method":"task/ask","params":{"question":"?"}}`)
	}
	p.wants(channel.ErrBusy.Code)
	p.send(`{"jsonrpc":"2.0","id":99,"method":"task/status"}`)
	if line := p.line(); !strings.Contains(line, `"id":99,"result"`) {
		t.Errorf("questions block the rest: %s", line)
	}
}

func TestTokensDoNotMix(t *testing.T) {
	s := listen(t)
	a, b := &owner{}, &owner{}
	ga, gb := s.Grant(a), s.Grant(b)
	if len(ga.Token()) != 43 || ga.Token() == gb.Token() {
		t.Errorf("tokens %q, %q", ga.Token(), gb.Token())
	}
	ca, cb := dial(t, s, ga.Token(), channel.Capabilities{}), dial(t, s, gb.Token(), channel.Capabilities{})
	ca.Status(t.Context(), channel.Status{Text: "a"})
	cb.Status(t.Context(), channel.Status{Text: "b"})
	if got := a.take(); len(got) != 1 || got[0] != `status "a" -` {
		t.Errorf("a was told %v", got)
	}
	ga.Revoke()
	await.One(t, ca.Lost(), "end")
	if _, err := channel.Dial(t.Context(), s.Path(), ga.Token(), channel.Capabilities{}); err == nil {
		t.Error("a revoked token still opens")
	}
	if err := cb.Status(t.Context(), channel.Status{Text: "b"}); err != nil {
		t.Errorf("the other token: %v", err)
	}
}

// A request whose id fills its frame cannot be answered by that id: the error has none.
func TestAnIDAsLongAsAFrame(t *testing.T) {
	s := listen(t)
	p := connect(t, s)
	p.initialize(s.Grant(&owner{}).Token(), `{}`)
	head, tail := `{"jsonrpc":"2.0","id":"`, `","method":"x"}`
	go p.send(head + strings.Repeat("x", channel.MaxFrame-len(head)-len(tail)) + tail)
	p.wants(channel.ErrFrame.Code)
}
