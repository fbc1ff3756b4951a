package match_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/policy/match"
	"github.com/a2a-sidecar/sidecar/sidecar/policy/shell"
)

var roots = match.Roots{"workspace": {"/ws", "/w[x]"}, "user-data": {"/"}}

func path(t *testing.T, s string) match.Path {
	t.Helper()
	p, err := match.ParsePath(s)
	if err != nil || p.String() != s {
		t.Fatalf("%s: %v", s, err)
	}
	return p
}

func TestPath(t *testing.T) {
	for _, tc := range []struct {
		pattern, value string
		want           bool
	}{
		{"/srv/a", "/srv/a", true},
		{"/srv/a", "/srv/a/b", false},
		{"/srv/**", "/srv", true},
		{"/srv/**", "/srv/a/.b", true},
		{"/srv/**", "/srvx", false},
		{"/srv/**/x", "/srv/x", true},
		{"/srv/**/x", "/srv/a/b/x", true},
		{"/srv/*/x", "/srv/a/b/x", false},
		{"/srv/{a,b}/*.go", "/srv/b/x.go", true},
		{"/srv/[ab]", "/srv/c", false},
		{`/srv/\[x\]/**`, "/srv/[x]/y", true},
		{`/srv/\*`, "/srv/a", false},
		{"**", "/x", true},
		{"**/.env", "/.env", true},
		{"**/.env", "/a/.env", true},
		{"/**", "/", true},
		{"{workspace}/**", "/ws/a", true},
		{"{workspace}/**", "/w[x]/a", true},
		{"{workspace}/**", "/w", false},
		{"{workspace}", "/ws", true},
		{"{workspace}", "/ws/a", false},
		{"{ad-hoc}/**", "/ws/a", false},
		{"{user-data}/x", "/x", true},
		{"/srv/**", "/srv/../etc", false},
		{"/srv/**", "srv/a", false},
		{"/srv/**", "", false},
	} {
		if _, got := path(t, tc.pattern).Covers(tc.value, roots); got != tc.want {
			t.Errorf("%s covers %s: %v", tc.pattern, tc.value, got)
		}
		if _, got := path(t, tc.pattern).Touches(tc.value, roots); got != tc.want {
			t.Errorf("%s touches %s: %v", tc.pattern, tc.value, got)
		}
	}
	if _, got := path(t, "/Srv/**").Touches("/srv/a", roots); got != (runtime.GOOS == "darwin") {
		t.Errorf("capitals: %v", got)
	}
}

func TestDeclaredPath(t *testing.T) {
	for _, tc := range []struct {
		pattern, declared string
		covers, touches   bool
	}{
		{"/srv/**", "/srv/**", true, true},
		{"/srv/**", "/srv/a/**", true, true},
		{"/srv/**", "/srv/a/*.go", true, true},
		{"/srv/**", "/srv", true, true},
		{"/srv/**", "/srvx/**", false, false},
		{"/srv/**", "/srv*", false, true},
		{"/srv/**", "/**", false, true},
		{"/srv/a", "/srv/**", false, true},
		{"/srv/a", "/srv/a", false, true},
		{"/srv/*.go", "/srv/*.go", true, true},
		{"/srv/*.go", "/srv/a.go", false, true},
		{"/etc/x", "/srv/**", false, false},
		{"**/.env", "/srv/**", false, true},
		{"**", "/srv/**", true, true},
		{"{workspace}/**", `/w\[x\]/**`, true, true},
		{"{workspace}/**", `/w\[y\]/**`, false, false},
		{"{workspace}/a/**", "/ws/**", false, true},
		{"/srv/**/x", "/srv/a/**", false, true},
		{"/srv/**", "/srv/../etc/**", true, true}, // declared patterns are cleaned
	} {
		if _, got := path(t, tc.pattern).CoversPattern(tc.declared, roots); got != tc.covers {
			t.Errorf("%s covers all of %s: %v", tc.pattern, tc.declared, got)
		}
		if _, got := path(t, tc.pattern).TouchesPattern(tc.declared, roots); got != tc.touches {
			t.Errorf("%s touches some of %s: %v", tc.pattern, tc.declared, got)
		}
	}
}

// TestHost: covers, touches at the port of the value.
func TestHost(t *testing.T) {
	for _, tc := range []struct {
		pattern, value  string
		covers, touches bool
	}{
		{"a.com", "a.com", true, true},
		{"a.com", "A.COM.:443", true, true},
		{"a.com", "a.com:8443", false, true},
		{"a.com:8443", "a.com:8443", true, true},
		{"a.com:8443", "a.com", false, true},
		{"a.com:8443", "a.com:443", false, false},
		{"a.com:*", "a.com:22", true, true},
		{"*.a.com", "x.a.com", true, true},
		{"*.a.com", "x.y.a.com", false, false},
		{"*.a.com", "a.com", false, false},
		{"*", "x.y.z", true, true},
		{"*", "10.0.0.1", false, true},
		{"10.0.0.0/8", "10.1.1.1:80", true, true},
		{"10.0.0.0/8", "11.1.1.1", false, false},
		{"::1", "[::1]:443", true, true},
		{"127.0.0.1", "::ffff:127.0.0.1", true, true},
		{"a.com", "b.com", false, false},
	} {
		h, err := match.ParseHost(tc.pattern)
		if err != nil {
			t.Fatal(tc.pattern, err)
		}
		_, covers := h.Covers(tc.value)
		_, touches := h.Touches(tc.value)
		if covers != tc.covers || touches != tc.touches {
			t.Errorf("%s and %s: covers %v touches %v", tc.pattern, tc.value, covers, touches)
		}
	}
	for _, tc := range []struct {
		pattern, declared string
		covers, touches   bool
		all               bool
	}{
		{"*.a.com", "*.a.com", true, true, true},
		{"*.a.com", "x.a.com", true, true, true},
		{"x.a.com", "*.a.com", false, true, false},
		{"*", "*.a.com", true, true, true},
		{"*", "10.0.0.0/8", false, true, true},
		{"*:443", "10.0.0.0/8", false, true, false},
		{"*.a.com", "*", false, true, false},
		{"a.com", "a.com:22", false, true, true},
		{"a.com:22", "a.com", false, true, false},
		{"a.com:22", "a.com:*", false, true, false},
		{"a.com", "a.com:*", false, true, true},
		{"a.com:*", "a.com:22", true, true, true},
		{"10.0.0.0/8", "10.1.0.0/16", true, true, true},
		{"10.1.0.0/16", "10.0.0.0/8", false, true, false},
		{"10.0.0.0/8", "a.com", false, false, false},
		{"a.com", "10.0.0.0/8", false, false, false},
		{"a.*.com", "*.b.com", false, true, false},
	} {
		h, _ := match.ParseHost(tc.pattern)
		_, covers := h.CoversPattern(tc.declared)
		_, touches := h.TouchesPattern(tc.declared)
		_, all := h.TouchesAll(tc.declared)
		if covers != tc.covers || touches != tc.touches || all != tc.all {
			t.Errorf("%s and the declared %s: covers %v touches %v all of it %v", tc.pattern, tc.declared, covers, touches, all)
		}
	}
	for value, want := range map[string]bool{"a.com": true, "a.com:80": true, "10.0.0.1": true, "[::1]:80": true, "0x7f.1": false, "127.1": false, "2130706433": false, "а.com": false, "a.com:0": false, "a.com:x": false, "": false, "fe80::1%eth0": false} {
		if got := match.KnownHost(value); got != want {
			t.Errorf("%q is known: %v", value, got)
		}
	}
}

func TestCommand(t *testing.T) {
	for _, tc := range []struct {
		pattern, source string
		covers, touches bool
	}{
		{"git push:*", "git push", true, true},
		{"git push:*", "git push -f x", true, true},
		{"git push:*", "git pull", false, false},
		{"git push:*", "git", false, false},
		{"git push", "git push x", false, false},
		{"git push:*", "/usr/bin/git push", false, true},
		{"git push:*", "GIT push", false, true},
		{"git push:*", "git -C d push", false, true},
		{"git push:*", "git --no-pager -c a=b push", false, true},
		{"git push:*", "git log push", false, false},
		{"git push:*", "git commit -m push", false, false},
		{"git push:*", "git $X", false, true},
		{"git push:*", "git p$X", false, true},
		{"git push:*", "git x$X", false, false},
		{"git push:*", `git push "$X" $Y`, true, true},
		{"git push", `git push "$X"`, false, false},
		{"git push", `git push $X`, false, true},
		{"rm -rf:*", "rm -v -rf x", false, true},
		{"npm run *", "npm run a", true, true},
		{"npm run *", `npm run "$X"`, true, true},
		{"npm run *", "npm run $X", false, true},
		{"npm run *", "npm run", false, false},
		{"npm run *", "npm run a b", false, false},
		{"a --env=*", "a --env=x", true, true},
		{"a --env=*", `a --env="$X"`, true, true},
		{"a --env=*", "a --force", false, false},
		{`echo 'a b'`, `echo "a b"`, true, true},
		{`echo '*'`, `echo '*'`, true, true},
		{`echo '*'`, `echo x`, false, false},
		{`echo \*`, `echo '*'`, true, true},
		{"* --version", "git --version", true, true},
		{"/opt/x:*", "/opt/x a", true, true},
		{"/opt/x:*", "x a", false, true},
		{"/opt/x:*", "/tmp/x a", false, false},
		{"x:*", "$X a", false, false},
	} {
		c, err := match.ParseCommand(tc.pattern)
		if err != nil {
			t.Fatal(tc.pattern, err)
		}
		l := shell.Parse(tc.source)
		if covers, touches := c.Covers(&l.Commands[0]), c.Touches(&l.Commands[0]); covers != tc.covers || touches != tc.touches {
			t.Errorf("%s and %s: covers %v touches %v", tc.pattern, tc.source, covers, touches)
		}
	}
	open := shell.Command{Words: []shell.Word{{Text: "git", Fixed: true}}, Open: true}
	for pattern, want := range map[string][2]bool{"git:*": {true, true}, "git push:*": {false, true}, "git": {false, true}} {
		if c, _ := match.ParseCommand(pattern); c.Covers(&open) != want[0] || c.Touches(&open) != want[1] {
			t.Errorf("%s and git with more words: %v %v", pattern, c.Covers(&open), c.Touches(&open))
		}
	}
}

func TestDeclaredCommand(t *testing.T) {
	for _, tc := range []struct {
		pattern, declared string
		covers, touches   bool
	}{
		{"git:*", "git push:*", true, true},
		{"git:*", "git log -n* *", true, true},
		{"git push:*", "git:*", false, true},
		{"git push", "git push:*", false, true},
		{"git push *", "git push x", true, true},
		{"git push x", "git push *", false, true},
		{"git push:*", "git pull", false, false},
		{"rm:*", "/bin/rm:*", false, true},
		{"git", "git push", false, false},
	} {
		c, err := match.ParseCommand(tc.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if covers, touches := c.CoversPattern(tc.declared), c.TouchesPattern(tc.declared); covers != tc.covers || touches != tc.touches {
			t.Errorf("%s and the declared %s: covers %v touches %v", tc.pattern, tc.declared, covers, touches)
		}
	}
	c, _ := match.ParseCommand("/bin/rm:*")
	if !c.Named("x; RM y") || c.Named("x; ls") {
		t.Error("source that cannot be read is not searched for the name")
	}
}

func TestText(t *testing.T) {
	for _, tc := range []struct {
		pattern, value string
		want           bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"a*", "a", true}, {"a*", "abc", true}, {"*a", "ba", true}, {"*a", "ab", false}, {"a*b*c", "a1b2c", true},
		{"a*b*c", "acb", false}, {"a*a", "a", false}, {"*", "", true}, {`\*`, "*", true}, {`\*`, "a", false}, {`\\`, `\`, true}, {"*b*", "abc", true}, {"a**b", "axb", true},
	} {
		p, err := match.ParseText(tc.pattern)
		if err != nil || p.Matches(tc.value) != tc.want {
			t.Errorf("%s and %q: %v %v", tc.pattern, tc.value, !tc.want, err)
		}
	}
}

// TestRank: over is what is more specific for a value that both match.
func TestRank(t *testing.T) {
	for _, tc := range []struct {
		a, b        string
		over, under bool
	}{
		{"/srv/a", "/srv/**", true, false},
		{"/srv/a/**", "/srv/**", true, false},
		{"/srv/**", "/srv/**", false, false},
		{"/srv/*.go", "/srv/**", true, false},
		{"**/.env", "/srv/**", false, false},
		{"/srv/**/x", "/srv/a/**", false, false},
		{"**/.env", "**", true, false},
		{"/srv/a", "**/a", true, false},
	} {
		a, _ := path(t, tc.a).Covers("/srv/a", roots)
		b, _ := path(t, tc.b).Covers("/srv/a", roots)
		if tc.a == "**/.env" || tc.a == "/srv/**/x" || tc.a == "/srv/*.go" || tc.a == "/srv/a/**" {
			a = rankAt(t, tc.a)
			b = rankAt(t, tc.b)
		}
		if a.Over(b) != tc.over || b.Over(a) != tc.under {
			t.Errorf("%s over %s: %v, under: %v", tc.a, tc.b, a.Over(b), b.Over(a))
		}
	}
	for _, order := range [][]string{{"git push x", "git push:*", "git:*"}, {"npm run *", "npm:*"}} {
		for i := range order[1:] {
			a, _ := match.ParseCommand(order[i])
			b, _ := match.ParseCommand(order[i+1])
			if !a.Rank().Over(b.Rank()) || b.Rank().Over(a.Rank()) {
				t.Errorf("%s is not over %s", order[i], order[i+1])
			}
		}
	}
}

// rankAt returns the rank of a pattern for a path that it matches.
func rankAt(t *testing.T, pattern string) match.Rank {
	for _, value := range []string{"/srv/a/.env", "/srv/a/x", "/srv/a.go", "/srv/.env"} {
		if r, ok := path(t, pattern).Covers(value, roots); ok {
			return r
		}
	}
	t.Fatalf("%s matches nothing here", pattern)
	return match.Rank{}
}

func TestErrors(t *testing.T) {
	long := string(make([]byte, 2000))
	for _, tc := range []struct {
		kind, pattern string
		never         bool
	}{
		{"path", "", false}, {"path", "src", true}, {"path", "~/x", true}, {"path", "/a/./b", true}, {"path", "/a/", true}, {"path", "/a[", false}, {"path", "{x}/a", false}, {"path", long, false},
		{"host", "a b", true}, {"host", "a.com/x", true}, {"host", "a.com:", false}, {"host", "a*.com", false},
		{"command", ":*", false}, {"command", "a | b", true}, {"command", "a;", true}, {"command", "'a", false},
		{"text", "", false}, {"text", "a\x00", false}, {"text", "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a", false},
	} {
		var err error
		switch tc.kind {
		case "path":
			_, err = match.ParsePath(tc.pattern)
		case "host":
			_, err = match.ParseHost(tc.pattern)
		case "command":
			_, err = match.ParseCommand(tc.pattern)
		default:
			_, err = match.ParseText(tc.pattern)
		}
		var bad *match.Error
		if !errors.As(err, &bad) || bad.Never != tc.never || bad.Error() == "" {
			t.Errorf("%s %.20q: %v", tc.kind, tc.pattern, err)
		}
	}
}
