// Package text is what every package needs to handle text that comes from outside.
// It knows nothing of the others.
//
//   - It is the one place that says which characters may reach a terminal or a log
//     ([Safe]). Control characters, those that turn the direction of writing,
//     invisible ones (tag characters among them) and bytes that are not UTF-8 never
//     do: [Show] and [ShowLines] write them so that they can be seen, [Strip] and
//     [Line] leave them out, [Name] puts an underscore in their place. [Visible] and
//     [VisibleASCII] are stricter, for names and tokens.
//   - Nothing is cut in the middle of a character: [Cut] keeps the beginning of a
//     text, [Tail] its end, [Shorten] says by an ellipsis that there was more, and
//     [Quote] does that outside the quotes. A stream keeps back what [Unfinished]
//     counts until more bytes come. Limits are in bytes.
//   - [BeginsText] decides by the first [Sniffed] bytes of a stream whether it is
//     text.
//   - A size is a number of bytes with or without a unit, for flags and files alike:
//     [ParseSize] reads what [FormatSize] writes.
//   - [JSON] writes a value on one line, without the escapes that web pages need.
//   - A row that shows a spinner is told by its first character: [Spins].
//   - Large text is not copied to be read: [Shared].
//   - Where a text stands that others chose is found in a time that they cannot drive up: [Index], [LastIndex].
package text
