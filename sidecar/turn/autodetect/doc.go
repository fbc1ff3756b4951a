// Package autodetect is the driver for a program in a terminal of which nothing
// is known: what it does with the terminal decides, anew at each message, whether it is
// spoken to in lines or as an agent that draws its screen.
//
// Read autodetect.go for the driver and draws.go for the decision.
package autodetect
