// Package policyfile reads the files of rules and follows them as they change.
//
// Guarantees:
//
//   - There are always rules: a start with a bad file fails, and after that a file that is bad,
//     or cannot be read, or is gone, leaves the rules before it in force. Only a project's file
//     may be missing; one that is bad does not keep the operator's rules from being read.
//   - All files are judged together, and one pointer is swapped: no call is decided by a part of
//     an edit.
//   - A bad file is told once, after it was seen twice: an editor may be in the middle of writing
//     it.
//   - The files are read by one goroutine, that of Run; everything else may be called from many.
//
// Reading order: read.go (the files), source.go (the rules in force), run.go (how they change).
package policyfile
