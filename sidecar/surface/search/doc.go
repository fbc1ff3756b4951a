// Package search finds tools by words: a ranked index over the names and descriptions of a
// list of tools, small enough to be built for each list and fast enough to be asked for each
// keystroke.
//
//   - The rank is BM25 over four fields (BM25F): the tool's own name, its description, its
//     namespace and the names of its arguments. A name weighs most, arguments least.
//   - Words are lower case, in any script. They are split at everything that is no letter and
//     no digit, at camelCase and between letters and digits, and English endings are taken
//     off. What is written together ("GitHub", "s3") can be found in both forms.
//   - A query word that no tool has is completed (half a word), corrected (a typing error) or
//     split. A short written list of synonyms counts for less than the word itself.
//   - A query that is a tool's name, or the native name of a server's tool, finds that tool
//     first.
//   - The same index and query give the same hits in the same order; ties are in the order of
//     names.
//   - An Index is immutable, and many goroutines may search it at once. Work and memory of a
//     search are bounded whatever the query is (limits.go).
//
// An index of 10,000 tools takes about 0.1 s to build and 300 bytes a tool (700 at most) in addition
// to the names and descriptions, which are shared with the Docs. A search in it takes about 0.02 ms,
// 0.1 ms for the slowest of a hundred, and 0.3 ms for the worst query. A [Cache] builds the index of
// a list when it is first searched.
//
// Reading order: index.go (what is built), words.go and stem.go (what is a word), query.go
// (what a query looks for), search.go (how it is ranked).
package search
