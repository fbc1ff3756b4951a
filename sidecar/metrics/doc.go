// Package metrics counts what the sidecar does and writes it as an OpenMetrics
// text. There is no library behind it: the small one that was tried
// (VictoriaMetrics/metrics, 216 KiB) writes neither the types that the format
// asks for nor histograms that other scrapers read, and what was left of it was
// a map of atomic counters.
//
// Every label comes from a short fixed list: operations, bindings, versions, classes of
// status, task states, outcomes. No text of a request or an agent becomes a label, so that
// nobody can make the metrics grow by sending requests.
//
// Reading order: metrics.go (what is counted as it happens), levels.go (what is read when
// somebody asks), process.go, openmetrics.go (how it is written).
package metrics
