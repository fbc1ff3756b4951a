package option

import (
	"regexp"
	"sync"
)

// expression returns a function that compiles a regular expression at its first call. Most
// sidecars wrap an agent whose questions are known, and never call it.
func expression(source string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(source) })
}
