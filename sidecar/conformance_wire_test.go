package sidecar_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

var updateConformance = flag.Bool("update", false, "write the answers of the conformance transcripts anew")

// TestConformance replays a2a/server/testdata/conformance/VERSION/sidecar/*.txtar, each
// against a sidecar of its own that keeps its tasks in memory, and one that keeps
// them on disk: what only the whole shows. The comment of a file
// names its sections and has the line "run: …", the arguments of `sidecar run`;
// $DIR in it is a directory with the file's members that are neither requests
// nor responses.
//
// Ids are <id1>, <id2> … in the order in which they first appear, in requests
// too, and so are page tokens, <page1> …; instants are <time>, durations <ms>. A request ends with its answer; a stream with its
// end.
func TestConformance(t *testing.T) {
	files, err := filepath.Glob("../a2a/server/testdata/conformance/*/sidecar/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("found no transcripts: %v", err)
	}
	for _, file := range files {
		name := strings.TrimPrefix(strings.TrimSuffix(file, ".txtar"), "../a2a/server/testdata/conformance/")
		t.Run(name, func(t *testing.T) { replayConformance(t, file, *updateConformance) })
		if !*updateConformance {
			t.Run(name+" on disk", func(t *testing.T) { replayConformance(t, file, false, "--state-dir", t.TempDir()) })
		}
	}
}

func replayConformance(t *testing.T, file string, update bool, more ...string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	comment := string(archive.Comment)
	_, line, found := strings.Cut(comment, "run: ")
	line, _, _ = strings.Cut(line, "\n")
	if !found || !strings.Contains(comment, "§") {
		t.Fatalf("%s: the comment needs a section and a line that begins with run:", file)
	}
	dir := t.TempDir()
	for _, f := range archive.Files {
		if !strings.HasPrefix(f.Name, "request ") && !strings.HasPrefix(f.Name, "response ") {
			writeFile(t, filepath.Join(dir, f.Name), string(f.Data))
		}
	}
	args := append(more, strings.Fields(strings.ReplaceAll(line, "$DIR", dir))...)
	r := runWith(t, []string{"SIDECAR=" + asScript(t)}, args...)
	addr := strings.TrimPrefix(r.url, "http://")
	ids := &names{}
	var out []txtar.File
	for i, f := range archive.Files {
		request, ok := strings.CutPrefix(f.Name, "request ")
		if !ok {
			if !strings.HasPrefix(f.Name, "response ") {
				out = append(out, f)
			}
			continue
		}
		answer := exchange(t, addr, ids.fill(string(f.Data)))
		got := ids.hide(strings.ReplaceAll(answer, addr, "<host>"))
		out = append(out, f, txtar.File{Name: "response " + request, Data: []byte(got)})
		if update {
			continue
		}
		if i+1 == len(archive.Files) || archive.Files[i+1].Name != "response "+request {
			t.Fatalf("%s: there is no response %s", file, request)
		}
		if want := string(archive.Files[i+1].Data); got != want {
			t.Errorf("request %s\n--- got\n%s--- want\n%s", request, got, want)
		}
	}
	if update {
		archive.Files = out
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var (
	anID      = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	aPage     = regexp.MustCompile(`"nextPageToken": "[^"]+"`)
	aDuration = regexp.MustCompile(`"duration_ms": \d+`)
	anInstant = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
	aName     = regexp.MustCompile(`<(id|page)\d+>`)
)

// names gives the ids and page tokens of one transcript their names.
type names struct{ ids, pages []string }

func (n *names) hide(text string) string {
	text = aPage.ReplaceAllStringFunc(text, func(member string) string {
		token := strings.Split(member, `"`)[3]
		return `"nextPageToken": "` + nameOf(&n.pages, "page", token) + `"`
	})
	text = anID.ReplaceAllStringFunc(text, func(id string) string { return nameOf(&n.ids, "id", id) })
	text = aDuration.ReplaceAllString(text, `"duration_ms": "<ms>"`)
	return anInstant.ReplaceAllString(text, "<time>")
}

// nameOf is the name of a value, a new one when it is new.
func nameOf(known *[]string, kind, value string) string {
	i := slices.Index(*known, value)
	if i < 0 {
		i = len(*known)
		*known = append(*known, value)
	}
	return fmt.Sprintf("<%s%d>", kind, i+1)
}

func (n *names) fill(text string) string {
	values := map[string]string{}
	for i, id := range n.ids {
		values[fmt.Sprintf("<id%d>", i+1)] = id
	}
	for i, token := range n.pages {
		values[fmt.Sprintf("<page%d>", i+1)] = token
	}
	return aName.ReplaceAllStringFunc(text, func(name string) string {
		if value := values[name]; value != "" {
			return value
		}
		return name
	})
}

// exchange sends a request written as "METHOD /path", headers, an empty line
// and a body, and returns the answer in a form that can be compared.
func exchange(t *testing.T, addr, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(deadline)); err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(text, "\n\n")
	line, headers, _ := strings.Cut(strings.TrimSpace(head), "\n")
	body = strings.TrimSuffix(body, "\n")
	raw := line + " HTTP/1.1\r\nHost: " + addr + "\r\n"
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
	return rendered(t, res)
}

// rendered is the status, the headers that mean something and the body: JSON
// indented, a stream as it is without its heartbeats.
func rendered(t *testing.T, res *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	fmt.Fprintln(&out, res.Status)
	var headers []string
	for name, values := range res.Header {
		switch name {
		case "Date", "Content-Length", "X-Spring-Voyage-Bridge-Version":
		case "Etag":
			headers = append(headers, "Etag: <etag>\n")
		case "Last-Modified":
			headers = append(headers, "Last-Modified: <date>\n")
		default:
			headers = append(headers, name+": "+strings.Join(values, " | ")+"\n")
		}
	}
	slices.Sort(headers)
	out.WriteString(strings.Join(headers, "") + "\n")
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
