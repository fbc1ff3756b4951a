package sidecar_test

import (
	"crypto/tls"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// toldTurns is what GET /status says of turns and of files.
type toldTurns struct {
	Turns []struct {
		TaskID, ContextID, State, WaitsFor string
		PID                                int
	}
	Faults []struct{ Kind, File, Text string }
}

func (r *running) turns(token string) toldTurns {
	r.t.Helper()
	_, body := r.status(token)
	var s toldTurns
	if err := json.Unmarshal([]byte(body), &s); err != nil {
		r.t.Fatal(err)
	}
	return s
}

// Each turn of a oneshot agent is told with its process, and with what it waits
// for.
func TestStatusOfTurns(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--max-concurrency", "1", "--token-file", writeTokens(t), "--", "sh", "-c", "exec sleep 61")
	first := r.beginAs(aliceToken, "one", "context-1")
	r.untilState(aliceToken, first.ID, a2a.StateWorking)
	second := r.beginAs(aliceToken, "two", "context-2")
	third := r.beginAs(aliceToken, "three", "context-1")
	await.True(r.t, "the process is told", func() bool {
		s := r.turns(aliceToken)
		return len(s.Turns) == 3 && s.Turns[0].PID != 0
	})
	s := r.turns(aliceToken)
	for i, want := range []struct{ id, context, state, waits string }{
		{first.ID, "context-1", "running", "the agent"},
		{second.ID, "context-2", "waiting", "a free place: 1 of 1 in use (--max-concurrency)"},
		{third.ID, "context-1", "waiting", "the turn before it in its context"},
	} {
		got := s.Turns[i]
		if got.TaskID != want.id || got.ContextID != want.context || got.State != want.state || got.WaitsFor != want.waits || i > 0 && got.PID != 0 {
			t.Errorf("turn %d is %+v, want %+v", i+1, got, want)
		}
	}
	if s := r.turns(bobToken); len(s.Turns) != 0 {
		t.Errorf("bob is told %+v", s.Turns)
	}
	for _, id := range []string{third.ID, second.ID, first.ID} {
		if _, err := r.as(aliceToken).Cancel(r.context(), &a2a.CancelRequest{ID: id}); err != nil {
			t.Error(err)
		}
	}
	await.True(r.t, "none is left", func() bool { return len(r.turns(aliceToken).Turns) == 0 })
}

// A turn that asks waits for its client.
func TestStatusOfATurnThatAsks(t *testing.T) {
	t.Parallel()
	r := runWith(t, []string{actorDrive + "=oneshot", actorVoice + "=channel"}, append([]string{"--mode", "oneshot", "--"}, agentCommand(t, "actor")...)...)
	task := r.begin("ask")
	r.untilStateOf(task.ID, a2a.StateInputRequired)
	if s := r.turns(""); len(s.Turns) != 1 || s.Turns[0].WaitsFor != "an answer to its question" {
		t.Errorf("told %+v", s.Turns)
	}
	if _, err := r.client().Cancel(r.context(), &a2a.CancelRequest{ID: task.ID}); err != nil {
		t.Error(err)
	}
}

// A file that has become bad is told wherever somebody may look, for as long as it
// is.
func TestStatusOfBadFiles(t *testing.T) {
	t.Parallel()
	tokens := writeTokens(t)
	manifest := writeManifest(t, `[]`)
	r := run(t, "--mode", "oneshot", "--token-file", tokens, "--manifest", manifest, "--", "cat")
	good := "alice:" + aliceToken + "\n"
	if s := r.turns(aliceToken); len(s.Faults) != 0 {
		t.Fatalf("told %+v of good files", s.Faults)
	}
	writeFile(t, manifest, `[{"name":"x"}]`)
	writeFile(t, tokens, good+"carol:carol-secret\n")
	await.True(r.t, "both are told", func() bool { return len(r.turns(aliceToken).Faults) == 2 })
	for _, f := range r.turns(aliceToken).Faults {
		want := map[string]string{"manifest": "line 1, column 2", "tokens": "line"}[f.Kind]
		if want == "" || !strings.Contains(f.Text, want) || f.File == "" {
			t.Errorf("told %+v", f)
		}
		if strings.Contains(f.Text, "carol-secret") {
			t.Errorf("a token is told: %s", f.Text)
		}
	}
	metrics := func() string {
		doc, err := r.as(aliceToken).Document(r.context(), "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		return string(doc.Body)
	}
	for _, line := range []string{`sidecar_file_ok{file="manifest"} 0`, `sidecar_file_ok{file="tokens"} 0`} {
		if !strings.Contains(metrics(), line+"\n") {
			t.Errorf("no %s in\n%s", line, metrics())
		}
	}
	writeFile(t, manifest, `[]`)
	writeFile(t, tokens, good)
	await.True(r.t, "both are good again", func() bool { return len(r.turns(aliceToken).Faults) == 0 })
	if !strings.Contains(metrics(), `sidecar_file_ok{file="manifest"} 1`+"\n") {
		t.Error("the manifest's gauge stays down")
	}
}

// So is a certificate.
func TestStatusOfABadCertificate(t *testing.T) {
	t.Parallel()
	cert, key := writeCertificate(t, "agent", "127.0.0.1")
	r := startOnly(t, nil, "--mode", "oneshot", "--tls-cert", cert, "--tls-key", key, "--", "cat")
	r.waitTLS()
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // whose it is, is nothing to this test
	t.Cleanup(transport.CloseIdleConnections)
	client := client.New(r.url, &http.Client{Transport: transport})
	told := func() (s toldTurns, metrics string) {
		status, err := client.Document(r.context(), "/status")
		if err == nil {
			err = json.Unmarshal(status.Body, &s)
		}
		if err != nil {
			t.Fatal(err)
		}
		doc, err := client.Document(r.context(), "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		return s, string(doc.Body)
	}
	if s, metrics := told(); len(s.Faults) != 0 || !strings.Contains(metrics, `sidecar_file_ok{file="certificates"} 1`+"\n") {
		t.Fatalf("told %+v of good files, and\n%s", s.Faults, metrics)
	}
	writeFile(t, cert, "no certificate")
	await.True(r.t, "it is told", func() bool { s, _ := told(); return len(s.Faults) == 1 })
	s, metrics := told()
	if f := s.Faults[0]; f.Kind != "certificates" || f.File != cert || f.Text == "" {
		t.Errorf("told %+v", f)
	}
	if !strings.Contains(metrics, `sidecar_file_ok{file="certificates"} 0`+"\n") {
		t.Errorf("its gauge is not down:\n%s", metrics)
	}
}
