// Package mcptest is what the tests of MCP servers share: a server that a test binary plays
// itself, as a process or over HTTP.
package mcptest
