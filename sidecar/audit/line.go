package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// A line is
//
//	{"seq":7,"time":"…","prev":"<hash of record 6>",<the members of Record>,"hash":"<hash>"}
//
// and the hash is SHA-256, in hex, of all bytes of the line before `,"hash"`. So nothing
// has to be encoded again to check it.
const (
	hashKey   = `,"hash":"`
	hashEnd   = `"}`
	hashChars = 2 * sha256.Size
	hashTail  = len(hashKey) + hashChars + len(hashEnd)
)

// link is where the chain stands: the last record's number and hash.
type link struct {
	seq  uint64
	hash string
}

// body returns a record's own members as a JSON object.
func (r *Record) body() ([]byte, error) { return text.JSON(r) }

// next appends the line of the record after l, with its line end, and returns the new end
// of the chain. body is an object that is not empty.
func (l link) next(b []byte, at time.Time, body []byte) ([]byte, link) {
	start := len(b)
	b = strconv.AppendUint(append(b, `{"seq":`...), l.seq+1, 10)
	b = at.UTC().AppendFormat(append(b, `,"time":"`...), time.RFC3339Nano)
	b = append(append(append(b, `","prev":"`...), l.hash...), `",`...)
	b = append(b, body[1:len(body)-1]...)
	hash := hashOf(b[start:])
	b = append(append(append(append(b, hashKey...), hash...), hashEnd...), '\n')
	return b, link{l.seq + 1, hash}
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Faults of a single line.
var (
	errNoHash  = errors.New("the line has no hash at its end")
	errChanged = errors.New("its hash does not fit: the record was changed")
)

// parseLine reads a line without its line end. The error says what is wrong with the line
// by itself; whether it belongs where it stands is another question.
func parseLine(line []byte) (Record, error) {
	var r Record
	at := len(line) - hashTail
	if at < 1 || !bytes.HasPrefix(line[at:], []byte(hashKey)) || !bytes.HasSuffix(line, []byte(hashEnd)) {
		return r, errNoHash
	}
	said := string(line[at+len(hashKey) : len(line)-len(hashEnd)])
	if hashOf(line[:at]) != said {
		return r, errChanged
	}
	var head struct {
		Seq  uint64    `json:"seq"`
		Time time.Time `json:"time"`
		Prev string    `json:"prev"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return r, err
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return r, err
	}
	r.Seq, r.Time, r.Prev, r.Hash = head.Seq, head.Time, head.Prev, said
	return r, nil
}
