package output

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// LeastValue is the fewest bytes of a value that is taken out: a shorter one stands in
// many words by chance.
const LeastValue = 6

// LongestValue is the most bytes of a value that is taken out.
const LongestValue = 64 << 10

// forms returns how a value may be written: as it is, in base64 at any offset, escaped
// for URLs, and escaped for JSON.
func forms(value string) []string {
	all := []string{value}
	all = append(all, inBase64(value, base64.StdEncoding)...)
	all = append(all, inBase64(value, base64.URLEncoding)...)
	for _, escaped := range [...]string{url.QueryEscape(value), url.PathEscape(value), percent(value)} {
		all = append(all, escaped, lowerPercent(escaped))
	}
	for _, escaped := range inJSON(value) {
		all = append(all, escaped, asciiJSON(escaped), strings.ReplaceAll(escaped, "/", `\/`))
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(s string) bool { return len(s) < LeastValue })
}

// inBase64 returns what base64 makes of a value whatever stands before and after it: for
// each of the three offsets, the characters that depend on the value alone.
func inBase64(value string, e *base64.Encoding) (all []string) {
	for offset := range 3 {
		written := e.WithPadding(base64.NoPadding).EncodeToString(append(make([]byte, offset), value...))
		first := (offset*8 + 5) / 6 // the characters that the bytes before have bits in
		last := (offset + len(value)) * 8 / 6
		if first < last {
			all = append(all, written[first:last])
		}
	}
	return all
}

// percent escapes every byte but letters, digits and - . _ ~, as encodeURIComponent and
// others do nearly: nothing else is left as it is.
func percent(value string) string {
	var b strings.Builder
	for i := range len(value) {
		c := value[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '.', c == '_', c == '~':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// lowerPercent writes the digits of %XX in lower case.
func lowerPercent(escaped string) string {
	return regexp.MustCompile(`%[0-9A-F]{2}`).ReplaceAllStringFunc(escaped, strings.ToLower)
}

// inJSON returns a value as the inside of a JSON string, with and without the escapes
// that web pages need.
func inJSON(value string) []string {
	html, _ := json.Marshal(value) // a string always encodes
	plain, _ := text.JSON(value)
	return []string{string(html[1 : len(html)-1]), string(plain[1 : len(plain)-1])}
}

// asciiJSON escapes what is not ASCII.
func asciiJSON(escaped string) string {
	var b strings.Builder
	for _, r := range escaped {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}
