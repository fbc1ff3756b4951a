package auth_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/auth"
)

// §13.4: refused credentials are logged, what was shown is not, and a flood of
// them is a few lines.
func TestRefusedCredentialsAreLogged(t *testing.T) {
	tokens, _, _ := openTokens(t, "alice:"+aliceToken)
	by := auth.Credentials{Tokens: tokens}
	log := &await.Log{}
	url := a2atest.Serve(t, server.New(server.Options{Handler: a2atest.NewFake(), Authenticate: by.Authenticate, Log: log.Logger()}).HTTPServer())
	const guess = "a-guess-at-a-token"
	for range 100 {
		if res, _ := a2atest.Do(t, "GET", url+"/tasks", "", "Authorization", "Bearer "+guess); res.StatusCode != http.StatusUnauthorized {
			t.Fatalf("a guess was let in: %d", res.StatusCode)
		}
	}
	lines := strings.Count(log.String(), "authentication failed")
	if lines == 0 || lines > 50 || !strings.Contains(log.String(), "127.0.0.1") {
		t.Errorf("%d lines: %s", lines, log)
	}
	if strings.Contains(log.String(), guess) {
		t.Errorf("the log has what was shown: %s", log)
	}
	if res, _ := a2atest.Do(t, "GET", url+"/tasks", "", "Authorization", "Bearer "+aliceToken); res.StatusCode != http.StatusOK {
		t.Fatalf("the right token: %d", res.StatusCode)
	}
	if strings.Contains(log.String(), aliceToken) {
		t.Errorf("the log has a token: %s", log)
	}
}
