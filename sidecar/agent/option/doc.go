// Package option reads the options that stand on a screen, of any program: letters and
// numbered lists before the cursor, rows of which one is marked, check boxes, buttons.
//
// What the package guarantees:
//
//   - [Read] finds options only where a program asks: before the cursor, in the box that
//     has the cursor, or at the bottom of a screen. The same rows further up are text.
//   - The marked option is the one that the screen shows as marked. If the screen does not
//     tell two apart, no option is marked.
//   - Read looks at a bounded number of rows, options and bytes, never panics and uses time
//     linear in what it looks at.
//
// Reading order: option.go, screen.go, typed.go and listed.go (options that are typed),
// row.go, mark.go, rows.go, buttons.go and box.go (options that a marker moves over).
package option
