// Package relocate moves files of the sidecar out of a directory in which others may write.
//
// Guarantees:
//
//   - Nothing is lost: the files are in the old place until all of them are on the disk in the
//     new one, which then appears at once. A move that was interrupted is done again.
//   - Files that a running sidecar has locked are not moved.
//   - Nothing but regular files is read in the old place, and no link leads out of it: whoever
//     may write there cannot have another file copied, or a link made elsewhere.
//   - What is in the new place is never overwritten.
package relocate
