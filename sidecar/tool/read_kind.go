package tool

import (
	"bytes"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// fileKind is what a file is, by how it begins.
type fileKind struct {
	magic string
	at    int    // where the magic stands
	media string // its media type
	part  bool   // it is returned as it is: models take it
}

// fileKinds are the kinds that are told by name, the more special first.
func fileKinds() []fileKind {
	return []fileKind{
		{"\x89PNG\r\n\x1a\n", 0, "image/png", true},
		{"\xff\xd8\xff", 0, "image/jpeg", true},
		{"GIF87a", 0, "image/gif", true},
		{"GIF89a", 0, "image/gif", true},
		{"WEBPVP8", 8, "image/webp", true},
		{"%PDF-", 0, "application/pdf", true},
		{"BM", 0, "image/bmp", false},
		{"II*\x00", 0, "image/tiff", false},
		{"MM\x00*", 0, "image/tiff", false},
		{"\x00\x00\x01\x00", 0, "image/x-icon", false},
		{"\x7fELF", 0, "application/x-executable", false},
		{"MZ", 0, "application/x-msdownload", false},
		{"\xcf\xfa\xed\xfe", 0, "application/x-mach-binary", false},
		{"PK\x03\x04", 0, "application/zip", false},
		{"\x1f\x8b", 0, "application/gzip", false},
		{"BZh", 0, "application/x-bzip2", false},
		{"\xfd7zXZ\x00", 0, "application/x-xz", false},
		{"\x28\xb5\x2f\xfd", 0, "application/zstd", false},
		{"7z\xbc\xaf\x27\x1c", 0, "application/x-7z-compressed", false},
		{"ustar", 257, "application/x-tar", false},
		{"SQLite format 3\x00", 0, "application/vnd.sqlite3", false},
		{"\x00asm", 0, "application/wasm", false},
		{"\xca\xfe\xba\xbe", 0, "application/java-vm", false},
		{"OggS", 0, "application/ogg", false},
		{"ID3", 0, "audio/mpeg", false},
		{"WAVE", 8, "audio/wav", false},
		{"ftyp", 4, "video/mp4", false},
		{"\x1a\x45\xdf\xa3", 0, "video/x-matroska", false},
		{"wOF2", 0, "font/woff2", false},
		{"\xff\xfe", 0, "text/plain; charset=utf-16le", false},
		{"\xfe\xff", 0, "text/plain; charset=utf-16be", false},
	}
}

// unknownBytes is the media type of what is no text and nothing known.
const unknownBytes = "application/octet-stream"

// kindOf returns what a file is by its first bytes: "" as the media type for a text in UTF-8. A PDF is one
// though it may begin as a text.
func kindOf(head []byte) (media string, part bool) {
	isText := text.BeginsText(head)
	for _, k := range fileKinds() {
		if (k.part || !isText) && len(head) >= k.at && bytes.HasPrefix(head[k.at:], []byte(k.magic)) {
			return k.media, k.part
		}
	}
	if isText {
		return "", false
	}
	return unknownBytes, false
}
