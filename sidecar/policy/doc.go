// Package policy decides whether a call may run: it is asked once per call,
// after the arguments were checked and before anything is started.
//
// Guarantees:
//   - A Decider only judges. It starts nothing, waits for nobody and does not
//     change the call; who is asked when the answer is Ask, and what happens
//     when nobody answers, is the caller's business (sidecar/call).
//   - The zero Decision denies: a rule that forgets to speak lets nothing through.
//
// Read request.go (a call as rules see it) and policy.go (what comes out), then
// builtin.go: the rule that holds when no policy was given.
package policy
