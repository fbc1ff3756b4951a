package disk

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// FuzzRows: whatever a damaged file holds, reading it ends in a task, an event or
// an error, and what was read can be written and means the same.
func FuzzRows(f *testing.F) {
	event := &task.Stored{Event: &a2a.Event{ID: 7, Status: &a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: a2a.Status{State: a2a.StateWorking}}}, Cont: true}
	f.Add([]byte{}, encodeEvent(event))
	head := &task.Head{ID: "t", Owner: "o", ContextID: "c", Status: a2a.Status{State: a2a.StateCompleted}, Turn: 2, Seq: 3,
		Push: []task.Push{{Config: a2a.PushConfig{ID: "p", URL: "https://a.example"}, Delivered: 4}}}
	value := make([]byte, headerSize, 512)
	value[25] = 1
	value = append(append(value, "t"...), encodeHead(head)...)
	f.Add(value, []byte{flagCont})
	f.Add(value[:headerSize+3], []byte(`{"statusUpdate":null}`))
	if h, err := decodeHead(value); err != nil || h.Push[0].Delivered != 4 {
		f.Fatalf("the seed is no head: %+v, %v", h, err)
	}
	f.Fuzz(func(t *testing.T, head, event []byte) {
		if h, err := decodeHead(head); err == nil {
			again := encodeHead(h)
			back, err := decodeHead(append(append([]byte(nil), head[:headerSize+len(h.ID)]...), again...))
			if err != nil || back.ID != h.ID || back.Owner != h.Owner || back.Seq != h.Seq || len(back.Push) != len(h.Push) || back.Status.State != h.Status.State {
				t.Errorf("%+v became %+v, %v", h, back, err)
			}
		}
		if e, err := decodeEvent(row{key: makeKey(1, kindEvent, 9), value: event}); err == nil {
			back, err := decodeEvent(row{key: makeKey(1, kindEvent, 9), value: encodeEvent(e)})
			if err != nil || back.ID != 9 || back.Cont != e.Cont || string(codec.EncodeEvent(back.Event, a2a.V10)) != string(codec.EncodeEvent(e.Event, a2a.V10)) {
				t.Errorf("an event became %+v, %v", back, err)
			}
		}
	})
}
