package config

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// shellHint ends every refusal: it names two ways to write what was meant.
const shellHint = `no shell reads it: quote it, write a JSON array such as ["prog","arg"], or call one yourself: sh -c '…'`

// splitWords splits a line into words by the quoting rules of a POSIX shell. No shell
// ever runs the line, so what a shell would do beyond quoting (expansions,
// substitutions, pipes, redirections, comments) is refused and not ignored.
func splitWords(line string) ([]string, error) {
	s := &splitter{rest: line, line: line}
	for s.rest != "" {
		if err := s.next(); err != nil {
			return nil, err
		}
	}
	return s.words, s.end()
}

// splitter reads a line from left to right.
type splitter struct {
	line, rest string
	words      []string

	word   strings.Builder
	inWord bool   // a word has begun, even if it is empty
	quoted bool   // a part of the word was quoted
	bare   string // the beginning of the word, before any quoted part
}

// next reads one character, or what it quotes.
func (s *splitter) next() error {
	c, size := utf8.DecodeRuneInString(s.rest)
	switch {
	case strings.HasPrefix(s.rest, "\\\n"): // it counts as absent
		s.rest = s.rest[2:]
		return nil
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		s.rest = s.rest[size:]
		return s.end()
	case strings.ContainsRune("|&;<>()", c):
		at := utf8.RuneCountInString(s.line[:len(s.line)-len(s.rest)]) + 1
		return fmt.Errorf("is more than a command and its arguments (character %d: %c), and %s", at, c, shellHint)
	case c == '#' && !s.inWord:
		return errors.New("holds # outside of quotes, which begins a comment; quote it")
	}
	s.inWord = true
	s.quoted = s.quoted || strings.ContainsRune("'\"\\", c)
	switch c {
	case '\'':
		return s.single()
	case '"':
		return s.double()
	case '\\':
		s.escaped()
		return nil
	case '$', '`':
		return s.dollar()
	}
	s.take(size)
	if !s.quoted {
		s.bare = s.word.String()
	}
	return nil
}

// take moves n bytes into the word.
func (s *splitter) take(n int) {
	s.word.WriteString(s.rest[:n])
	s.rest = s.rest[n:]
}

// escaped takes the character after a backslash; a backslash at the end of the line
// stands for itself.
func (s *splitter) escaped() {
	if len(s.rest) > 1 {
		s.rest = s.rest[1:]
	}
	_, size := utf8.DecodeRuneInString(s.rest)
	s.take(size)
}

// single takes what is between single quotes.
func (s *splitter) single() error {
	text, rest, ok := strings.Cut(s.rest[1:], "'")
	if !ok {
		return errors.New("ends inside of quotes ('); close them")
	}
	s.word.WriteString(text)
	s.rest = rest
	return nil
}

// double takes what is between double quotes: there, a backslash quotes only
// characters with a special meaning.
func (s *splitter) double() error {
	s.rest = s.rest[1:]
	for s.rest != "" {
		switch c := s.rest[0]; {
		case c == '"':
			s.rest = s.rest[1:]
			return nil
		case strings.HasPrefix(s.rest, "\\\n"):
			s.rest = s.rest[2:]
		case c == '\\' && len(s.rest) > 1 && strings.IndexByte("$`\"\\", s.rest[1]) >= 0:
			s.escaped()
		case c == '$' || c == '`':
			if err := s.dollar(); err != nil {
				return err
			}
		default:
			s.take(1)
		}
	}
	return errors.New(`ends inside of quotes ("); close them`)
}

// dollar refuses what only a shell could expand, and takes a $ that stands for
// itself.
func (s *splitter) dollar() error {
	what := ""
	behind := strings.ReplaceAll(s.rest[1:], "\\\n", "")
	name := parameter(strings.TrimPrefix(behind, "{"))
	switch {
	case s.rest[0] == '`':
		what = "a command substitution"
	case strings.HasPrefix(behind, "(("):
		what = "an arithmetic expansion"
	case strings.HasPrefix(behind, "("):
		what = "a command substitution"
	case name != "":
		what = "the variable $" + name
	case strings.HasPrefix(behind, "{"):
		what = "something only a shell understands"
	}
	if what != "" {
		return fmt.Errorf("holds %s, and %s", what, shellHint)
	}
	s.take(1)
	return nil
}

// parameter returns the name of the variable at the start of s, "" for none.
func parameter(s string) string {
	if n := variable(s); n > 0 {
		return s[:n]
	}
	if s != "" && strings.IndexByte("0123456789@*#?$!-", s[0]) >= 0 {
		return s[:1]
	}
	return ""
}

// variable returns how many bytes at the start of s can be the name of a variable.
func variable(s string) (n int) {
	for n < len(s) && (s[n] == '_' || 'a' <= s[n]|0x20 && s[n]|0x20 <= 'z' || n > 0 && '0' <= s[n] && s[n] <= '9') {
		n++
	}
	return n
}

// end ends the word, if there is one. It refuses two words that mean more to a shell:
// a home directory, and an assignment before the command.
func (s *splitter) end() error {
	if !s.inWord {
		return nil
	}
	text := s.word.String()
	switch {
	case strings.HasPrefix(s.bare, "~"):
		return fmt.Errorf("holds %s, and %s", quote(text), shellHint)
	case len(s.words) == 0 && variable(s.bare) > 0 && strings.HasPrefix(s.bare[variable(s.bare):], "="):
		return fmt.Errorf("begins with the assignment %s; set that in the environment, or begin with env", quote(text))
	}
	s.words = append(s.words, text)
	s.word.Reset()
	s.inWord, s.quoted, s.bare = false, false, ""
	return nil
}
