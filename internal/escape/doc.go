// Package escape finds escape sequences in what a program writes to a terminal and in
// what a keyboard sends, for whoever has to know where a sequence begins and ends. What
// a sequence means to a screen is not its business.
//
//   - A [Scanner] takes byte after byte, so that a sequence may come in pieces, and
//     keeps a few bytes, whatever comes.
//   - ESC begins a sequence wherever it comes, also in an unfinished one: nothing
//     that is broken swallows what follows it for good.
//   - Control characters in the middle of a program's sequence are carried out, as
//     terminals do. From a keyboard they are keys, and what was begun is over.
//   - The 8-bit controls are not looked for: in UTF-8 their bytes are parts of
//     characters. (Decoders that look for them end a title at the second byte of "✳".)
//     [Strip] has whole characters and takes those of C1 out.
package escape
