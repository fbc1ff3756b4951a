package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// arguments returns the tool's arguments, built from the command line.
func (o *callOptions) arguments(c *cobra.Command, args []string) ([]byte, error) {
	if len(o.pairs) > 0 {
		if len(args) > 0 {
			return nil, usagef(c.CommandPath(), "give the arguments as JSON or by --arg, not both")
		}
		return fromPairs(c, o.pairs)
	}
	if len(args) == 0 {
		return []byte("{}"), nil
	}
	text, err := o.read(args[0])
	if err != nil {
		return nil, &exitError{code: exitFault, err: err}
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil || object == nil {
		if key, _, pair := strings.Cut(args[0], "="); pair && !strings.ContainsAny(key, "@{[\" \n") {
			return nil, usagef(c.CommandPath(), "the arguments are not a JSON object; write --arg %q", args[0])
		}
		return nil, usagef(c.CommandPath(), "the arguments are not a JSON object%s; write one such as '{\"name\":\"you\"}', or --arg name=you", reason(err))
	}
	return text, nil
}

func reason(err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf(" (at byte %d: %v)", syntax.Offset, syntax)
	}
	return ""
}

func (o *callOptions) read(arg string) ([]byte, error) {
	if arg == "-" {
		return io.ReadAll(o.std.In)
	}
	if path, isFile := strings.CutPrefix(arg, "@"); isFile {
		return os.ReadFile(path)
	}
	return []byte(arg), nil
}

// fromPairs makes an object from --arg; its keys keep the order in which they were
// given.
func fromPairs(c *cobra.Command, pairs []string) ([]byte, error) {
	var b strings.Builder
	var seen []string
	for _, pair := range pairs {
		key, value, found := strings.Cut(pair, "=")
		raw, isJSON := strings.CutSuffix(key, ":")
		if isJSON {
			key = raw
		}
		if !found || key == "" {
			return nil, usagef(c.CommandPath(), "--arg %q is not KEY=VALUE", pair)
		}
		if slices.Contains(seen, key) {
			return nil, usagef(c.CommandPath(), "--arg %s is given twice", key)
		}
		if isJSON && !json.Valid([]byte(value)) {
			return nil, usagef(c.CommandPath(), "--arg %s:=%s is not JSON; %s=%s would be text", key, value, key, value)
		}
		if !isJSON {
			value = quoteJSON(value)
		}
		seen = append(seen, key)
		fmt.Fprintf(&b, ",%s:%s", quoteJSON(key), value)
	}
	return []byte("{" + b.String()[1:] + "}"), nil
}

func quoteJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil { // strings always encode
		panic(err)
	}
	return string(b)
}
