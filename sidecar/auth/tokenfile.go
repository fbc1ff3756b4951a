package auth

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

const (
	// maxTokenFile limits the size of a token file, in bytes.
	maxTokenFile = 1 << 20
	maxTokenName = 64
	// minToken is the minimum length of a token, so that nobody can guess it.
	minToken = 16
)

// TokenFault is one thing that is wrong with a token file. It never holds a
// token.
type TokenFault struct {
	Line int
	Text string
}

func (f *TokenFault) Error() string { return fmt.Sprintf("line %d: %s", f.Line, f.Text) }

// Token is one line of a token file.
type Token struct {
	Name string
	// Value is the secret.
	Value string
}

// ParseTokens reads a token file: a line name:token for each token, blank lines, and
// comments that begin with #. A name is 1 to 64 of [A-Za-z0-9._-]; it may have several
// tokens, so that they can be changed without a gap. A token is at least 16 characters of
// printable ASCII without spaces, and must not occur twice. The error joins one *TokenFault
// for each problem.
func ParseTokens(file []byte) ([]Token, error) {
	if len(file) > maxTokenFile {
		return nil, fmt.Errorf("is larger than %d bytes; is it the right file?", maxTokenFile)
	}
	var all []Token
	var faults []error
	seen := make(map[string]int)
	number := 0
	for line := range bytes.Lines(bytes.TrimPrefix(file, []byte("\xef\xbb\xbf"))) {
		number++
		text := strings.TrimSpace(string(line))
		if text == "" || text[0] == '#' {
			continue
		}
		name, value, colon := strings.Cut(text, ":")
		value = strings.TrimSpace(value)
		why := "want name:token"
		if colon {
			why = checkToken(name, value)
		}
		if first := seen[value]; why == "" && first > 0 {
			why = fmt.Sprintf("this token is already on line %d; each line needs a token of its own", first)
		}
		if why != "" {
			faults = append(faults, &TokenFault{number, why})
			continue
		}
		seen[value] = number
		all = append(all, Token{name, value})
	}
	if len(faults) == 0 && len(all) == 0 {
		faults = append(faults, errors.New("holds no token; write lines such as alice:TOKEN"))
	}
	return all, errors.Join(faults...)
}

// checkToken returns what is wrong with a token, "" if nothing is. The text is shown to
// people: it never holds the token, or a name that might be one.
func checkToken(name, value string) string {
	switch {
	case !validTokenName(name):
		return "the name before the colon must be 1 to 64 of [A-Za-z0-9._-]"
	case len(value) < minToken:
		return fmt.Sprintf("the token of %s is shorter than %d characters; make one with: openssl rand -hex 32", name, minToken)
	case !text.VisibleASCII(value):
		return fmt.Sprintf("the token of %s holds a space or a character that is not printable ASCII", name)
	}
	return ""
}

func validTokenName(s string) bool {
	if s == "" || len(s) > maxTokenName {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}

// tokenSet is a checked token file. It is immutable, and does not keep the tokens
// themselves.
type tokenSet struct {
	names   []string
	digests [][sha256.Size]byte
}

func newTokenSet(all []Token) *tokenSet {
	s := &tokenSet{}
	for _, t := range all {
		s.names = append(s.names, t.Name)
		s.digests = append(s.digests, sha256.Sum256([]byte(t.Value)))
	}
	return s
}

// find returns the name whose token has the digest. It compares every entry, so that it
// always takes the same time.
func (s *tokenSet) find(digest [sha256.Size]byte) (name string, ok bool) {
	at := -1
	for i := range s.digests {
		at = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(s.digests[i][:], digest[:]), i, at)
	}
	if at < 0 {
		return "", false
	}
	return s.names[at], true
}

// readTokens reads and checks a token file.
func readTokens(path string) (*tokenSet, os.FileInfo, error) {
	data, info, err := readSmall(path, maxTokenFile)
	if err != nil {
		return nil, nil, err
	}
	all, err := ParseTokens(data)
	if err != nil {
		return nil, info, err
	}
	return newTokenSet(all), info, nil
}

// readSmall reads at most limit bytes of a file, and one more to detect a longer file.
func readSmall(path string, limit int64) ([]byte, os.FileInfo, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	return data, info, err
}
