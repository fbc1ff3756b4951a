package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	argvVariable = "SPRING_AGENT_ARGV"
	cmdVariable  = "AGENT_CMD"
	argsVariable = "AGENT_ARGS"
	commandKey   = "command"
)

// command finds what to run: the arguments of run, otherwise SPRING_AGENT_ARGV,
// otherwise AGENT_CMD with AGENT_ARGS, otherwise the file's command.
func (l *loader) command() {
	argv, origin := l.findCommand()
	l.Config.Command = argv
	l.Values = append(l.Values, Value{
		Setting: Setting{Name: commandKey, Group: groupAgent, Doc: "what to wrap"},
		Text:    formatCommand(argv), Origin: origin,
	})
}

func (l *loader) findCommand() ([]string, Origin) {
	if args := l.sources.Args; len(args) > 0 {
		origin := Origin{FromFlag, "arguments"}
		if err := checkArgv(args); err != nil {
			l.faults = append(l.faults, &Fault{Setting: commandKey, Origin: Origin{FromFlag, commandKey}, Value: formatCommand(args), HasValue: true, Err: err})
		}
		return args, origin
	}
	if argv, set := l.env[argvVariable]; set {
		return l.words(argvVariable, argv, parseArgv), Origin{FromPlatform, argvVariable}
	}
	cmd, hasCmd := l.env[cmdVariable]
	args, hasArgs := l.env[argsVariable]
	if hasCmd {
		argv := l.words(cmdVariable, cmd, parseCommand)
		if hasArgs {
			argv = append(argv, l.words(argsVariable, args, parseArgs)...)
		}
		return argv, Origin{FromPlatform, cmdVariable}
	}
	if hasArgs {
		l.faults = append(l.faults, &Fault{Setting: commandKey, Origin: Origin{FromPlatform, argsVariable}, Err: errors.New("is set, but AGENT_CMD is not")})
		return unreadable(), Origin{FromPlatform, argsVariable}
	}
	if e, found := l.file.lookup(commandKey); found {
		return e.list, Origin{FromFile, e.position}
	}
	if l.unread {
		return unreadable(), Origin{}
	}
	return nil, Origin{}
}

// words reads one variable and reports what is wrong with it.
func (l *loader) words(name, text string, read func(string) ([]string, error)) []string {
	argv, err := read(text)
	if err != nil {
		l.faults = append(l.faults, &Fault{Setting: commandKey, Origin: Origin{FromPlatform, name}, Value: text, HasValue: true, Err: err})
		return unreadable()
	}
	return argv
}

// unreadable returns a placeholder for a command that could not be read, so that it
// is not reported as missing too.
func unreadable() []string { return []string{"?"} }

// parseCommand reads a JSON array, or words quoted as for a shell.
func parseCommand(s string) ([]string, error) {
	argv, err := parseArgs(s)
	if err != nil {
		return nil, err
	}
	return argv, checkArgv(argv)
}

// parseArgs is parseCommand for a value that may also be empty.
func parseArgs(s string) ([]string, error) {
	if strings.HasPrefix(strings.TrimSpace(s), "[") {
		return parseStrings(s)
	}
	return splitWords(s)
}

// parseArgv reads a JSON array that is a command.
func parseArgv(s string) ([]string, error) {
	argv, err := parseStrings(s)
	if err != nil {
		return nil, err
	}
	return argv, checkArgv(argv)
}

// parseStrings reads a JSON array of strings and nothing after it.
func parseStrings(s string) ([]string, error) {
	example := `write one such as ["claude", "-p"]`
	dec := json.NewDecoder(bytes.NewReader([]byte(s)))
	var elements []*string // pointers tell null from ""
	if err := dec.Decode(&elements); err != nil {
		return nil, fmt.Errorf("is not a JSON array of strings (%s); %s", jsonReason(err), example)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("goes on after the JSON array; %s", example)
	}
	argv := make([]string, len(elements))
	for i, e := range elements {
		if e == nil {
			return nil, fmt.Errorf("has null as element %d; %s", i+1, example)
		}
		argv[i] = *e
	}
	return argv, checkNUL(argv)
}

// jsonReason returns a decoder's error without Go's names of types.
func jsonReason(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return "it holds a " + wrong.Value
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "it ends too early"
	}
	return err.Error()
}

func checkArgv(argv []string) error {
	if len(argv) == 0 || argv[0] == "" {
		return errors.New("names no program")
	}
	return checkNUL(argv)
}

func checkNUL(argv []string) error {
	for i, a := range argv {
		if strings.ContainsRune(a, 0) {
			return fmt.Errorf("holds a NUL byte in word %d, which no program can be given", i+1)
		}
	}
	return nil
}
