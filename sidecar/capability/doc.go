// Package capability says what a call uses and holds that against what its tool declares
// that it requires: the first of the layers that a call passes, before any rule is
// asked.
//
// Guarantees:
//
//   - What a tool did not declare is refused, whatever the rules say. A tool without
//     requires may run its program, read the workspace and, unless its effects are
//     "read", write it; it may reach no host.
//   - A value is judged as the program would take it: a path is resolved against the
//     directory in which the program runs, link by link, as far as it exists. What two
//     readers could take for two things (a path that begins with ~, a URL with a user
//     name, ".." after a folder that is not there) is refused.
//   - The links of what a pattern names are not followed: a link in the place of a
//     declared folder leads out of it, whenever it was made. Only the roots (the
//     workspace, --root, directories for a task, the user's data) may be links
//     themselves; they are resolved once.
//   - Names are compared byte by byte. Where the file system takes two names for one,
//     the other one is refused.
//   - A variable that stands for no directory makes an empty scope. A tool whose every
//     path of one kind is empty is refused with the reason, also if no argument names a
//     path.
//   - All of it is pure, but for [Files]: how a path is resolved.
//
// Reading order: required.go (what a tool requires, and all tools together), scope.go and
// set.go (the same in directories of this machine), uses.go (what a call uses), path.go
// (a path as the program would take it), check.go (is one in the other), adhoc.go (the
// directories that a client names), files.go (links).
package capability
