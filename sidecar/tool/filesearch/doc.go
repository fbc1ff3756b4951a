// Package filesearch is the engine of the tools glob and grep: it goes through directories, finds files by their names and lines by
// what is in them, and writes what it has found.
//
// Guarantees:
//
//   - It touches nothing of the machine but by its [FS]: it imports neither os nor net.
//   - A search ends after [MaxTime], or as soon as its context has ended, with what it has found by then. It says so in its result.
//   - What is left out is told: what cannot be read or is denied always; hidden files and those that ignore rules name if
//     nothing was found.
//   - Memory is bounded, however many files there are and whatever is in them. The bounds are constants in the file of what they bound.
//   - The results of [Grep] are in the order of the paths, each time, however many workers there are. It finds what package regexp
//     would find.
//   - The errors are in words for the model.
//
// Read filesearch.go first. [Glob] is in glob.go, and its patterns in glob_pattern.go. walk.go goes through directories, with the rules
// of ignore.go, which ignore_match.go matches; left_out.go counts what it did not enter. [Grep] is in grep.go: grep_run.go hands files out
// to workers, grep_file.go searches one of what grep_read.go reads, with the quickest way that grep_match.go knows for the
// pattern of grep_pattern.go: its literals (grep_literal.go, grep_needle.go) or an automaton (grep_dfa.go, grep_dfa_step.go); grep_print.go
// writes lines, and grep_order.go puts them in order. entries.go counts what a result has.
package filesearch
