// Package profile knows agents at a terminal: how one is started and typed
// to, what its screen looks like while it is ready, works or asks, and how a
// question on the screen is answered. All of that is data, in the files of
// profiles/ or in a file of the user's; [Load] and [For] find it.
//
// What the package guarantees:
//
//   - a profile file is read strictly: every fault has its file, line, JSON
//     pointer and what to do about it;
//   - [Profile.Match] and [Profile.Question] look at a bounded number of rows,
//     never panic and use time linear in what they look at;
//   - a question is only read where an agent asks one: below everything else,
//     with the marker on one of its options. What an answer looks like further
//     up is text;
//   - [Detector] and [Reader] are pure: no goroutine, no clock, no lock. Each
//     belongs to one goroutine at a time. What they remember is bounded;
//   - what [Reader.Read] has given is never taken back, however the agent draws
//     its screen anew; an answer costs the same for each of its rows.
//
// A [Profile] is never changed and may be used by any goroutine.
//
// Read profile.go and answer.go for what a profile says (profiles/README.md is the
// same for who writes one), load.go, decode.go, node.go and check.go for how it is
// read, start.go for the agent's start, view.go, match.go, question.go, ask.go and
// prompt.go for what is made of a screen. detector.go has the order in which
// sources are believed, detector_verdict.go what goes in and out, and
// detector_weigh.go and detector_settle.go the decision. reader.go is how an
// answer's text is found, reconcile.go how it becomes the exact one.
package profile
