package a2a

import "strings"

// TraceID returns the trace ID in a Params.TraceParent, "" if there is none.
func TraceID(traceParent string) string {
	if traceParent = ValidTraceParent(traceParent); traceParent == "" {
		return ""
	}
	return traceParent[3:35]
}

// ValidTraceParent returns v, or "" if it is not a valid W3C traceparent header. It is
// checked because it is passed on to the environment of child processes.
func ValidTraceParent(v string) string {
	// version "-" trace-id "-" parent-id "-" flags
	if len(v) != 55 || v[2] != '-' || v[35] != '-' || v[52] != '-' || v[:2] == "ff" {
		return ""
	}
	for _, field := range []string{v[:2], v[3:35], v[36:52], v[53:]} {
		if strings.Trim(field, "0123456789abcdef") != "" {
			return ""
		}
	}
	if strings.Trim(v[3:35], "0") == "" || strings.Trim(v[36:52], "0") == "" {
		return ""
	}
	return v
}
