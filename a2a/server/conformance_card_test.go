package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

// cardless claims an extended card and has none.
type cardless struct{ *a2atest.Fake }

func (cardless) ExtendedCard(context.Context, *a2a.Params) (*a2a.Card, error) { return nil, nil }

// §3.3.4, §13.3: an extended card that is claimed and not there has a code of
// its own, and who may ask for it is checked before.
func TestClaimedExtendedCardThatIsNotThere(t *testing.T) {
	const token = "alice-0123456789abcdef"
	f := a2atest.NewFake()
	f.AgentCard.Extended = true
	url, _ := start(t, server.Options{Handler: cardless{f}, Authenticate: func(r *http.Request) (server.Identity, error) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			return server.Identity{}, a2a.ErrUnauthenticated
		}
		return server.Identity{Caller: "alice"}, nil
	}})
	body := `{"jsonrpc":"2.0","id":1,"method":"GetExtendedAgentCard"}`
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", "/", body, `"code":-32007`},
		{"GET", "/extendedAgentCard", "", `"reason":"EXTENDED_AGENT_CARD_NOT_CONFIGURED"`},
	} {
		header := []string{"A2A-Version", "1.0", "Content-Type", "application/json"}
		if _, text := a2atest.Do(t, c.method, url+c.path, c.body, append(header, "Authorization", "Bearer "+token)...); !strings.Contains(text, c.want) {
			t.Errorf("%s: %s", c.path, text)
		}
		if res, text := a2atest.Do(t, c.method, url+c.path, c.body, header...); res.StatusCode != http.StatusUnauthorized || strings.Contains(text, "EXTENDED") {
			t.Errorf("%s without a token: %d %s", c.path, res.StatusCode, text)
		}
	}
}
