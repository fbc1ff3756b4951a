package config

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	txt "github.com/a2a-sidecar/sidecar/internal/text"
)

// Print writes every setting, its value and its origin, in the order of the table.
// What looks like a secret in the command is masked.
func (l *Loaded) Print(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "SETTING\tVALUE\tFROM")
	for _, v := range l.Values {
		shown := v.Text
		if slices.Contains([]string{"", "0", "0s"}, shown) && v.Origin.From == FromDefault && v.Setting.Shown != "" {
			shown = v.Setting.Shown
		}
		if v.Setting.Name == commandKey {
			shown = formatCommand(maskArgv(l.Config.Command))
		} else if shown == "" {
			shown = "-"
		} else if !txt.Visible(shown) {
			shown = strconv.Quote(shown)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\n", v.Setting.Name, shown, v.Origin)
	}
	return tw.Flush()
}

// formatCommand writes argv so that its words can be told apart.
func formatCommand(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = a
		if a == "" || strings.ContainsFunc(a, special) {
			words[i] = strconv.Quote(a)
		}
	}
	if len(words) == 0 {
		return "-"
	}
	return strings.Join(words, " ")
}

// special reports whether a word that contains r should be quoted.
func special(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_@%+=:,./*-", r)
}

// masked replaces a secret.
const masked = "*****"

// maskArgv hides the values of arguments whose names say that they are secret
// (--api-key X, --token=X, API_KEY=X), passwords in addresses, and keys with
// well-known prefixes. If in doubt, it hides.
func maskArgv(argv []string) []string {
	named := regexp.MustCompile(`(?i)(key|token|secret|passw(or)?d|credentials?|auth|bearer)$`)
	prefix := regexp.MustCompile(`^(sk-|xox[a-z]-|gh[a-z]_|glpat-|AIza|AKIA|eyJ)`)
	userinfo := regexp.MustCompile(`(//[^/@:\s]*:)[^/@\s]+@`)
	out := make([]string, len(argv))
	hideNext := false
	for i, a := range argv {
		name, _, assigned := strings.Cut(a, "=")
		switch {
		case i > 0 && hideNext && !strings.HasPrefix(a, "-"), prefix.MatchString(a):
			out[i] = masked
		case assigned && named.MatchString(name):
			out[i] = name + "=" + masked
		default:
			out[i] = userinfo.ReplaceAllString(a, "${1}"+masked+"@")
		}
		hideNext = strings.HasPrefix(a, "-") && !assigned && named.MatchString(a)
	}
	return out
}
