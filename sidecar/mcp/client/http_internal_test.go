package client

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestEventsAreMessagesWithinTheLimit(t *testing.T) {
	const good = "id: 1\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"method\":\"a\"}\n\n"
	for _, c := range []struct{ what, in, out string }{
		{"messages and what has no data", good + ": comment\n\nretry: 5\n\n", good + ": comment\n\nretry: 5\n\n"},
		{"what is no message", good + "data: {}\n\ndata: 7\n\n", good + "\n\n"},
		{"an id that costs too much", "data: {\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":[" + strings.Repeat("[],", 100) + "1]}\n\n", "\n"},
		{"CR LF", strings.ReplaceAll(good, "\n", "\r\n"), good},
		{"an event without its end", good + "data: {}\n", good},
	} {
		told := false
		got, err := io.ReadAll(newBoundedEvents(io.NopCloser(strings.NewReader(c.in)), 1000, func() { told = true }))
		if err != nil || told || string(got) != c.out {
			t.Errorf("%s: got %q, %v, want %q", c.what, got, err, c.out)
		}
	}
	for what, in := range map[string]string{
		"a long line":  "data: " + strings.Repeat("x", 1001) + "\n\n",
		"many lines":   strings.Repeat("data: x\n", 200) + "\n",
		"other fields": strings.Repeat("id: x\n", 200) + "\n",
	} {
		told := false
		_, err := io.ReadAll(newBoundedEvents(io.NopCloser(strings.NewReader(in)), 1000, func() { told = true }))
		if !errors.Is(err, errBody) || !told {
			t.Errorf("%s: got %v", what, err)
		}
	}
}

// TestEventsThatAreNoMessages holds that a stream which says nothing, as fast as it can, ends.
func TestEventsThatAreNoMessages(t *testing.T) {
	for what, event := range map[string]string{"empty": "\n", "comments": ":\n\n", "no messages": "data: 7\n\n"} {
		in := strings.NewReader(strings.Repeat(event, 10*noiseMessages))
		_, err := io.Copy(io.Discard, newBoundedEvents(io.NopCloser(in), 1000, func() {}))
		if err == nil || !strings.Contains(err.Error(), "floods") {
			t.Errorf("%s: got %v", what, err)
		}
	}
}
