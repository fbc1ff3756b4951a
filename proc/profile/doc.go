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
//     up is text.
//
// Read profile.go for what a profile says, match.go and question.go for what
// is made of it, detector.go for how a state is decided from all that speaks,
// reader.go for how an answer's text is found.
package profile
