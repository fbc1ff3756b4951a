package codec

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// What one dialect writes every dialect reads.
func TestPushRoundTrip(t *testing.T) {
	for _, c := range []a2a.PushConfig{
		{ID: "i", TaskID: "t", URL: "https://example.com/?a=1&b=2", Token: "tok", Scheme: "Bearer", Credentials: "c"},
		{ID: "i/j", TaskID: "t", URL: "http://x", Scheme: "Basic"},
		{TaskID: "t", URL: "http://x"},
	} {
		for _, from := range dialects {
			for _, to := range dialects {
				got, err := to.DecodePush(known(from.EncodePush(&c)), "")
				if err != nil || cmp.Diff(&c, got) != "" {
					t.Errorf("%s to %s: %v %+v", from.name, to.name, err, got)
				}
			}
		}
	}
}

// An unset message prints as {}: of the authentication it is none, and of the
// config of a send too. A scheme may do without credentials.
func TestPushWithoutAuthentication(t *testing.T) {
	for _, tt := range []struct{ authentication, scheme, credentials string }{
		{`{}`, "", ""}, {`null`, "", ""}, {`{"scheme":""}`, "", ""}, {`{"schemes":[]}`, "", ""}, {`{"scheme":"","credentials":""}`, "", ""},
		{`{"scheme":"Bearer"}`, "Bearer", ""}, {`{"schemes":["Bearer"]}`, "Bearer", ""}, {`{"scheme":"Bearer","credentials":""}`, "Bearer", ""},
	} {
		for _, d := range dialects {
			c, err := d.DecodePush(known(`{"taskId":"t","url":"https://example.com","authentication":`+tt.authentication+`}`), "")
			if err == nil {
				err = c.Check()
			}
			if err != nil || c.Scheme != tt.scheme || c.Credentials != tt.credentials {
				t.Errorf("%s %s: %+v, %v", d.name, tt.authentication, c, err)
			}
		}
	}
	for _, d := range dialects {
		c, err := d.DecodePush(known(`{"taskId":"t","url":"https://example.com","authentication":{"credentials":"x"}}`), "")
		if err != nil || c.Check() == nil {
			t.Errorf("%s: credentials without a scheme were taken: %v", d.name, err)
		}
		r, err := d.DecodeSend(known(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]},"configuration":{"taskPushNotificationConfig":{}}}`))
		if err != nil || r.Push != nil {
			t.Errorf("%s: an unset config of a send is %+v, %v", d.name, r, err)
		}
	}
}

// FuzzDecodePush: what is refused is refused in our words, and what is taken
// and checked can be written and read again.
func FuzzDecodePush(f *testing.F) {
	for _, seed := range []string{
		`{"taskId":"t","id":"i","url":"https://example.com","token":"x","authentication":{"scheme":"Bearer","credentials":"c"}}`,
		`{"task_id":"t","push_notification_config":{"id":"i","url":"https://example.com","authentication":{"schemes":["Bearer"]}}}`,
		`{"parent":"tasks/t","configId":"i","config":{"name":"tasks/t/pushNotificationConfigs/i","pushNotificationConfig":{"url":"https://example.com"}}}`,
		`{"id":"t","pushNotificationConfigId":"i"}`, `{"taskId":"t","pageSize":"1","pageToken":"x"}`, `{"name":"tasks//pushNotificationConfigs/"}`,
		`{"config":{"config":{"config":{"url":1}}}}`, `null`, `[]`, `{"authentication":null,"url":null}`, `{"url":"http://[::1%25x]/"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		root, err := parse(raw, maxElements)
		if err != nil {
			return
		}
		in := Params{root.raw()}
		for _, d := range dialects {
			var fault *a2a.Error
			c, err := d.DecodePush(in, "")
			if err != nil && !errors.As(err, &fault) {
				t.Fatalf("%s: %v", d.name, err)
			}
			if err == nil && c.Check() == nil {
				again, err := d.DecodePush(known(d.EncodePush(c)), "")
				if err != nil || cmp.Diff(c, again) != "" {
					t.Fatalf("%s: %v %+v, was %+v", d.name, err, again, c)
				}
			}
			if r, err := d.DecodePushRef(in, "", ""); err != nil && !errors.As(err, &fault) || err == nil && r.TaskID == "" {
				t.Fatalf("%s: %v %+v", d.name, err, r)
			}
			p, err := d.DecodePushList(in, "")
			if err != nil {
				if !errors.As(err, &fault) {
					t.Fatalf("%s: %v", d.name, err)
				}
				continue
			}
			if page, next, err := p.Of([]a2a.PushConfig{{ID: "i"}, {ID: "j"}}); err == nil && (len(page) == 0 || next == "" && page[len(page)-1].ID != "j") {
				t.Fatalf("%s: page %v, next %q", d.name, page, next)
			}
			if !json.Valid(d.EncodePushList([]a2a.PushConfig{{ID: string(raw)}}, string(raw))) {
				t.Fatalf("%s: the list is no JSON", d.name)
			}
		}
	})
}
