package a2a

// PushConfig says where a task's events are sent (§4.3.1).
type PushConfig struct {
	ID     string
	TaskID string
	URL    string
	// Token is sent along, so that the receiver knows who sends. "" for none.
	Token string
	// Scheme and Credentials make the Authorization header. "" for none.
	Scheme      string
	Credentials string
}
