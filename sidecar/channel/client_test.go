package channel_test

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

func TestClientSaysEverything(t *testing.T) {
	s := listen(t)
	o := &owner{}
	c := dial(t, s, s.Grant(o).Token(), channel.Capabilities{})
	half, tokens, cost := 0.5, int64(7), 0.25
	ctx := t.Context()
	for _, err := range []error{
		c.Status(ctx, channel.Status{Text: "working", Progress: &half}),
		c.Artifact(ctx, a2a.ArtifactUpdate{Artifact: a2a.Artifact{ID: "a", Name: "n", Parts: []a2a.Part{a2a.TextPart("x")}}, LastChunk: true}),
		c.Usage(ctx, channel.Usage{InputTokens: &tokens, CostUSD: &cost, Model: "m"}),
		c.Done(ctx, channel.Done{State: a2a.StateFailed, Text: "no", Parts: []a2a.Part{a2a.DataPart([]byte(`{"n":1}`))}}),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	want := []string{
		`status "working" 0.5`,
		`artifact "a" "n" append=false last=true text:x`,
		`usage 7 - 0.25 "m"`,
		`done "TASK_STATE_FAILED" "no" message=false data:{"n":1}`,
	}
	if got := o.take(); !slices.Equal(got, want) {
		t.Errorf("the owner was told %q", got)
	}
	if c.SidecarVersion() != "1.2.3" {
		t.Errorf("version %q", c.SidecarVersion())
	}
}

// TestRefusedBeforeItSpeaks: why a connection is not served is told to a client that
// has not said anything yet, whatever comes first, its frame or the end.
func TestRefusedBeforeItSpeaks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() {
		for {
			nc, err := ln.Accept()
			if err != nil {
				return
			}
			nc.Write([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"the house is full"}}` + "\n"))
			nc.Close()
		}
	}()
	for range 2000 {
		if c, err := channel.Dial(t.Context(), path, "token", channel.Capabilities{}); err == nil || !strings.Contains(err.Error(), "the house is full") {
			t.Fatalf("%v, %v", c, err)
		}
	}
}

func TestAskReturnsTheAnswerOrTheReason(t *testing.T) {
	s := listen(t)
	for _, want := range []error{nil, channel.ErrNobody, channel.ErrTimeout, channel.ErrQuestionOpen, channel.ErrEnded, channel.ErrInternal} {
		o := &owner{ask: func(context.Context, channel.Question) (channel.Answer, error) {
			if want == channel.ErrInternal {
				return channel.Answer{}, errors.New("something else")
			}
			return channel.Answer{Text: "Red", OptionID: "r"}, want
		}}
		c := dial(t, s, s.Grant(o).Token(), channel.Capabilities{})
		got, err := c.Ask(t.Context(), channel.Question{
			Text: "which?", Options: []channel.Option{{ID: "r", Label: "Red"}}, Timeout: 1500 * time.Millisecond,
		})
		if !errors.Is(err, want) || want == nil && (err != nil || got.OptionID != "r" || got.Text != "Red") {
			t.Errorf("want %v, got %+v, %v", want, got, err)
		}
		if calls := o.take(); len(calls) != 1 || calls[0] != `ask "which?" [{r Red}] 1.5s` {
			t.Errorf("the owner was asked %q", calls)
		}
	}
}

func TestClosedConnectionWithdrawsItsQuestion(t *testing.T) {
	s := listen(t)
	asked, withdrawn := make(chan struct{}), make(chan error, 1)
	o := &owner{ask: func(ctx context.Context, _ channel.Question) (channel.Answer, error) {
		close(asked)
		<-ctx.Done()
		withdrawn <- context.Cause(ctx)
		return channel.Answer{}, context.Cause(ctx)
	}}
	c := dial(t, s, s.Grant(o).Token(), channel.Capabilities{})
	failed := make(chan error, 1)
	go func() {
		_, err := c.Ask(t.Context(), channel.Question{Text: "?"})
		failed <- err
	}()
	await.One(t, asked, "question")
	c.Close()
	if err := await.One(t, withdrawn, "withdrawal"); !errors.Is(err, channel.ErrLost) {
		t.Errorf("withdrawn with %v", err)
	}
	if err := await.One(t, failed, "end of the ask"); !errors.Is(err, channel.ErrLost) {
		t.Errorf("the asker got %v", err)
	}
}

func TestOwnersErrorReachesTheClient(t *testing.T) {
	s := listen(t)
	c := dial(t, s, s.Grant(&owner{err: channel.ErrEnded.With("turn 3 is over")}).Token(), channel.Capabilities{})
	err := c.Status(t.Context(), channel.Status{Text: "x"})
	if !errors.Is(err, channel.ErrEnded) || err.Error() != "turn 3 is over" {
		t.Errorf("got %v", err)
	}
}

func TestDialWithoutSidecar(t *testing.T) {
	if _, err := channel.Dial(t.Context(), "/nonexistent/s", "x", channel.Capabilities{}); err == nil {
		t.Error("connected to nothing")
	}
	s := listen(t)
	if _, err := channel.Dial(t.Context(), s.Path(), "x", channel.Capabilities{}); !errors.Is(err, channel.ErrDenied) {
		t.Errorf("a wrong token got %v", err)
	}
}

func TestCloseEndsEverything(t *testing.T) {
	s := listen(t)
	o := newSession()
	c := dial(t, s, s.Grant(o).Token(), channel.Capabilities{OnDeliver: func(ctx context.Context, _ channel.Delivery) (channel.Delivered, error) {
		<-ctx.Done()
		return channel.Delivered{}, nil
	}})
	conn := await.One(t, o.offered, "offer")
	done := make(chan error, 1)
	go func() {
		_, err := deliver(t.Context(), conn, channel.Delivery{})
		done <- err
	}()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	await.One(t, c.Lost(), "end")
	await.One(t, o.lost, "loss")
	if err := await.One(t, done, "end of the delivery"); !errors.Is(err, channel.ErrLost) {
		t.Errorf("got %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error("the second close:", err)
	}
}

func TestOnlyASessionReports(t *testing.T) {
	s := listen(t)
	o := newSession()
	c := dial(t, s, s.Grant(o).Token(), channel.Capabilities{})
	asking := channel.Report{State: channel.ReportAsking, Kind: "permission", Message: "run rm?", ID: "q", Prompt: "tidy up"}
	if err := c.Report(t.Context(), asking); err != nil {
		t.Error(err)
	}
	if got, want := o.take(), []string{`report asking "permission" "" "run rm?" "q" "tidy up" final=false`}; !slices.Equal(got, want) {
		t.Errorf("the owner was told %q", got)
	}
	c = dial(t, s, s.Grant(&owner{}).Token(), channel.Capabilities{})
	if err := c.Report(t.Context(), asking); !errors.Is(err, channel.ErrNotOffered) {
		t.Errorf("a task's token may report: %v", err)
	}
}

// TestListedIsTold: to a session, in the order of what else it is told. To a task's owner it says nothing.
func TestListedIsTold(t *testing.T) {
	s := listen(t)
	o, of := newSession(), &owner{}
	for _, c := range []*channel.Client{dial(t, s, s.Grant(o).Token(), channel.Capabilities{}), dial(t, s, s.Grant(of).Token(), channel.Capabilities{})} {
		if err := c.Listed(); err != nil {
			t.Fatal(err)
		}
		if err := c.Status(t.Context(), channel.Status{Text: "then"}); err != nil { // what came before it was handled
			t.Fatal(err)
		}
	}
	if got := o.take(); len(got) != 2 || got[0] != "listed" {
		t.Errorf("the session was told %q", got)
	}
	if got := of.take(); len(got) != 1 {
		t.Errorf("the task was told %q", got)
	}
}
