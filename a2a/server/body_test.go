package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

// dial opens a connection that no test hangs on.
func dial(t *testing.T, url string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return conn
}

func answer(t *testing.T, conn net.Conn) (int, string) {
	t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("half an answer: %v", err)
	}
	return res.StatusCode, string(body)
}

// A client that first sends all it has and then reads still gets its 413,
// whether it said the length or not.
func TestTooLargeBodyIsAnswered(t *testing.T) {
	url, _ := start(t, server.Options{Handler: a2atest.NewFake(), MaxBody: 1 << 20})
	const size = 12 << 20
	for name, framing := range map[string]string{"length": fmt.Sprintf("Content-Length: %d", size), "chunked": "Transfer-Encoding: chunked"} {
		for path, want := range map[string]int{"/": 413, "/message:send": 413, "/v1/message:send": 413, "/a2a/tools/acme.echo": 413, "/nothing": 404} {
			conn := dial(t, url)
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n%s\r\n\r\n", path, framing)
			block := []byte(strings.Repeat("x", 64<<10))
			for range size / len(block) {
				var err error
				if name == "chunked" {
					_, err = fmt.Fprintf(conn, "%x\r\n%s\r\n", len(block), block)
				} else {
					_, err = conn.Write(block)
				}
				if err != nil {
					t.Fatalf("%s %s: the server stopped reading: %v", name, path, err)
				}
			}
			if name == "chunked" {
				io.WriteString(conn, "0\r\n\r\n")
			}
			if status, body := answer(t, conn); status != want || want == 413 && !strings.Contains(body, "larger than 1048576 bytes") {
				t.Errorf("%s %s: %d %s", name, path, status, body)
			}
		}
	}
}

// A client that asks before it sends is told no at once.
func TestTooLargeBodyIsNotAskedFor(t *testing.T) {
	url, _ := start(t, server.Options{Handler: a2atest.NewFake(), MaxBody: 1 << 10})
	conn := dial(t, url)
	io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2000\r\nExpect: 100-continue\r\n\r\n")
	if status, _ := answer(t, conn); status != 413 {
		t.Errorf("status %d", status)
	}
}

// A body at the limit is taken.
func TestBodyAtTheLimit(t *testing.T) {
	text := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}`
	url, _ := start(t, server.Options{Handler: a2atest.NewFake(), MaxBody: int64(len(text))})
	if res, body := a2atest.Do(t, "POST", url+"/message:send", text, "Content-Type", "application/json"); res.StatusCode != 200 {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

// A body that stops coming is cut off with an answer, and the connection with
// it; nobody waits for a body where none is read either.
func TestSlowBodyIsCut(t *testing.T) {
	f := a2atest.NewFake()
	url, _ := start(t, server.Options{Handler: f, StallTimeout: 50 * time.Millisecond})
	for path, want := range map[string]int{"/": 408, "/message:send": 408, "/a2a/tools/acme.echo": 408, "/nothing": 404} {
		conn := dial(t, url)
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"half\":", path)
		if status, body := answer(t, conn); status != want || !strings.Contains(body, `"error"`) {
			t.Errorf("%s: %d %s", path, status, body)
		}
		if n, err := io.Copy(io.Discard, conn); err != nil || n != 0 {
			t.Errorf("%s: the connection is open after the answer: %d bytes, %v", path, n, err)
		}
	}
}

// Half a header is not waited for.
func TestHalfSentHeaderIsClosed(t *testing.T) {
	url, _ := start(t, server.Options{Handler: a2atest.NewFake(), ReadHeaderTimeout: 50 * time.Millisecond})
	conn := dial(t, url)
	io.WriteString(conn, "GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow: ")
	if _, err := io.Copy(io.Discard, conn); err != nil {
		t.Errorf("the connection stayed open: %v", err)
	}
}

// An idle connection is closed, and a header is bounded.
func TestIdleAndHeaderLimits(t *testing.T) {
	url, _ := start(t, server.Options{Handler: a2atest.NewFake(), IdleTimeout: 50 * time.Millisecond})
	conn := dial(t, url)
	io.WriteString(conn, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
	if _, err := io.Copy(io.Discard, conn); err != nil {
		t.Errorf("the idle connection stayed open: %v", err)
	}
	// Little more than the limit: what is sent and not read would take the answer
	// from a client that stands still for a moment.
	long := fmt.Sprintf("GET /livez HTTP/1.1\r\nHost: x\r\nX-Long: %s\r\n\r\n", strings.Repeat("x", 100<<10))
	conn = dial(t, url)
	fmt.Fprint(conn, long[:69<<10])
	if status, _ := answer(t, conn); status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a header of 69 KiB: %d", status)
	}
}
