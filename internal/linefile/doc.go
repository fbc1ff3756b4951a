// Package linefile is a file of lines that only grows, as a small memory over restarts.
//
//   - A line is on disk when Add returns. A line that was cut off, by a crash or a full disk, does not
//     spoil the next one.
//   - Rewrite replaces the whole file at once: a crash leaves the old one or the new one.
//   - The files are for their owner only (0600).
package linefile
