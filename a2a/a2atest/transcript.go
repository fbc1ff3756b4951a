package a2atest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// Exchange sends a request of a transcript over a connection of its own: "METHOD /path",
// headers, an empty line and a body. It returns the answer as a transcript has it.
func Exchange(t testing.TB, addr, host, request string) string {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(request, "\n\n")
	line, headers, _ := strings.Cut(strings.TrimSpace(head), "\n")
	body = strings.TrimSuffix(body, "\n")
	raw := line + " HTTP/1.1\r\nHost: " + host + "\r\n"
	if headers != "" {
		raw += strings.ReplaceAll(headers, "\n", "\r\n") + "\r\n"
	}
	if body != "" || strings.HasPrefix(line, "POST") {
		raw += fmt.Sprintf("Content-Length: %d\r\n", len(body))
	}
	if _, err := io.WriteString(conn, raw+"\r\n"+body); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(line, " ")
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	return render(t, res)
}

// render returns the status, the headers that mean something and the body: JSON
// indented, a stream as it is.
func render(t testing.TB, res *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var headers []string
	for name, values := range res.Header {
		switch name {
		case "Date", "Content-Length", "X-Spring-Voyage-Bridge-Version":
		default:
			headers = append(headers, name+": "+strings.Join(values, " | ")+"\n")
		}
	}
	slices.Sort(headers)
	var out bytes.Buffer
	out.WriteString(res.Status + "\n" + strings.Join(headers, "") + "\n")
	if len(body) == 0 || strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		out.Write(body)
		return out.String()
	}
	if err := json.Indent(&out, body, "", "  "); err != nil {
		t.Errorf("the body is no JSON: %v\n%s", err, body)
	}
	out.WriteByte('\n')
	return out.String()
}
