package a2a

// What is kept of tasks is written as 1.0 writes it on the wire: any reader of
// the protocol can read it. None of these may be called with input that is not
// ours.

// DecodeEvent reads what Event.Encode(V10) wrote. The ID is not part of it.
func DecodeEvent(raw []byte) (*Event, error) { return decodeEvent(raw) }

// EncodeMessage appends a message to b.
func EncodeMessage(b []byte, m *Message) []byte { return shape10.message(b, m) }

// DecodeMessage reads what EncodeMessage wrote.
func DecodeMessage(raw []byte) (*Message, error) {
	e, err := decodeEvent(append(append([]byte(`{"message":`), raw...), '}'))
	if err != nil {
		return nil, err
	}
	return e.Message, nil
}
