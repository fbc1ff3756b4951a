// Package layout has no code of its own: its tests hold the repository's pages to what
// is there, and its packages to the order in which they may import each other.
package layout
