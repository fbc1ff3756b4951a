// Package patch reads unified diffs, as git and diff -u write them and as models do, and applies them to texts.
//
// Guarantees:
//
//   - It touches nothing: a patch is a text that names files, and what becomes of a file is computed from what it has.
//   - Whoever judges a patch and whoever applies it read it by the same function, [Parse]. What it leaves in doubt
//     is an error, and never the more likely one of two readings.
//   - The size of a patch, its files and its hunks are bounded, and what takes long ends with its context.
//
// Reading order: patch.go (what a patch is), section.go (the head of a file), name.go, hunk.go, apply.go, find.go.
package patch
