// Package approval holds the calls that wait until a person says yes or no: what each of
// them is, who may answer, and which answer counts.
//
// Guarantees:
//   - An answer is bound to what was shown. The digest covers the call, the tool's source
//     and definition, the arguments, everything that the call uses, the policy's revision,
//     the caller and the context. An answer with another digest is refused (409), and so
//     is a yes to something that is no longer what was shown: the definition or the policy
//     has changed meanwhile.
//   - One answer wins, whichever way it came. Every later one is told 409; after the time
//     has passed, 410; who may not answer is told 404, as if there were nothing.
//   - The number of open approvals is bounded, in all and for one caller; of those that
//     ended, the last ones are remembered, so that a late answer learns why it comes too late.
//   - What is shown cannot act on a terminal: control characters, and characters that
//     change the direction of text, are written out.
//   - A yes is only ever one call's. What "always" means for later calls is remembered by
//     the policy's session; here it is one of the three answers.
//
// The package decides nothing else: whether somebody must be asked is the rules', that the
// agent's own processes may not answer is checked where requests come in (sidecar/gate),
// and a call that got its yes is decided once more by sidecar/call.
//
// The registry starts no goroutine. Its lock is held over memory only; Subject functions
// of an approval are called without it. All methods may be called from many goroutines.
//
// Read subject.go (what is judged, and its digest), then registry.go and open.go (the life
// of an approval), reply.go (how an answer is read out of a message), show.go and
// document.go (how it is shown to people and to programs), gemini.go (the confirmations of
// another agent's extension), errors.go.
package approval
