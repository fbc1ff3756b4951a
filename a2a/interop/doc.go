// Package interop holds the product to what the official clients expect: the
// Go client here, the JavaScript clients in js/. It is a module of its own, so
// that the product carries none of them.
package interop
