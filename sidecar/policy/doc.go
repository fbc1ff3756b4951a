// Package policy decides whether a call may run: it is asked once per call,
// after the arguments were checked and before anything is started.
//
// Guarantees:
//   - A Decider only judges. It starts nothing, waits for nobody and does not
//     change the call; who is asked when the answer is Ask, and what happens
//     when nobody answers, is the caller's business (sidecar/call).
//   - The zero Decision denies: a rule that forgets to speak lets nothing through.
//   - A call that writes a protected path (protected.go) is denied, whatever any rule or answer says.
//   - A deny of the operator's file is final. The project's file makes decisions
//     stricter; if it is trusted, it lifts an ask. An answer of the session lifts an ask.
//   - The order of rules does not matter. A call is a set of dimensions: the tool, and each
//     path, host and simple command that it uses. In each, the most specific rule
//     decides, and the strictest of those that are as specific or cannot be compared. Of all
//     dimensions, the strictest decides. A dimension without a rule is spoken for by the
//     tool's; without that one too, the call is asked about.
//   - A rule that denies a part of the files that a command may use denies a command that names such
//     a file, and makes every other one of that tool a call to be asked about (Use.Named).
//   - What is not certain of a command line (see package shell) is asked about at best,
//     whatever a rule allows.
//   - Files are strict: every fault of every file is told at once, with its place. A rule
//     that can never match is a warning. Loading reads nothing but what it is given.
//
// Package shell takes command lines apart, and package match holds patterns against values.
//
// Read request.go (a call as rules see it), policy.go (what comes out) and builtin.go (no
// policy file); then load.go, decode.go, decode_rule.go, examples.go and never.go (a file),
// rule.go, atom.go, judge.go and set.go (a decision), explain.go, ever.go, session.go,
// preset.go and protected.go.
package policy
