// Package shell takes command lines apart, so that rules can speak of each command in
// them: the commands of lists, pipes and subshells, and those that a command such as
// env, xargs, find or sh starts.
//
// Guarantees:
//   - Nothing is run, expanded or looked up. Time and memory are bounded whatever the
//     source holds, and no source makes the package panic.
//   - A line without doubts starts exactly its Commands, with the words that they show.
//     Whatever could make that untrue (a function, an assignment, a name that is
//     only known when it runs, a wrapper's option that is not known here) is a doubt.
//   - A command that is found in a doubtful line is in Commands as well: a rule that
//     forbids it still sees it. What may only perhaps be run is marked Suspect.
//   - The source is read as POSIX shell, or as bash where POSIX has no such syntax. Where
//     sh and bash disagree about a text, that is a doubt.
//
// A program that runs code from its arguments in a language of its own (awk, python -c)
// is one command here.
//
// Read line.go, then walk.go (statements), word.go (quoting and expansions), command.go
// (builtins), wrapper.go with wrappers.go (commands that start others), find.go, git.go
// and script.go (those with a grammar of their own).
package shell
