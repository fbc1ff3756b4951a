// Package skill is skills as data: folders with a SKILL.md, whose front matter says what the skill is for,
// and whose text a model loads when it needs it.
//
// Guarantees:
//
//   - A [Set] never changes. Each skill in it is good: its name is that of its folder, its front matter is
//     checked, and everything in it is bounded. Of several with one name the first folder's counts, and the others
//     are told of ([Set.Lost]).
//   - What is wrong with a file is told with its line and the fix ([jsontree.Fault]). A file that turns bad keeps
//     its last good version until it is good again or gone; one that was never good is left out.
//   - Nothing outside of a root is read: links that lead out of it are refused, and what is no regular file is
//     not opened.
//   - A [Library] follows its roots: what changed is in the next Set, and only what changed is read again.
//   - A skill of a root that is not shown ([Root.Shown]) can be loaded by its name, and is in no list; it brings no tools.
//
// Reading order: skill.go (what a skill is), front.go and fields.go (the front matter), folder.go (one folder), tools.go
// (tools.json), set.go (all of them), library.go and reader.go (as they change), list.go (what models are shown).
package skill
