package server_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

// whoami is a mount that says who asked.
func whoami() map[string]server.Mount {
	return map[string]server.Mount{"/whoami": {Methods: "GET, HEAD", Name: "WhoAmI", Serve: func(w http.ResponseWriter, r *http.Request, id server.Identity) error {
		switch r.URL.RawQuery {
		case "busy":
			return a2a.ErrBusy.With("come again")
		case "boom":
			return errors.New("a secret path: /etc/shadow")
		case "panic":
			panic("the mount has a bug")
		}
		w.Header().Set("Content-Type", "text/plain")
		_, err := fmt.Fprintf(w, "you are %s", id.Caller)
		return err
	}}}
}

// What holds for the server's own paths holds for a mounted one.
func TestMountIsGuarded(t *testing.T) {
	url, _ := start(t, server.Options{Handler: a2atest.NewFake(), Authenticate: named, Mounts: whoami(), Loopback: true,
		Headers: map[string]string{"X-Ours": "yes"}})
	for _, c := range []struct {
		what, method, path, body string
		header                   []string
		status                   int
		has                      string
	}{
		{"answered", "GET", "/whoami", "", []string{"Authorization", "alice"}, 200, "you are alice"},
		{"nobody known", "GET", "/whoami", "", nil, 401, "UNAUTHENTICATED"},
		{"another host's name", "GET", "/whoami", "", []string{"Authorization", "alice", "Host", "evil.example"}, 421, ""},
		{"another origin", "POST", "/whoami", "{}", []string{"Authorization", "alice", "Origin", "http://evil.example"}, 403, ""},
		{"another method", "POST", "/whoami", "{}", []string{"Authorization", "alice"}, 405, "only GET, HEAD"},
		{"below it", "GET", "/whoami/x", "", []string{"Authorization", "alice"}, 404, ""},
		{"long", "GET", "/whoami?" + strings.Repeat("x", 20_000), "", []string{"Authorization", "alice"}, 414, ""},
		{"its error", "GET", "/whoami?busy", "", []string{"Authorization", "alice"}, 429, "come again"},
		{"an unknown error", "GET", "/whoami?boom", "", []string{"Authorization", "alice"}, 500, ""},
		{"a panic", "GET", "/whoami?panic", "", []string{"Authorization", "alice"}, 500, ""},
	} {
		res, text := a2atest.Do(t, c.method, url+c.path, c.body, c.header...)
		if res.StatusCode != c.status || !strings.Contains(text, c.has) {
			t.Errorf("%s: %d %s, want %d with %q", c.what, res.StatusCode, text, c.status, c.has)
		}
		if strings.Contains(text, "shadow") || strings.Contains(text, "bug") {
			t.Errorf("%s: the client is told too much: %s", c.what, text)
		}
		if res.Header.Get("X-Ours") != "yes" {
			t.Errorf("%s: the common header is missing", c.what)
		}
	}
}

func TestMountCountsForItsCaller(t *testing.T) {
	entered, release := make(chan struct{}, 4), make(chan struct{})
	mounts := map[string]server.Mount{
		"/one": {Methods: "GET, POST", Serve: func(http.ResponseWriter, *http.Request, server.Identity) error {
			entered <- struct{}{}
			<-release
			return nil
		}},
		"/long": {Methods: "GET", Stream: true, Serve: func(w http.ResponseWriter, r *http.Request, _ server.Identity) error {
			fmt.Fprintln(w, "begun")
			if err := http.NewResponseController(w).Flush(); err != nil {
				return err
			}
			<-r.Context().Done()
			return nil
		}},
	}
	url, server := start(t, server.Options{Handler: a2atest.NewFake(), Authenticate: named, Mounts: mounts,
		Limits: server.Limits{CallerRequests: 1, CallerStreams: 1}})
	get := func(path string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), "GET", url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "alice")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		return res
	}
	first := make(chan int, 1)
	go func() {
		res, _ := a2atest.Do(t, "POST", url+"/one", "", "Authorization", "alice")
		first <- res.StatusCode
	}()
	<-entered
	if res := get("/one"); res.StatusCode != 429 {
		t.Errorf("a second request at once: %d", res.StatusCode)
	}
	close(release)
	if status := <-first; status != 200 {
		t.Errorf("the first request: %d", status)
	}

	// A stream is no request, and its end comes with that of all streams.
	stream := get("/long")
	lines := bufio.NewReader(stream.Body)
	if line, err := lines.ReadString('\n'); line != "begun\n" || err != nil {
		t.Fatalf("the stream begins with %q: %v", line, err)
	}
	if res := get("/long"); res.StatusCode != 429 {
		t.Errorf("a second stream at once: %d", res.StatusCode)
	}
	if res := get("/one?again"); res.StatusCode != 200 {
		t.Errorf("a request beside a stream: %d", res.StatusCode)
	}
	down := make(chan error, 1)
	go func() { down <- server.Shutdown(t.Context()) }()
	if _, err := lines.ReadString('\n'); !errors.Is(err, io.EOF) {
		t.Errorf("a stream at the end of all streams: %v", err)
	}
	if err := <-down; err != nil {
		t.Errorf("shutting down: %v", err)
	}
}

// What a mount has begun to say and cannot end is cut off, so that nobody takes
// half of it for all; and a stream may take the connection over.
func TestMountThatGoesItsOwnWay(t *testing.T) {
	mounts := map[string]server.Mount{
		"/half": {Methods: "GET", Serve: func(w http.ResponseWriter, _ *http.Request, _ server.Identity) error {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "half")
			return errors.Join(http.NewResponseController(w).Flush(), errors.New("broken"))
		}},
		"/talk": {Methods: "GET", Stream: true, Serve: func(w http.ResponseWriter, _ *http.Request, _ server.Identity) error {
			w.Header().Set("Connection", "Upgrade")
			w.Header().Set("Upgrade", "shout")
			w.WriteHeader(http.StatusSwitchingProtocols)
			conn, buffered, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return err
			}
			defer conn.Close()
			line, err := buffered.ReadString('\n')
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(conn, strings.ToUpper(line))
			return err
		}},
	}
	url, _ := start(t, server.Options{Handler: a2atest.NewFake(), Mounts: mounts})
	res, err := http.Get(url + "/half")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); string(body) != "half" || err == nil {
		t.Errorf("half an answer: %q, %v", body, err)
	}

	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET /talk HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: shout\r\n\r\n")
	lines := bufio.NewReader(conn)
	upgraded, err := http.ReadResponse(lines, nil)
	if err != nil || upgraded.StatusCode != 101 {
		t.Fatalf("upgrade: %v, %v", upgraded, err)
	}
	fmt.Fprintln(conn, "hello")
	if line, err := lines.ReadString('\n'); line != "HELLO\n" {
		t.Errorf("over the upgraded connection: %q, %v", line, err)
	}
}

// A mount that ends in a slash stands for what is below it, the longest one first, and gets
// the body if it asks for it, with the limits of every body.
func TestMountOfAllBelow(t *testing.T) {
	say := func(name string) func(http.ResponseWriter, *http.Request, server.Identity) error {
		return func(w http.ResponseWriter, r *http.Request, _ server.Identity) error {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(w, "%s %s %q", name, r.URL.Path, body)
			return err
		}
	}
	mounts := map[string]server.Mount{
		"/one":       {Methods: "GET", Serve: say("exact")},
		"/one/":      {Methods: "GET, POST", Body: true, Serve: say("below")},
		"/one/deep/": {Methods: "GET", Serve: say("deeper")},
	}
	url, _ := start(t, server.Options{Handler: a2atest.NewFake(), Mounts: mounts, MaxBody: 10})
	for _, c := range []struct {
		method, path, body string
		status             int
		has                string
	}{
		{"GET", "/one", "", 200, `exact /one ""`},
		{"GET", "/one/x", "", 200, `below /one/x ""`},
		{"GET", "/one/x/y", "", 200, `below /one/x/y ""`},
		{"POST", "/one/x", "0123456789", 200, `below /one/x "0123456789"`},
		{"POST", "/one/x", "0123456789a", 413, "larger than 10 bytes"},
		{"GET", "/one/deep/x", "", 200, `deeper /one/deep/x ""`},
		{"POST", "/one/deep/x", "", 405, "only GET"},
		{"GET", "/oneandmore", "", 404, ""},
		{"GET", "/tasks/x", "", 404, "TASK_NOT_FOUND"},
	} {
		res, text := a2atest.Do(t, c.method, url+c.path, c.body)
		if res.StatusCode != c.status || !strings.Contains(text, c.has) {
			t.Errorf("%s %s: %d %s, want %d with %q", c.method, c.path, res.StatusCode, text, c.status, c.has)
		}
	}
}
