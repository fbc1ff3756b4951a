// Package escape finds escape sequences in what a program writes to a terminal and in
// what a keyboard sends, for whoever has to know where a sequence begins and ends. It
// does not know what a sequence means to a screen.
//
//   - A [Scanner] takes one byte after the other, so a sequence may come in pieces.
//     It keeps only a few bytes, whatever comes.
//   - ESC always begins a sequence, even inside an unfinished one, so a broken
//     sequence never swallows what follows it for good.
//   - Control characters in the middle of a program's sequence are carried out, as
//     terminals do. From a keyboard they are keys, and they end a sequence that has
//     begun.
//   - The 8-bit controls are not looked for: in UTF-8 their bytes are parts of
//     characters. (Decoders that look for them end a title at the second byte of "✳".)
//     [Strip] sees whole characters and removes those of C1.
package escape
