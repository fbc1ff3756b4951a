package shell

// wrapper says how the arguments of a command that starts another are read.
type wrapper struct {
	flags    string   // short options without a value
	values   string   // short options with a value, which may be attached
	long     []string // long options; one that ends in = has a value
	operands int      // words before the command
	// assigns says that NAME=VALUE may stand before the command.
	assigns bool
	// own says that the command changes what the other may do: it needs a rule of its
	// own in addition.
	own bool
}

// wrapperNamed returns what is known of a command that starts another one with the rest of
// its arguments. An option that is not listed here is a doubt.
func wrapperNamed(name string) (wrapper, bool) {
	switch name {
	case "env":
		return wrapper{flags: "i0v", values: "u", long: []string{"ignore-environment", "null", "unset=", "debug"}, assigns: true}, true
	case "nice":
		return wrapper{values: "n", long: []string{"adjustment="}}, true
	case "ionice":
		return wrapper{flags: "t", values: "cn", long: []string{"ignore", "class=", "classdata="}}, true
	case "timeout", "gtimeout":
		return wrapper{flags: "v", values: "ks", long: []string{"foreground", "preserve-status", "verbose", "kill-after=", "signal="}, operands: 1}, true
	case "setsid":
		return wrapper{flags: "cw", long: []string{"ctty", "wait"}}, true
	case "stdbuf":
		return wrapper{values: "ioe", long: []string{"input=", "output=", "error="}}, true
	case "time":
		return wrapper{flags: "pv", values: "f", long: []string{"portability", "verbose", "format="}}, true
	case "exec":
		return wrapper{flags: "cl", values: "a"}, true
	case "command":
		return wrapper{flags: "pvV"}, true
	case "nohup", "builtin", "busybox", "toybox":
		return wrapper{}, true
	case "sudo":
		return wrapper{
			flags: "AEHKknPSB", values: "ugpCTrtDRh", assigns: true, own: true,
			long: []string{"non-interactive", "preserve-env", "set-home", "stdin", "user=", "group=", "prompt=", "host="},
		}, true
	case "doas":
		return wrapper{flags: "n", values: "uC", own: true}, true
	case "xargs":
		return wrapper{
			flags: "0rtxo", values: "adEILnPsJRS",
			long: []string{"null", "no-run-if-empty", "verbose", "exit", "open-tty", "arg-file=", "delimiter=", "max-args=", "max-procs=", "max-chars=", "replace="},
		}, true
	}
	return wrapper{}, false
}

// runners are commands that start what stands somewhere in their arguments, or in
// something that they read. What they start is only guessed.
var runners = []string{
	"ash.static", "at", "batch", "bunx", "bwrap", "capsh", "catatonit", "catchsegv", "cgexec", "chpst", "chronic", "chroot", "chrt", "cmd", "csh",
	"dbus-run-session", "dtach", "dumb-init", "eatmydata", "elvish", "entr", "envdir", "execlineb", "expect", "fakechroot", "fakeroot", "faketime",
	"firejail", "fish", "flock", "gdb", "gosu", "hush", "hyperfine", "i386", "ifne", "inotifyd", "jobs", "linux32", "linux64", "lksh", "logsave", "ltrace",
	"newgrp", "npx", "nsenter", "numactl", "nu", "parallel", "perf", "pkexec", "posh", "powershell", "prlimit", "proot", "proxychains",
	"proxychains4", "pwsh", "rbash", "rlwrap", "run-parts", "run0", "runcon", "runuser", "screen", "script", "sem", "setarch", "setpriv",
	"setuidgid", "sg", "softlimit", "ssh", "ssh-agent", "start-stop-daemon", "strace", "su", "su-exec", "systemd-inhibit", "systemd-run",
	"taskset", "tcsh", "tini", "tmux", "torsocks", "uname26", "unbuffer", "unshare", "uvx", "valgrind", "watch", "x86_64", "xonsh", "xterm",
	"xvfb-run", "yash",
}

// shells are the names of POSIX shells.
func shells() []string { return []string{"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"} }

// startingOptions are options by which a command starts another one.
func startingOptions(name string) []string {
	switch name {
	case "tar", "gtar", "bsdtar":
		return []string{"-F", "-I", "--checkpoint-action", "--info-script", "--new-volume-script", "--rmt-command", "--rsh-command", "--to-command", "--use-compress-program"}
	case "rsync":
		return []string{"-e", "--rsh", "--rsync-path"}
	case "scp", "sftp":
		return []string{"-b", "-D", "-F", "-o", "-S"}
	case "go":
		return []string{"-exec", "-toolexec", "-vettool", "--exec", "--toolexec", "--vettool"}
	case "ip":
		return []string{"net", "vrf"} // netns exec, vrf exec
	case "sort":
		return []string{"--compress-program"}
	case "split":
		return []string{"--filter"}
	case "man":
		return []string{"-H", "-P", "--html", "--pager"}
	case "zip":
		return []string{"-T", "-TT", "--unzip-command"}
	case "rg":
		return []string{"--hostname-bin", "--pre"}
	case "fd", "fdfind":
		return []string{"-x", "-X", "--exec", "--exec-batch"}
	case "ag", "ack":
		return []string{"--pager"}
	case "less", "more", "vi", "vim", "nvim", "ex", "view", "nano", "emacs":
		return []string{"-c", "+", "-S", "-s", "--cmd", "--eval", "--speller"}
	case "wget":
		return []string{"--use-askpass"}
	case "ctags":
		return []string{"--options"}
	case "date", "hostname":
		return nil
	}
	return nil
}
