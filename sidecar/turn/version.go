package turn

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

const (
	// versionTime is how long an agent may take to print its version: some are slow to start.
	versionTime = 30 * time.Second
	// maxVersionText is how much of what it prints is read, in bytes.
	maxVersionText = 4 << 10
	// maxPrinted is how much of what a recipe needs is read, in bytes.
	maxPrinted = 8 << 20
	// maxVersion is how long a version may be, in bytes.
	maxVersion = 60
)

// executable is a program on disk at one moment.
type executable struct {
	path string
	size int64
	time time.Time
}

// executableOf returns the program of a command as it is now.
func executableOf(argv []string, dir string, env []string) executable {
	path, err := proc.LookPath(argv[0], dir, env)
	if err != nil {
		return executable{}
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	info, err := os.Stat(path)
	if err != nil {
		return executable{path: path}
	}
	return executable{path, info.Size(), info.ModTime()}
}

// told is what an agent has told of itself. It is not changed.
type told struct {
	by      executable
	version string // "" if it did not tell
	known   bool   // the recipe was measured for it
	printed []byte // what the recipe needs of it
}

// identify asks the agent for its version, unless its program is the one that was asked before, and
// tells if the recipe was not measured for it. Under strict that is an error. One goroutine asks at a time, the
// others wait for it until ctx ends: the error is the cause then.
func (r *Runner) identify(ctx context.Context, env []string) (*told, error) {
	g := r.governing
	select {
	case g.asking <- struct{}{}:
		defer func() { <-g.asking }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	argv := r.o.Command[:min(len(r.o.Command), profile.Arguments(r.o.Command))]
	now := executableOf(argv, r.o.Dir, env)
	if before := g.newest(); before != nil && now == before.by && now.path != "" {
		return before, g.judge(before)
	}
	version, err := r.version(ctx, argv, env)
	if err != nil {
		return nil, err
	}
	said := &told{by: now, version: version, known: g.recipe.Knows(version)}
	if len(g.recipe.Prints) > 0 {
		if said.printed, err = r.prints(ctx, append(argv[:len(argv):len(argv)], g.recipe.Prints...), env, maxPrinted); err != nil {
			return nil, err
		}
	}
	g.mu.Lock()
	g.told = said
	g.mu.Unlock()
	if err := g.judge(said); err != nil {
		return nil, err
	}
	r.logGoverned(said)
	return said, nil
}

// newest returns what the agent has told last, nil if it was not asked yet.
func (g *governing) newest() *told {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.told
}

// logGoverned logs how a version is governed.
func (r *Runner) logGoverned(said *told) {
	g := r.governing
	log := r.o.Log.With("agent", g.agent.Name, "version", said.version, "recipe", g.recipe.Recipe)
	if !said.known {
		log.Warn("the agent is governed by a recipe that was not measured for this version", "measured", strings.Join(g.recipe.Versions, ", "))
	} else {
		log.Info("the agent is governed")
	}
	for _, hole := range r.Governed().Holes {
		r.o.Log.Info("--govern does not close this", "hole", hole)
	}
}

// judge refuses a version under strict for which the recipe was not measured.
func (g *governing) judge(t *told) error {
	if !g.strict || t.known {
		return nil
	}
	said := t.version
	if said == "" {
		said = "that does not tell its version"
	}
	return fmt.Errorf("--govern=strict: the recipe was measured for %s %s, and this is one %s; use one of those, or --govern", g.agent.Name, strings.Join(g.recipe.Versions, ", "), said)
}

// number matches a version in what a program prints.
func number() *regexp.Regexp {
	return regexp.MustCompile(`\d+\.\d+(\.\d+)?([-+][0-9A-Za-z.-]+)?`)
}

// version runs the agent so that it prints its version; "" means that it did not. The error is that of a command
// that cannot be run.
func (r *Runner) version(ctx context.Context, argv, env []string) (string, error) {
	said, err := r.prints(ctx, append(argv[:len(argv):len(argv)], r.governing.recipe.Version...), env, maxVersionText)
	return text.Line(number().FindString(string(said)), maxVersion), err
}

// prints runs the agent so that it prints something and ends, and returns at most so many bytes of that; nil if it
// has failed.
func (r *Runner) prints(ctx context.Context, argv, env []string, limit int) (said []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	child, end, err := r.startAside(proc.Command{Argv: argv, Env: env, Dir: r.o.Dir, User: r.o.User})
	if err != nil {
		return nil, err
	}
	defer end()
	_ = child.Stdin().Close() // it has nothing to read
	defer context.AfterFunc(ctx, func() { child.Kill() })()
	exit := child.Output(func(chunk []byte) {
		said = append(said, chunk[:min(len(chunk), limit-len(said))]...)
	}, nil)
	if !exit.Success() {
		return nil, nil
	}
	return said, nil
}
