package server_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

// shouter answers every message in capitals. It embeds a Handler for the operations
// that it does not have; a whole one has them all.
type shouter struct{ server.Handler }

func (shouter) Card() *a2a.Card {
	return &a2a.Card{Name: "shouter", Description: "Says it again, louder.", Version: "1"}
}

func (shouter) SendMessage(_ context.Context, r *a2a.SendRequest) (*a2a.SendResult, error) {
	loud := strings.ToUpper(r.Message.Parts[0].Text)
	return &a2a.SendResult{Message: &a2a.Message{ID: a2a.NewID(), Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(loud)}}}, nil
}

// A server is an http.Handler over a Handler of one's own. HTTPServer returns it with
// every limit of a connection set.
func Example() {
	srv := httptest.NewServer(server.New(server.Options{Handler: shouter{}}))
	defer srv.Close()

	const message = `{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"hello"}]}}`
	res, err := http.Post(srv.URL+"/message:send", "application/json", strings.NewReader(message))
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Status, strings.Contains(string(body), `"text":"HELLO"`))
	// Output:
	// 200 OK true
}

// A Mount is a path of the embedding program, behind the same checks as A2A's own.
func ExampleMount() {
	s := server.New(server.Options{
		Handler: shouter{},
		Authenticate: func(r *http.Request) (server.Identity, error) {
			if r.Header.Get("Authorization") != "Bearer secret" {
				return server.Identity{}, a2a.ErrUnauthenticated
			}
			return server.Identity{Caller: "alice"}, nil
		},
		Mounts: map[string]server.Mount{
			"/whoami": {Methods: "GET", Name: "WhoAmI", Serve: func(w http.ResponseWriter, _ *http.Request, id server.Identity) error {
				_, err := fmt.Fprintln(w, id.Caller)
				return err
			}},
		},
	})
	for _, token := range []string{"a guess", "secret"} {
		r := httptest.NewRequest("GET", "/whoami", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		fmt.Println(w.Code)
	}
	// Output:
	// 401
	// 200
}
