package server_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

var updateTranscripts = flag.Bool("update", false, "write the answers of the transcripts in testdata anew")

// TestTranscripts replays testdata/*/*.txtar: requests as they go over the
// wire, each with the answer that must come. The comment of a file names what it
// checks.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) < 20 {
		t.Fatalf("found %d transcripts: %v", len(files), err)
	}
	f := a2atest.NewFake()
	f.AgentCard.Extensions = []a2a.Extension{{URI: a2atest.Extension}}
	srv := httptest.NewServer(server.New(server.Options{
		Handler: f,
		Headers: map[string]string{"x-spring-voyage-bridge-version": "1.2.3"},
		MaxBody: 4 << 10,
	}))
	t.Cleanup(srv.Close)
	for _, file := range files {
		t.Run(strings.TrimPrefix(strings.TrimSuffix(file, ".txtar"), "testdata/"), func(t *testing.T) {
			replay(t, srv.Listener.Addr().String(), file)
		})
	}
}

func replay(t *testing.T, addr, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ar := a2atest.ParseArchive(text)
	if c := string(ar.Comment); !strings.Contains(c, "§") && !strings.Contains(c, ".md") {
		t.Errorf("%s: the comment names nothing that it checks", file)
	}
	var out []a2atest.Member
	for i, f := range ar.Files {
		name, ok := strings.CutPrefix(f.Name, "request")
		if !ok {
			continue
		}
		got := roundTrip(t, addr, f.Data)
		out = append(out, f, a2atest.Member{Name: "response" + name, Data: got})
		if *updateTranscripts {
			continue
		}
		if i+1 == len(ar.Files) || ar.Files[i+1].Name != "response"+name {
			t.Fatalf("%s: no response%s", file, name)
		}
		if want := ar.Files[i+1].Data; !bytes.Equal(got, want) {
			t.Errorf("request%s\n--- got\n%s--- want\n%s", name, got, want)
		}
	}
	if *updateTranscripts {
		ar.Files = out
		if err := os.WriteFile(file, ar.Format(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// roundTrip sends a request written as "METHOD /path", headers, an empty line
// and a body, and returns the answer in a form that can be compared.
func roundTrip(t *testing.T, addr string, text []byte) []byte {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(string(text), "\n\n")
	head = strings.TrimSpace(head)
	body = strings.TrimSuffix(body, "\n")
	line, headers, _ := strings.Cut(head, "\n")
	var raw strings.Builder
	fmt.Fprintf(&raw, "%s HTTP/1.1\r\nHost: sidecar.test\r\n", line)
	if headers != "" {
		raw.WriteString(strings.ReplaceAll(headers, "\n", "\r\n") + "\r\n")
	}
	if body != "" || strings.HasPrefix(line, "POST") {
		fmt.Fprintf(&raw, "Content-Length: %d\r\n", len(body))
	}
	raw.WriteString("\r\n" + body)
	if _, err := io.WriteString(conn, raw.String()); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(line, " ")
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	return render(t, res)
}

// render writes the status, the headers that mean something and the body, JSON
// indented. A stream stays as it is.
func render(t *testing.T, res *http.Response) []byte {
	t.Helper()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	fmt.Fprintln(&out, res.Status)
	var names []string
	for name := range res.Header {
		switch name {
		case "Date", "Content-Length", "X-Spring-Voyage-Bridge-Version":
		default:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&out, "%s: %s\n", name, strings.Join(res.Header[name], " | "))
	}
	out.WriteByte('\n')
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		out.Write(body)
		return out.Bytes()
	}
	if len(body) > 0 {
		if err := json.Indent(&out, body, "", "  "); err != nil {
			t.Errorf("the body is no JSON: %v\n%s", err, body)
			out.Write(body)
		}
		out.WriteByte('\n')
	}
	return out.Bytes()
}
