package shell_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/policy/shell"
)

// shown writes the commands of a line: T for what only starts another, ? for what may
// only perhaps be run.
func shown(l *shell.Line) string {
	var out []string
	for i := range l.Commands {
		c := &l.Commands[i]
		s := c.String()
		if c.Transparent {
			s = "T:" + s
		}
		if c.Suspect {
			s = "?:" + s
		}
		out = append(out, s)
	}
	return strings.Join(out, " / ")
}

func TestCommands(t *testing.T) {
	for source, want := range map[string]string{
		`git push`:                          `git push`,
		`a; b && c || d | e`:                `a / b / c / d / e`,
		`(a; { b; })`:                       `a / b`,
		`! a`:                               `a`,
		`if a; then b; else c; fi`:          `a / b / c`,
		`while a; do b; done`:               `a / b`,
		`case x in x) a;; esac`:             `a`,
		`r\m "-r"f 'a b'`:                   `rm -rf a b`,
		"a \\\n b":                          `a b`,
		`"a\"b" "\x"`:                       `a"b \x`,
		`[ -f x ]`:                          `[ -f x ]`,
		`a $X "$Y" p$Z`:                     `a … … p…`,
		`a 2>&1 >/dev/null`:                 `a`,
		`env git push`:                      `T:env git push / git push`,
		`env -i -u X git push`:              `T:env -i -u X git push / git push`,
		`env`:                               `env`,
		`nice -n 5 a b`:                     `T:nice -n 5 a b / a b`,
		`nice -n5 a`:                        `T:nice -n5 a / a`,
		`timeout -k 5 --signal=TERM 10 a b`: `T:timeout -k 5 --signal=TERM 10 a b / a b`,
		`timeout --kill-after 5 10 a`:       `T:timeout --kill-after 5 10 a / a`,
		`nohup setsid -w stdbuf -oL a`:      `T:nohup setsid -w stdbuf -oL a / T:setsid -w stdbuf -oL a / T:stdbuf -oL a / a`,
		`time -p a`:                         `T:time -p a / a`,
		`exec -a n b`:                       `T:exec -a n b / b`,
		`command -v git`:                    `T:command -v git / git`,
		`busybox rm x`:                      `T:busybox rm x / rm x`,
		`/usr/bin/env a`:                    `T:/usr/bin/env a / a`,
		`./env a`:                           `./env a / a`,
		`sudo -u root rm x`:                 `sudo -u root rm x / rm x`,
		`xargs -0 -n 1 rm -f`:               `T:xargs -0 -n 1 rm -f / rm -f …`,
		`xargs -I{} mv {} d/{}`:             `T:xargs -I{} mv {} d/{} / mv … d/…`,
		`xargs`:                             `xargs`,
		`find . -name x -exec rm -f {} \; -print`: `find . -name x -exec rm -f {} ; -print / rm -f …`,
		`find . -exec a {} + -exec b \;`:          `find . -exec a {} + -exec b ; / a … / b`,
		`sh -c 'a; b'`:                            `T:sh -c a; b / a / b`,
		`bash -euxc 'a' n x`:                      `T:bash -euxc a n x / a`,
		`sh script.sh`:                            `sh script.sh`,
		`git -C d status`:                         `git -C d status`,
		`git --no-pager --git-dir=d log -o x`:     `git --no-pager --git-dir=d log -o x`,
		`[ $# -gt 0 ]`:                            `[ … -gt 0 ]`,
		`[ -n "$X" ]`:                             `[ -n … ]`,
		`[ "$X" = 'a[0]' ]`:                       `[ … = a[0] ]`,
		`a '{x,y}' {} {x} x,y`:                    `a {x,y} {} {x} x,y`,
		`tar xzf a.tgz`:                           `tar xzf a.tgz`,
		`xargs -n 2 a`:                            `T:xargs -n 2 a / a …`,
	} {
		l := shell.Parse(source)
		if got := shown(l); got != want || len(l.Doubts) > 0 || l.Unread != "" {
			t.Errorf("%s\n is %s\nnot %s\ndoubts %q unread %q", source, got, want, l.Doubts, l.Unread)
		}
	}
}

// TestDoubts: what can be done in a shell that is not to be seen in the line. what must be
// among the commands that are found all the same.
func TestDoubts(t *testing.T) {
	for _, tc := range []struct{ source, what string }{
		{"X=1 a", "a"},
		{"PATH=/tmp git push", "git push"},
		{"LD_PRELOAD=/tmp/x.so git push", "git push"},
		{"X=1", ""},
		{"f() { rm x; }; f", "rm x"},
		{"alias ls=rm; ls x", "ls x"},
		{"$X a", ""},
		{"g$X a", ""},
		{`"$@"`, ""},
		{"*", ""},
		{"{rm,-rf,x}", ""},
		{"a $(rm x)", "rm x"},
		{"a `rm x`", "rm x"},
		{`a "$(rm x)"`, "rm x"},
		{"a <(rm x)", "rm x"},
		{"a >(rm x)", "rm x"},
		{"eval 'rm x'", "rm x"},
		{"eval rm x", "rm x"},
		{". ./x", ". ./x"},
		{"source x", ""},
		{"trap 'rm x' EXIT", "rm x"},
		{"a &", "a"},
		{"coproc rm x", ""},
		{"a <<E\nx\nE", "a"},
		{"a <<<x", "a"},
		{"cat <<E\n$(rm x)\nE", "rm x"},
		{"export PATH=/tmp", ""},
		{"read PATH", ""},
		{"unset X", ""},
		{"set -o posix", ""},
		{"hash -p /tmp/x git", ""},
		{"printf -v PATH /tmp", ""},
		{"for PATH in /tmp; do git push; done", "git push"},
		{"a ${X:=y}", ""},
		{"a ${!X}", ""},
		{"a ${X@P}", ""},
		{"a $((X=1))", ""},
		{"((X=1))", ""},
		{"[[ -v a[$(rm x)] ]]", ""},
		{"env X=1 a", "a"},
		{"env -S 'rm x'", "rm x"},
		{"env -C / a", "a"},
		{"nice --weird rm x", "rm x"},
		{"timeout --weird 5 rm x", "rm x"},
		{"timeout $X rm x", ""},
		{"env $X rm x", "rm x"},
		{"xargs -I X X", ""},
		{"xargs $X rm", ""},
		{"xargs sh -c", ""},
		{"xargs find", "find …"},
		{"find . $X", ""},
		{"find . -delete", ""},
		{"find . -fprint x", ""},
		{"find . -exec rm {}", "rm {}"},
		{"find . -exec {} \\;", ""},
		{"find . -exec sh -c 'rm {}' \\;", ""},
		{"sh", ""},
		{"sh -s", ""},
		{"a | sh", "a"},
		{"sh -lc a", ""},
		{"bash --rcfile x -c a", ""},
		{"sh -c $X", ""},
		{`sh -c "a $X"`, ""},
		{"su -c 'rm x'", "rm x"},
		{"ssh h rm x", "rm x"},
		{"strace rm x", "rm x"},
		{"watch 'rm x'", "rm x"},
		{"/lib64/ld-linux-x86-64.so.2 /bin/rm x", "/bin/rm x"},
		{"git -c core.pager=x log", ""},
		{"git -c alias.z='!rm x' z", ""},
		{"git --config-env=a=b log", ""},
		{"git --exec-path=/tmp log", ""},
		{"git $X", ""},
		{"git submodule foreach 'rm x'", "rm x"},
		{"git rebase -x 'rm x' y", "rm x"},
		{"git rebase --exec='rm x' y", ""},
		{"git bisect run rm x", "rm x"},
		{"git fetch --upload-pack=x y", ""},
		{"git log --output=x", ""},
		{"git grep -Ox y", ""},
		{"tar cf x --checkpoint-action=exec=rm y", ""},
		{"tar --to-com=rm", ""},
		{"tar -cIrm x", ""},
		{"rsync -e rm a b", ""},
		{"fd -x rm", ""},
		{"vim -c '!rm'", ""},
		{"sort $X", ""},
		{"a > $X", "a"},
		{"a > ~/x", "a"},
		{"a > /dev/tcp/h/80", "a"},
		{"sudo X=1 rm x", "rm x"},
		{"$'\\x72m' x", ""},
		{"a\u00a0b", ""},
		{"a\rb", ""},
		{"a\x00b", ""},
		{"a\xffb", ""},
		{"a | | b", ""},
		{"'", ""},
		{"echo a &> f", ""},
		{"a |& b", "b"},
		{"function f { rm x; }", "rm x"},
		{"let X=1", ""},
		{"test -v 'a[$(rm x)]'", "rm x"},
		{"[ -R 'a[$(rm x)]' ]", "rm x"},
		{"[ \"$1\" 'a[$(rm x)]' ]", "rm x"},
		{"[ $1 = x ]", ""},
		{"[ \"$1\" \"$2\" ]", ""},
		{"wait -n -p 'a[$(rm x)]'", "rm x"},
		{"compgen -W '$(rm x)'", "rm x"},
		{"jobs -x rm x", "rm x"},
		{"fc -s", ""},
		{"time ! rm x", "rm x"},
		{"time -p ! ! rm x", "rm x"},
		{"exec {PATH}>/dev/null", ""},
		{"{r'm',x}", ""},
		{"git fetch {'',--upload-pack=x} y", ""},
		{"git fetch {\"$X\",--upload-pack=x}", ""},
		{"['r']m x", ""},
		{"xargs --max-lines rm echo", "rm echo"},
		{"xargs -I X -n 2 git status", "git status"},
		{"xargs --max-args=2 -I X git status", "git status"},
		{"xargs git", "git …"},
		{"xargs git fetch", "git fetch …"},
		{"xargs test", "test …"},
		{"git --shallow-file x -c alias.z='!rm x' z", "z"},
		{"git --attr-source HEAD config x y", "HEAD config x y"},
		{"sh -c 'git -C $1 status' x '. -c core.fsmonitor=x'", "git -C … status"},
		{"git init --template=x", ""},
		{"git clone --template x y", ""},
		{"git merge-index rm -a", "rm -a"},
		{"git remote-ext x 'rm x'", "rm x"},
		{"git submodule--helper foreach rm x", "rm x"},
		{"git fetch-pack --exec=x y", ""},
		{"git archive -ox y", ""},
		{"git diff-tree --output=x", ""},
		{"sh -c 'find . -exec echo $1 rm x \\;' x '; -exec'", ""},
		{"sh -c 'find . -exec echo \"$1\" -exec rm x \\;' x ';'", ""},
		{"tar xfI a.tar rm", ""},
		{"tar c$X a", ""},
		{"linux64 rm x", "rm x"},
		{"start-stop-daemon -S -x /bin/rm -- x", "/bin/rm -- x"},
		{"ip netns exec a rm x", "rm x"},
		{"go test -exec rm ./...", "rm ./..."},
		{"sftp -b x y", ""},
		{"declare X=1", ""},
	} {
		l := shell.Parse(tc.source)
		if len(l.Doubts) == 0 {
			t.Errorf("%q leaves no doubt: %s", tc.source, shown(l))
		}
		found := slices.ContainsFunc(l.Commands, func(c shell.Command) bool { return c.String() == tc.what })
		if tc.what != "" && !found {
			t.Errorf("%q does not show %q: %s", tc.source, tc.what, shown(l))
		}
	}
}

func TestFiles(t *testing.T) {
	l := shell.Parse("cd x; a < in > 'o u t' 2>> log >| c <> rw >&all 2>&1 >/dev/null")
	want := []shell.File{
		{Path: "in"}, {Path: "o u t", Write: true}, {Path: "log", Write: true}, {Path: "c", Write: true},
		{Path: "rw"}, {Path: "rw", Write: true}, {Path: "all", Write: true},
	}
	if !slices.Equal(l.Files, want) || !l.Moved || len(l.Doubts) > 0 {
		t.Errorf("files %+v moved %v doubts %q", l.Files, l.Moved, l.Doubts)
	}
}

func TestExec(t *testing.T) {
	for _, tc := range []struct {
		argv []string
		want string
	}{
		{[]string{"/opt/x", "$HOME", "; rm x"}, "/opt/x $HOME ; rm x"},
		{[]string{"env", "sh", "-c", "a; b"}, "T:env sh -c a; b / T:sh -c a; b / a / b"},
		{[]string{"find", ".", "-exec", "rm", ";"}, "find . -exec rm ; / rm"},
	} {
		if l := shell.Exec(tc.argv); shown(l) != tc.want || len(l.Doubts) > 0 {
			t.Errorf("%q is %s (%q), want %s", tc.argv, shown(l), l.Doubts, tc.want)
		}
	}
	if l := shell.Exec(nil); len(l.Doubts) == 0 {
		t.Error("no command is certain")
	}
}

// TestBounds: what is too much is a doubt, and costs little.
func TestBounds(t *testing.T) {
	long := strings.Repeat("a;", 300)
	for name, source := range map[string]string{
		"length":   "a " + strings.Repeat("x", 17<<10),
		"brackets": strings.Repeat("(", 1001),
		"commands": long,
		"wrappers": strings.Repeat("env ", 20) + "a",
		"scripts":  "eval " + strings.Repeat("a ", 4000),
	} {
		start := time.Now()
		l := shell.Parse(source)
		if len(l.Doubts) == 0 || l.Unread == "" && name != "scripts" {
			t.Errorf("%s: doubts %q", name, l.Doubts)
		}
		if len(l.Commands) > 256 {
			t.Errorf("%s: %d commands", name, len(l.Commands))
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s took %s", name, d)
		}
	}
}

// FuzzParse: no source is too strange, and what is added to a line is always seen.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"git push", "a $(b) `c`", "find . -exec a {} +", "xargs -I{} sh -c '{}'", "eval \"a", "case x in a) b;; esac", "a <<E\nE", "((", "env -S 'a b' -- c", "a\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if l := shell.Parse(s); len(l.Doubts) > 0 || strings.Contains(s, "#") || strings.HasSuffix(s, `\`) { // a comment, or a line that goes on
			return
		}
		l := shell.Parse(s + "\nrm -rf x")
		if len(l.Doubts) == 0 && !slices.ContainsFunc(l.Commands, func(c shell.Command) bool { return c.String() == "rm -rf x" }) {
			t.Errorf("%q hides a command: %s", s, shown(l))
		}
		shell.Exec(strings.Fields(s))
	})
}
