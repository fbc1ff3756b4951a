// Package surface says which tools a viewer sees: the effective tool set, made of the tiers
// platform, connector and image and of explicit grants.
//
// Guarantees:
//
//   - A View never changes. It has each tool once, with the definition of the highest tier that
//     provides one and the provenance of the highest that grants it:
//     explicit > connector > platform > image.
//   - A skill's tools are there for those who have loaded it, below all others: they take no name that another
//     tool has, or that is reserved.
//   - For compares pointers and blocks on nothing but the composition of a new list: no file, server
//     or rule is asked. Rules are asked when a list is (Rows, Listed, Deferred), once per viewer
//     and for at most a second.
//   - Nothing that one connector, one server or one file does takes the others' tools away: a
//     tool that cannot be served is a row that says why.
//   - A tool that exists and cannot be called differs from one that does not exist (View.Absent).
//   - A grants file or a preference file that is bad leaves the last good one in force.
//
// An unbound connector grants nothing, and a lower tier's definition counts then. A connector that
// is bound and cannot be started keeps its tools' names: no other definition takes their place
// behind the caller's back. A connector's tools are in its namespace; what a server says beyond
// that is lost. Of two tools whose names are equal once every character but letters and digits
// is an underscore, as some clients write them, the lower tier's is lost, or the later one.
//
// Reading order: source.go (what tiers provide), grants.go and preferences.go (what the owner
// says, pattern.go and file.go below them), compose.go (one list of all), surface.go, view.go and
// listing.go (who sees what), lost.go (what nobody sees), row.go (as JSON).
package surface
