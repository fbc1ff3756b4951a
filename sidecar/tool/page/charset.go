package page

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// sniffed is how many bytes of a page are searched for the declaration of its charset, as browsers do.
const sniffed = 1024

// Decode returns content as UTF-8. declared is the charset that its server names, "" for none; a byte
// order mark beats it. If nothing names one, content that is not UTF-8 is taken for windows-1252, as browsers
// do. isHTML says that the content may name its charset itself. The error names a charset that is not known.
func Decode(content []byte, declared string, isHTML bool) (string, error) {
	switch {
	case bytes.HasPrefix(content, []byte("\xef\xbb\xbf")):
		return strings.ToValidUTF8(string(content[3:]), "\uFFFD"), nil
	case bytes.HasPrefix(content, []byte("\xff\xfe")):
		return fromUTF16(content[2:], false), nil
	case bytes.HasPrefix(content, []byte("\xfe\xff")):
		return fromUTF16(content[2:], true), nil
	}
	if declared == "" && isHTML {
		if declared = declaredCharset(content); strings.HasPrefix(strings.ToLower(declared), "utf-16") {
			declared = "utf-8" // it could be read, so it is not
		}
	}
	switch strings.ToLower(strings.Trim(declared, " \t\"'")) {
	case "":
		if !utf8.Valid(content) {
			return fromWindows1252(content), nil
		}
		return string(content), nil
	case "utf-8", "utf8", "us-ascii", "ascii":
		return strings.ToValidUTF8(string(content), "\uFFFD"), nil
	case "iso-8859-1", "iso8859-1", "latin1", "latin-1", "l1", "windows-1252", "cp1252", "x-cp1252":
		return fromWindows1252(content), nil
	case "iso-8859-15", "iso8859-15", "latin-9", "latin9":
		return strings.NewReplacer("¤", "€", "¦", "Š", "¨", "š", "´", "Ž", "¸", "ž", "¼", "Œ", "½", "œ", "¾", "Ÿ").Replace(fromWindows1252(content)), nil
	case "utf-16", "utf-16le":
		return fromUTF16(content, false), nil
	case "utf-16be":
		return fromUTF16(content, true), nil
	}
	if utf8.Valid(content) {
		return string(content), nil // whatever it is called
	}
	return "", fmt.Errorf("its charset %s is not known here: UTF-8, UTF-16, ISO-8859-1, ISO-8859-15 and windows-1252 are", text.Quote(declared, 40))
}

// declaredCharset returns the charset that a page's meta elements name, "" for none.
func declaredCharset(content []byte) string {
	z := html.NewTokenizer(bytes.NewReader(content[:min(len(content), sniffed)]))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			if t.Data != "meta" {
				continue
			}
			if c, ok := attribute(&t, "charset"); ok {
				return c
			}
			equiv, _ := attribute(&t, "http-equiv")
			value, _ := attribute(&t, "content")
			if _, c, ok := strings.Cut(strings.ToLower(value), "charset="); ok && strings.EqualFold(equiv, "content-type") {
				c, _, _ = strings.Cut(c, ";")
				return c
			}
		}
	}
}

func fromUTF16(b []byte, bigEndian bool) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		first, second := uint16(b[2*i]), uint16(b[2*i+1])
		if bigEndian {
			first, second = second, first
		}
		units[i] = first | second<<8
	}
	return string(utf16.Decode(units))
}

// fromWindows1252 reads windows-1252, which browsers read ISO-8859-1 as, too.
func fromWindows1252(b []byte) string {
	high := []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")
	var s strings.Builder
	s.Grow(len(b) + len(b)/8)
	for _, c := range b {
		if c >= 0x80 && c < 0xa0 {
			s.WriteRune(high[c-0x80])
		} else {
			s.WriteRune(rune(c))
		}
	}
	return s.String()
}
