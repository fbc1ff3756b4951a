// Package option finds the choices that any program offers on its screen: letters and numbered
// lists before the cursor, rows of which one is marked, check boxes, buttons, keys in a row.
//
// What the package guarantees:
//
//   - [Read] finds options only at the place where a program asks: before the cursor, in the
//     box that has the cursor, or at the bottom of a screen. The same rows further up are text.
//   - The marked option is the one that the screen shows as marked. If the screen shows no
//     difference, no option is marked.
//   - Read looks at a limited number of rows, options and bytes, and never panics. Its time
//     grows linearly with what it looks at: no row is compared with every other row.
//   - The same screen always gives the same options.
//
// Reading order: option.go, screen.go and frame.go (what is looked at); letters.go, listed.go,
// below.go and keys.go (options that are typed); item.go, style.go, block.go, rows.go, paired.go,
// box.go, buttons.go, switches.go and hints.go (options that a marker moves over).
package option
