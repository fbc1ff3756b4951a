package acp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

func TestContent(t *testing.T) {
	const none = `{"protocolVersion":1}`
	raw := func(media, name string, content []byte) a2a.Part {
		return a2a.Part{Kind: a2a.PartRaw, Raw: content, MediaType: media, Filename: name}
	}
	png, long := []byte("\x89PNG"), bytes.Repeat([]byte("x"), 256<<10+1)
	for _, test := range []struct {
		name, can string
		parts     []a2a.Part
		want      string
	}{
		{"text and data are one block", none, []a2a.Part{a2a.TextPart("a"), a2a.TextPart("b"), a2a.DataPart([]byte("{\"c\": 1}"))}, `[{"text":"a\nb\n{\"c\":1}","type":"text"}]`},
		{"no command", none, []a2a.Part{a2a.TextPart("/help me"), a2a.TextPart("/b")}, `[{"text":" /help me\n/b","type":"text"}]`},
		{"no parts: the text", none, nil, `[{"text":"whole","type":"text"}]`},
		{"an image", capable, []a2a.Part{a2a.TextPart("a"), raw("image/png", "i.png", png), a2a.TextPart("b")},
			`[{"text":"a","type":"text"},{"data":"iVBORw==","mimeType":"image/png","type":"image"},{"text":"b","type":"text"}]`},
		{"an image for an agent without eyes", none, []a2a.Part{raw("image/png", "i.png", png)},
			`[{"mimeType":"image/png","name":"i.png","size":4,"type":"resource_link","uri":"file:///f/a%20b0"}]`},
		{"audio", capable, []a2a.Part{raw("audio/wav", "", png)}, `[{"data":"iVBORw==","mimeType":"audio/wav","type":"audio"}]`},
		{"a text file", capable, []a2a.Part{raw("text/plain", "a.txt", []byte("hello"))},
			`[{"resource":{"mimeType":"text/plain","text":"hello","uri":"file:///f/a%20b0"},"type":"resource"}]`},
		{"a long text file", capable, []a2a.Part{raw("text/plain", "", long)},
			`[{"mimeType":"text/plain","name":"a b0","size":262145,"type":"resource_link","uri":"file:///f/a%20b0"}]`},
		{"a binary file", capable, []a2a.Part{raw("", "a.bin", []byte{0})}, `[{"name":"a.bin","size":1,"type":"resource_link","uri":"file:///f/a%20b0"}]`},
		{"a URL", none, []a2a.Part{{Kind: a2a.PartURL, URL: "https://x.example/d/f.pdf", MediaType: "application/pdf"}},
			`[{"mimeType":"application/pdf","name":"f.pdf","type":"resource_link","uri":"https://x.example/d/f.pdf"}]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := newAgent(t)
			a.on("initialize", func(m message) { a.reply(m, test.can) })
			var params struct{ Prompt json.RawMessage }
			a.on("session/prompt", func(m message) {
				if err := json.Unmarshal(m.Params, &params); err != nil {
					t.Error(err)
				}
				a.reply(m, `{"stopReason":"end_turn"}`)
			})
			files := map[int]string{}
			for i := range test.parts {
				files[i] = fmt.Sprintf("/f/a b%d", i)
			}
			m := peer.Message{Text: "whole", Parts: test.parts, Files: files}
			if _, err := a.peer.Prompt(await.Context(t), a.open(), m, &events{}); err != nil {
				t.Fatal(err)
			}
			if string(params.Prompt) != test.want {
				t.Errorf("got  %s\nwant %s", params.Prompt, test.want)
			}
		})
	}
}

// TestMediaIsBounded: what is more than a prompt holds is linked to.
func TestMediaIsBounded(t *testing.T) {
	a := newAgent(t)
	var prompt string
	a.on("session/prompt", func(m message) {
		prompt = string(m.Params)
		a.reply(m, `{"stopReason":"end_turn"}`)
	})
	big := a2a.Part{Kind: a2a.PartRaw, Raw: make([]byte, 5<<20), MediaType: "image/png"}
	m := peer.Message{Parts: []a2a.Part{big, big}, Files: map[int]string{0: "/f/0", 1: "/f/1"}}
	if _, err := a.peer.Prompt(await.Context(t), a.open(), m, &events{}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(prompt, `"type":"image"`); n != 1 || !strings.Contains(prompt, `"uri":"file:///f/1"`) {
		t.Errorf("%d images in the prompt, which has %d bytes", n, len(prompt))
	}
}

// TestACommandOfItsOwn: an agent that takes a message for a command that it does not have says nothing.
func TestACommandOfItsOwn(t *testing.T) {
	for _, test := range []struct {
		text, says string
		ok         bool
	}{
		{"/help me", "", false}, {"  /help me", "", false}, {"/help me", "Help!", true}, {"/compact now", "", true}, {"help /me", "", true}, {"", "", true},
	} {
		a := newAgent(t)
		id := a.open()
		a.onPrompt("end_turn", func() {
			a.update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"compact"},7]}`)
			if test.says != "" {
				a.say(test.says)
			}
		})
		e, _ := a.prompt(id, test.text)
		if e.OK != test.ok || !e.OK && !strings.Contains(e.Reason, "begins with a slash") {
			t.Errorf("%q: %+v", test.text, e)
		}
	}
}
