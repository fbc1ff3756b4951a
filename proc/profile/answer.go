package profile

// Answer says how the text of an answer is found among the rows which the
// agent drew: see reader.go.
type Answer struct{}
