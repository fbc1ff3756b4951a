// Package client makes tools of what MCP servers offer, and calls them.
package client
