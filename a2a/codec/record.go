package codec

import "github.com/a2a-sidecar/sidecar/a2a"

// EncodeMessage appends a message to b, as 1.0 writes it.
func EncodeMessage(b []byte, m *a2a.Message) []byte { return shape10.message(b, m) }

// DecodeMessage reads what EncodeMessage wrote; other input is not checked as a
// client's is.
func DecodeMessage(raw []byte) (*a2a.Message, error) {
	e, err := DecodeEvent(append(append([]byte(`{"message":`), raw...), '}'))
	if err != nil {
		return nil, err
	}
	return e.Message, nil
}
