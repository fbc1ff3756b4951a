package option

import (
	"regexp"
	"sync"
)

// expression returns a regular expression that is compiled when it is first asked for: most
// sidecars wrap an agent that is known, and need none of them.
func expression(source string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(source) })
}
