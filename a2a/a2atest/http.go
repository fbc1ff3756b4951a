package a2atest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Serve serves hs over TCP until the test ends and returns the base URL.
func Serve(t testing.TB, hs *http.Server) string {
	t.Helper()
	srv := httptest.NewUnstartedServer(nil)
	srv.Config = hs
	srv.Start()
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	return srv.URL
}

// Do sends a request and returns the answer with its whole body.
func Do(t testing.TB, method, url, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(b)
}

// Hello is a JSON-RPC request that sends a message.
func Hello(method, text string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"` + text + `"}]}}}`
}
