package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	txt "github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/tty"
)

// value is a field of the Config under construction. parse sets it from text, and its
// error says what would be right; String returns the text.
type value interface {
	parse(text string) error
	String() string
}

// field makes a value from the three things that differ between kinds.
type field[T any] struct {
	p      *T
	read   func(string) (T, error)
	format func(T) string
}

// choice is a value that accepts one of a few words.
type choice struct {
	value
	words []string
}

func (f field[T]) parse(s string) error {
	v, err := f.read(s)
	if err == nil {
		*f.p = v
	}
	return err
}

func (f field[T]) String() string { return f.format(*f.p) }

func text(p *string) value {
	return field[string]{p, func(s string) (string, error) {
		if strings.ContainsRune(s, 0) {
			return "", fmt.Errorf("holds a NUL byte; leave it out")
		}
		return s, nil
	}, asIs}
}

func asIs(s string) string { return s }

func truth(p *bool) value {
	return field[bool]{p, func(s string) (bool, error) {
		switch strings.ToLower(s) {
		case "true", "1", "yes", "on":
			return true, nil
		case "false", "0", "no", "off":
			return false, nil
		}
		return false, fmt.Errorf("is neither true nor false; write one of true, 1, yes, on, false, 0, no, off")
	}, strconv.FormatBool}
}

func oneOf(p *string, allowed ...string) value {
	return choice{field[string]{p, func(s string) (string, error) {
		if slices.Contains(allowed, s) {
			return s, nil
		}
		if near := jsontree.Nearest(s, allowed); near != "" {
			return "", fmt.Errorf("is not known; did you mean %s? (one of %s)", near, strings.Join(allowed, ", "))
		}
		return "", fmt.Errorf("is not known; write one of %s", strings.Join(allowed, ", "))
	}, asIs}, allowed}
}

// switchOr reads a switch with a third position.
func switchOr(p *string, on, off, third string) value {
	return choice{field[string]{p, func(s string) (string, error) {
		if s == third {
			return s, nil
		}
		given := false
		if err := truth(&given).parse(s); err != nil {
			return "", fmt.Errorf("is not known; write one of %s, %s, %s", on, off, third)
		}
		if given {
			return on, nil
		}
		return off, nil
	}, asIs}, []string{on, off, third}}
}

func number(p *int, low, high int) value {
	return field[int]{p, func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < low || n > high {
			return 0, fmt.Errorf("is not a whole number from %d to %d", low, high)
		}
		return n, nil
	}, strconv.Itoa}
}

// cells reads the size of a terminal, within the sizes that the terminal model
// supports.
func cells(p *tty.Size) value {
	return field[tty.Size]{p, func(s string) (tty.Size, error) {
		left, right, _ := strings.Cut(strings.ToLower(s), "x")
		cols, err := strconv.Atoi(left)
		rows, err2 := strconv.Atoi(right)
		if err != nil || err2 != nil || cols < 2 || cols > term.MaxCols || rows < 2 || rows > term.MaxRows {
			return tty.Size{}, fmt.Errorf("is not the size of a terminal; write COLSxROWS, such as 120x40, of 2 to %d columns and 2 to %d rows", term.MaxCols, term.MaxRows)
		}
		return tty.Size{Cols: uint16(cols), Rows: uint16(rows)}, nil
	}, formatCells}
}

func formatCells(s tty.Size) string { return fmt.Sprintf("%dx%d", s.Cols, s.Rows) }

func size(p *int64, low, high int64) value {
	return field[int64]{p, func(s string) (int64, error) {
		n, ok := txt.ParseSize(s)
		if !ok {
			return 0, errors.New("is not a size; write one such as 8MiB, 200KB or 1048576")
		}
		if n < low || n > high {
			return 0, fmt.Errorf("is out of range; write a size from %s to %s", txt.FormatSize(low), txt.FormatSize(high))
		}
		return n, nil
	}, txt.FormatSize}
}

// zero says what a duration of 0 means.
type zero int

const (
	positive      zero = iota // 0 is refused
	zeroMeansZero             // 0 means at once
	zeroMeansNone             // 0 means no limit, also written "none"
)

func duration(p *time.Duration, z zero) value {
	return field[time.Duration]{p,
		func(s string) (time.Duration, error) { return parseDuration(s, z) },
		func(d time.Duration) string {
			if d == 0 && z == zeroMeansNone {
				return "none"
			}
			return formatDuration(d)
		}}
}

func pattern(p **regexp.Regexp) value {
	return field[*regexp.Regexp]{p, func(s string) (*regexp.Regexp, error) {
		re, err := regexp.Compile(s)
		if err != nil {
			return nil, fmt.Errorf("is not a regular expression of Go's syntax (%s)", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
		return re, nil
	}, func(re *regexp.Regexp) string {
		if re == nil {
			return ""
		}
		return re.String()
	}}
}

func level(p *slog.Level) value {
	names := []string{"debug", "info", "warn", "error"}
	return choice{field[slog.Level]{p, func(s string) (slog.Level, error) {
		var l slog.Level
		if err := l.UnmarshalText([]byte(s)); err != nil || !slices.Contains(names, strings.ToLower(s)) {
			return 0, fmt.Errorf("is not a level; write one of %s", strings.Join(names, ", "))
		}
		return l, nil
	}, func(l slog.Level) string { return strings.ToLower(l.String()) }}, names}
}

func namespaces(p *[]string) value {
	return field[[]string]{p, func(s string) ([]string, error) {
		name := regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$`)
		var all []string
		for n := range strings.SplitSeq(s, ",") {
			n = strings.TrimSuffix(strings.TrimSpace(n), ".*")
			if n == "" {
				continue
			}
			if !name.MatchString(n) {
				return nil, fmt.Errorf("%q is not a namespace; write lower-case names such as acme or acme.internal, separated by commas", n)
			}
			all = append(all, n)
		}
		return all, nil
	}, func(all []string) string { return strings.Join(all, ",") }}
}

func imageDigest(p *string) value {
	return field[string]{p, ImageDigest, asIs}
}

// ImageDigest checks the digest of an image, as in "sha256:9f86d081…".
func ImageDigest(s string) (string, error) {
	if len(s) > 256 || !regexp.MustCompile(`^[a-z0-9]+([+._-][a-z0-9]+)*:[a-zA-Z0-9=_-]{32,}$`).MatchString(s) {
		return "", fmt.Errorf("%q is not an image's digest; write it as in sha256:9f86d081…, with all its digits", txt.Shorten(s, 80))
	}
	return s, nil
}

func directories(p *[]string) value {
	return field[[]string]{p, func(s string) ([]string, error) {
		var all []string
		for dir := range strings.SplitSeq(s, ",") {
			if dir != "" && !slices.Contains(all, dir) {
				all = append(all, dir)
			}
		}
		return all, nil
	}, func(all []string) string { return strings.Join(all, ",") }}
}

func user(p **proc.User) value {
	return field[*proc.User]{p, func(s string) (*proc.User, error) {
		if s == "" {
			return nil, nil
		}
		u, err := proc.ParseUser(s)
		if err != nil {
			return nil, fmt.Errorf("is not a user: %s", strings.TrimPrefix(err.Error(), fmt.Sprintf("user %q: ", s)))
		}
		return u, nil
	}, func(u *proc.User) string {
		if u == nil {
			return ""
		}
		return fmt.Sprintf("%d:%d", u.UID, u.GID)
	}}
}

func host(p *string) value {
	return field[string]{p, func(s string) (string, error) {
		bare := s
		if inner, open := strings.CutPrefix(s, "["); open && strings.HasSuffix(inner, "]") {
			bare = strings.TrimSuffix(inner, "]")
		}
		_, err := netip.ParseAddr(bare)
		if err == nil || hostName(bare) {
			return bare, nil
		}
		if _, port, err := net.SplitHostPort(s); err == nil && strings.Trim(port, "0123456789") == "" && port != "" {
			return "", fmt.Errorf("holds a port; write the address alone and --port %s", port)
		}
		return "", fmt.Errorf("is not an address; write one such as 127.0.0.1, ::1 or 0.0.0.0")
	}, func(s string) string {
		if s == "" {
			return "all interfaces"
		}
		return s
	}}
}

// hostName reports whether s can be a host name: letters, digits, dots and dashes,
// and no number at the end, which would be a mistyped address.
func hostName(s string) bool {
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || strings.ContainsFunc(label, func(r rune) bool {
			return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			return false
		}
	}
	last := s[strings.LastIndexByte(s, '.')+1:]
	_, err := strconv.Atoi(last)
	return err != nil
}

func address(p *string) value {
	return field[string]{p, func(s string) (string, error) {
		if s == "" {
			return "", nil
		}
		u, err := url.Parse(s)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
			return "", fmt.Errorf("is not a base address; write one such as https://agent.example.com")
		}
		if u.User != nil {
			return "", fmt.Errorf("holds a user name, which does not belong there; leave it out")
		}
		return strings.TrimRight(s, "/"), nil
	}, asIs}
}
