package tool

import (
	"bytes"
	"net/url"
	"path"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// The kinds of text.
const (
	htmlType = "text/html"
	textType = "text/plain"
)

// answerKind returns what an answer is: the media type of a PDF or an image, htmlType, textType, or "" for
// bytes that are none of them. What the first bytes are beats what the server says of them: many servers
// are wrong, and some lie.
func answerKind(head []byte, declared, charset string) string {
	media, part := kindOf(head)
	switch {
	case part:
		return media
	case !isText(head, charset):
		return ""
	case declared == htmlType, declared == "application/xhtml+xml", declared == "" && beginsHTML(head):
		return htmlType
	}
	return textType
}

// isText reports whether the beginning of an answer is text in a charset. A NUL is none, but in UTF-16.
func isText(head []byte, charset string) bool {
	wide := strings.HasPrefix(strings.ToLower(charset), "utf-16") || bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
	if wide || text.BeginsText(head) {
		return true
	}
	controls := 0
	for _, c := range head {
		switch {
		case c == 0:
			return false
		case c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != 0x1b:
			controls++
		}
	}
	return controls*100 <= len(head) // text in another charset has none, and what is packed has many
}

// beginsHTML reports whether text that nobody says the type of begins as a page does.
func beginsHTML(head []byte) bool {
	head = bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n\f"))
	for _, begin := range []string{"<!doctype html", "<html", "<head", "<body", "<!--", "<title", "<meta", "<div", "<p>", "<h1", "<script"} {
		if bytes.HasPrefix(head, []byte(begin)) {
			return true
		}
	}
	return false
}

// maxFileName is the longest name of a file, in bytes.
const maxFileName = 100

// fileName returns a name for a file that was fetched: the last part of its URL, or one for its type.
func fileName(address, media string) string {
	_, extension, _ := strings.Cut(media, "/")
	if u, err := url.Parse(address); err == nil {
		if name := text.Name(path.Base(u.Path)); name != "" && name != "." && name != "/" && len(name) <= maxFileName && path.Ext(name) != "" {
			return name
		}
	}
	return "file." + extension
}
