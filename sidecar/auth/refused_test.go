package auth_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/sidecar/auth"
)

// §13.4: refused credentials are logged, what was shown is not, and a flood of
// them is a few lines.
func TestRefusedCredentialsAreLogged(t *testing.T) {
	tokens, _, _ := openTokens(t, "alice:"+aliceToken)
	by := auth.Credentials{Tokens: tokens}
	text, log := a2atest.NewLog()
	url := a2atest.Serve(t, server.New(server.Options{Handler: a2atest.NewFake(), Authenticate: by.Authenticate, Log: log}).HTTPServer())
	const guess = "a-guess-at-a-token"
	for range 100 {
		if res, _ := a2atest.Do(t, "GET", url+"/tasks", "", "Authorization", "Bearer "+guess); res.StatusCode != http.StatusUnauthorized {
			t.Fatalf("a guess was let in: %d", res.StatusCode)
		}
	}
	lines := strings.Count(text.String(), "authentication failed")
	if lines == 0 || lines > 50 || !strings.Contains(text.String(), "127.0.0.1") {
		t.Errorf("%d lines: %s", lines, text)
	}
	if strings.Contains(text.String(), guess) {
		t.Errorf("the log has what was shown: %s", text)
	}
	if res, _ := a2atest.Do(t, "GET", url+"/tasks", "", "Authorization", "Bearer "+aliceToken); res.StatusCode != http.StatusOK {
		t.Fatalf("the right token: %d", res.StatusCode)
	}
	if strings.Contains(text.String(), aliceToken) {
		t.Errorf("the log has a token: %s", text)
	}
}
