// Package page turns web pages into text that a model can read: Markdown, or plain text.
//
// Guarantees, whatever the page is:
//
//   - Reading a page takes time and memory in proportion to its length. The tree is built from the tokens
//     alone: each makes at most one node, nodes are counted, and elements that are nested too deeply are left
//     out, though not their text. Nothing is moved or repeated, as browsers do with bad nesting.
//   - Only the attributes that Markdown has a place for are kept. Links are absolute; those that a
//     reader could not follow (javascript:, data:) are left out.
//   - Scripts, styles and other elements that are not the page's words are left out.
//
// The package opens nothing. Read page.go first, then build.go (the tree), elements.go (what is known of
// elements), render.go, charset.go.
package page
