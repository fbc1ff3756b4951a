package codex

import (
	"path/filepath"
	"slices"
	"strings"
)

// unwrap returns the script of a command like /bin/bash -lc 'script', by which codex runs every
// command of its shell tool; any other command is returned as it is.
func unwrap(command string) string {
	if script, ok := scriptOf(words(command)); ok {
		return script
	}
	return command
}

// scriptOf returns what a shell is given to run, if argv is that and nothing else.
func scriptOf(argv []string) (string, bool) {
	if len(argv) != 3 || argv[1] != "-lc" && argv[1] != "-c" {
		return "", false
	}
	if !slices.Contains([]string{"bash", "zsh", "sh"}, filepath.Base(argv[0])) {
		return "", false
	}
	return argv[2], true
}

// words splits a command that was quoted from its words; nil if it uses anything else of a shell.
func words(command string) (all []string) {
	var word strings.Builder
	begun := false
	end := func() {
		if begun {
			all = append(all, word.String())
		}
		word.Reset()
		begun = false
	}
	for i := 0; i < len(command); i++ {
		switch c := command[i]; c {
		case ' ':
			end()
		case '\'':
			n := strings.IndexByte(command[i+1:], '\'')
			if n < 0 {
				return nil
			}
			word.WriteString(command[i+1 : i+1+n])
			i, begun = i+1+n, true
		case '"':
			n := quoted(command[i+1:], &word)
			if n < 0 {
				return nil
			}
			i, begun = i+1+n, true
		case '\\':
			if i++; i == len(command) || command[i] == '\n' {
				return nil
			}
			word.WriteByte(command[i])
			begun = true
		case '$', '`', ';', '&', '|', '<', '>', '(', ')', '*', '?', '[', '#', '~', '!', '{', '}', '\n', '\t', '\r':
			return nil
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	end()
	return all
}

// quoted writes what stands between double quotes and returns its length; -1 if it has no end, or is expanded.
func quoted(rest string, word *strings.Builder) int {
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '"':
			return i
		case c == '$' || c == '`' || c == '!':
			return -1
		case c == '\\' && i+1 < len(rest) && strings.IndexByte("\"\\$`", rest[i+1]) >= 0:
			i++
			word.WriteByte(rest[i])
		case c == '\\' && i+1 < len(rest) && rest[i+1] == '\n':
			return -1
		default:
			word.WriteByte(c)
		}
	}
	return -1
}
