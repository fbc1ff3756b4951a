package cli_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/cli"
)

// An address that says http where TLS is spoken, or https where it is not, is
// told with what to write instead.
func TestOtherScheme(t *testing.T) {
	plain := startAgent(t)
	secure := httptest.NewTLSServer(nil)
	t.Cleanup(secure.Close)
	for _, c := range []struct{ url, hint string }{
		{"https" + strings.TrimPrefix(plain, "http"), "with http://"},
		{"http" + strings.TrimPrefix(secure.URL, "https"), "with https://"},
	} {
		for _, command := range [][]string{{"send", "hello"}, {"tools"}, {"call", "acme.time", "{}"}} {
			said, err := os.Create(filepath.Join(t.TempDir(), "said"))
			if err != nil {
				t.Fatal(err)
			}
			args := append([]string{"sidecar", command[0], "--url", c.url}, command[1:]...)
			code := cli.Main(args, cli.Std{Out: said, Err: said})
			said.Close()
			text, err := os.ReadFile(said.Name())
			if err != nil || code != 1 || !strings.Contains(string(text), c.hint) {
				t.Errorf("%s --url %s: exit code %d and %q (%v), want 1 and a hint %q", command[0], c.url, code, text, err, c.hint)
			}
		}
	}
}
