package agents_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// sit has a person come to the agent's terminal while messages arrive, who types
// a line or takes back one that was begun, and returns what waits until that
// person has left.
func (m *mixing) sit(t *testing.T) (left func()) {
	t.Helper()
	text, draft := "", m.IntN(2) == 0
	m.n++
	if text = "person " + m.name(); draft {
		text = "a draft of " + text
	} else {
		m.person++
		m.all = append(m.all, &parcel{n: len(m.all) + 1, how: "person", text: text, at: time.Now()})
	}
	ctx, cancel := context.WithTimeout(context.Background(), stuckTime)
	conn, _, err := websocket.Dial(ctx, strings.Replace(m.r.url, "http", "ws", 1)+"/terminal/attach?write=true", nil)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(-1)
	var typing, reading sync.WaitGroup
	model := m.r.model
	reading.Go(func() { // what the agent shows is not looked at
		for err := error(nil); err == nil; _, _, err = conn.Read(ctx) {
		}
	})
	typing.Go(func() {
		typeSlowly(ctx, conn, text)
		if draft {
			typeSlowly(ctx, conn, strings.Repeat("\x7f", len(text)))
			return
		}
		for range 5 { // an agent that takes keys that follow each other fast for a paste takes no Enter
			typeSlowly(ctx, conn, "\r")
			if model.reached(text, 3*time.Second) == nil {
				return
			}
		}
	})
	m.pass(time.Duration(m.IntN(1500)) * time.Millisecond)
	return func() {
		typing.Wait()
		conn.Close(websocket.StatusNormalClosure, "")
		cancel()
		reading.Wait()
	}
}

// typeSlowly types as people do.
func typeSlowly(ctx context.Context, conn *websocket.Conn, keys string) {
	for _, key := range keys {
		select {
		case <-time.After(40 * time.Millisecond):
		case <-ctx.Done():
			return
		}
		if conn.Write(ctx, websocket.MessageBinary, []byte(string(key))) != nil {
			return
		}
	}
	select {
	case <-time.After(300 * time.Millisecond):
	case <-ctx.Done():
	}
}
