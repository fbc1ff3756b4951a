// Package text is the one place that says which characters of text from outside
// may reach a terminal or a log. Control characters, those that turn the direction
// of writing, invisible ones (tag characters among them) and bytes that are not
// UTF-8 never do: [Show] writes them so that they can be seen, [Strip] and [Line]
// leave them out, [Name] puts an underscore in their place.
package text
