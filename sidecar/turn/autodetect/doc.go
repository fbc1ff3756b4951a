// Package autodetect is the driver for a program in a terminal of which nothing
// is known: what it shows when a turn begins decides whether it is spoken to in
// lines or as an agent that draws its screen.
package autodetect
