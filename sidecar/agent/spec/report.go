package spec

import (
	"encoding/json"
	"io"
	"os"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// Limits of what a hook takes.
const (
	// MaxPayload is how many bytes an agent may give its hook. A longer payload is not
	// read.
	MaxPayload = 16 << 20
	// MaxMessage is how many bytes of a Message are passed on.
	MaxMessage = 4 << 10
	// maxTool is how many bytes of a tool's name are passed on.
	maxTool = 200
)

// maxTail is how many bytes Tail reads at the end of a file.
const maxTail = 2 << 20

// Tail returns the end of a file, for [Agent.Read].
func Tail(path string) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	from := max(0, info.Size()-maxTail)
	data, err := io.ReadAll(io.NewSectionReader(f, from, maxTail))
	if err != nil {
		return nil
	}
	return data
}

// Final returns the report of a turn that has ended with this answer.
func Final(text string) channel.Report {
	return channel.Report{State: channel.ReportReady, Text: text, Final: true}
}

// Working returns the report of a turn that continues.
func Working() channel.Report { return channel.Report{State: channel.ReportWorking} }

// Asks returns the report of a turn that waits for somebody.
func Asks(kind, message string) channel.Report {
	return channel.Report{State: channel.ReportAsking, Kind: kind, Message: message}
}

// ToolText returns one line that says what a tool is to do: the argument that says
// most.
func ToolText(name string, input json.RawMessage) string {
	var known struct {
		Command  string `json:"command"`
		FilePath string `json:"file_path"`
		URL      string `json:"url"`
		Path     string `json:"path"`
	}
	_ = json.Unmarshal(input, &known) // arguments of other types are not shown
	for _, detail := range []string{known.Command, known.FilePath, known.URL, known.Path} {
		if detail != "" {
			return name + ": " + detail
		}
	}
	return name
}

// FirstOf returns the first text that is not empty.
func FirstOf(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}
