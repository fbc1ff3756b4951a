package codec_test

import (
	"fmt"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
)

// An event is written in the words of each version.
func ExampleEncodeEvent() {
	e := &a2a.Event{Status: &a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: a2a.Status{State: a2a.StateWorking}}}
	fmt.Printf("%s\n", codec.EncodeEvent(e, a2a.V10))
	fmt.Printf("%s\n", codec.EncodeEvent(e, a2a.V03))
	// Output:
	// {"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}
	// {"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"working"},"final":false}
}

// A request that is wrong says where, and what would be right.
func ExampleDialect() {
	in, err := codec.ReadParams([]byte(`{"message":{"messageId":"1","parts":[{"text":5}]}}`))
	if err == nil {
		_, err = codec.REST(a2a.V10).DecodeSend(in)
	}
	fmt.Println(err)
	// Output:
	// message.parts[0].text: must be a string, not a number
}
