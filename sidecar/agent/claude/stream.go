package claude

import (
	"fmt"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// claude takes messages and answers in lines of JSON, many turns in one process. A process
// holds one conversation: --session-id gives a new one its name, which claude refuses if it
// had a turn by that name, and --resume goes on with one. Seen with 2.1.197 and 2.1.328.

const (
	sessionFlag = "--session-id"
	resumeFlag  = "--resume"
)

// streamFlags are the flags of that mode and their values, "" for none.
func streamFlags() [][2]string {
	return [][2]string{
		{"--input-format", "stream-json"}, {"--output-format", "stream-json"}, {"--permission-prompt-tool", "stdio"},
		{"--verbose", ""}, {"--include-partial-messages", ""},
	}
}

// naming lists the flags by which a user chooses a conversation.
func naming() []string {
	return []string{resumeFlag, "-r", "--continue", "-c", sessionFlag, "--fork-session", "--from-pr"}
}

// quiet lists variables that make what is begun in a turn end with it: nothing runs on in the
// background, and claude begins no turn by itself. The last one keeps claude (2.1.328; others do
// not know it) from reading the files that a message names with an @: a message is text.
func quiet() []string {
	return []string{"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1", "CLAUDE_CODE_DISABLE_CRON=1", "CLAUDE_CODE_DISABLE_FILE_MENTIONS=1"}
}

// planStream adds the flags of the mode to the user's, and the conversation.
func planStream(l *spec.Launch) (spec.Plan, error) {
	for _, flag := range naming() {
		if len(l.Flags(flag)) > 0 {
			return spec.Plan{}, fmt.Errorf("%s chooses a conversation, and the sidecar keeps one for each context; leave it out", flag)
		}
	}
	var flags []string
	if len(l.Flags("-p")) == 0 && len(l.Flags("--print")) == 0 {
		flags = append(flags, "--print")
	}
	for _, f := range streamFlags() {
		name, want := f[0], f[1]
		switch _, value := l.Flag(name); {
		case len(l.Flags(name)) == 0 && want == "":
			flags = append(flags, name)
		case len(l.Flags(name)) == 0:
			flags = append(flags, name, want)
		case want != "" && value != want:
			return spec.Plan{}, fmt.Errorf("%s %s: claude is spoken to by %s %s here; leave it out, or choose another --mode", name, value, name, want)
		}
	}
	if l.Conversation != "" {
		flags = append(flags, resumeFlag, l.Conversation)
	} else {
		flags = append(flags, sessionFlag, a2a.NewID())
	}
	return spec.Plan{Argv: l.With(flags...), Env: unlessSet(l, quiet())}, nil
}

// conversation finds what planStream has put into a command: the conversation's id, and whether it
// is one that is resumed.
func conversation(argv []string) (id string, resumed bool) {
	l := spec.Launch{Argv: argv}
	if _, id = l.Flag(resumeFlag); id != "" {
		return id, true
	}
	_, id = l.Flag(sessionFlag)
	return id, false
}
