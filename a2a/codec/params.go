package codec

import "github.com/a2a-sidecar/sidecar/a2a"

// The functions of this file write the params of requests in 1.0, for a client.

// SendParams writes the params of a send in 1.0.
func SendParams(r *a2a.SendRequest) []byte {
	o := openObject(nil)
	value(&o, "message", &r.Message, shape10.message)
	if r.HistoryLength != nil || r.ReturnImmediately || len(r.AcceptedModes) > 0 || r.Push != nil {
		o.nest("configuration", func(conf *object) {
			conf.optStrs("acceptedOutputModes", r.AcceptedModes)
			conf.optInteger("historyLength", r.HistoryLength)
			conf.optTrue("returnImmediately", r.ReturnImmediately)
			if r.Push != nil {
				value(conf, "taskPushNotificationConfig", r.Push, appendPush10)
			}
		})
	}
	o.optMetadata(r.Metadata)
	return o.close()
}

// ListParams writes the params of a list in 1.0.
func ListParams(r *a2a.ListRequest) []byte {
	o := openObject(nil)
	o.optStr("contextId", r.ContextID)
	o.optStr("status", string(r.State))
	if r.PageSize != 0 {
		o.integer("pageSize", r.PageSize)
	}
	o.optStr("pageToken", r.PageToken)
	o.optInteger("historyLength", r.HistoryLength)
	o.optStr("statusTimestampAfter", r.StatusAfter)
	o.optTrue("includeArtifacts", r.IncludeArtifacts)
	return o.close()
}

// GetParams writes the params of a request for a task in 1.0.
func GetParams(r *a2a.GetRequest) []byte {
	o := openObject(nil)
	o.str("id", r.ID)
	o.optInteger("historyLength", r.HistoryLength)
	return o.close()
}

// CancelParams writes the params of a cancel in 1.0.
func CancelParams(r *a2a.CancelRequest) []byte {
	o := openObject(nil)
	o.str("id", r.ID)
	o.optMetadata(r.Metadata)
	return o.close()
}

// SubscribeParams writes the params of a subscription in 1.0.
func SubscribeParams(r *a2a.SubscribeRequest) []byte {
	o := openObject(nil)
	o.str("id", r.ID)
	return o.close()
}
