package learn

import (
	"regexp"
	"sync"
)

// expression returns a function that compiles a fixed pattern on its first call.
func expression(source string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(source) })
}

// pattern caches the compiled form of the pattern that was asked for last.
type pattern struct {
	source string
	re     *regexp.Regexp
}

// of returns the compiled form of source. If source is not a valid pattern, the result
// matches nothing.
func (p *pattern) of(source string) *regexp.Regexp {
	if p.re == nil || p.source != source {
		re, err := regexp.Compile(source)
		if err != nil {
			re = nothing()
		}
		p.source, p.re = source, re
	}
	return p.re
}

// nothing matches no text.
var nothing = expression(`[^\x{0}-\x{10ffff}]`)
