package task

import "github.com/a2a-sidecar/sidecar/a2a"

// These constants are about how much memory things take besides their text. They
// bound a flood of small or empty things, too.
const (
	taskOverhead     = 1024
	messageOverhead  = 512
	artifactOverhead = 256
	partOverhead     = 128
	memberOverhead   = 96 // of metadata
	stringOverhead   = 32 // in a list
)

func messageCost(m *a2a.Message) int64 {
	n := messageOverhead + int64(len(m.ID)) + listCost(m.Extensions) + listCost(m.ReferenceTaskIDs) + metadataCost(m.Metadata)
	for i := range m.Parts {
		n += bareCost(&m.Parts[i]) + contentBytes(&m.Parts[i])
	}
	return n
}

// headerCost is how many bytes an artifact costs without its parts.
func headerCost(a *a2a.Artifact) int64 {
	return int64(artifactOverhead+len(a.ID)+len(a.Name)+len(a.Description)) + listCost(a.Extensions) + metadataCost(a.Metadata)
}

// bareCost is how many bytes a part costs without its content.
func bareCost(p *a2a.Part) int64 {
	return int64(partOverhead+len(p.MediaType)+len(p.Filename)) + metadataCost(p.Metadata)
}

func contentBytes(p *a2a.Part) int64 {
	return int64(len(p.Text) + len(p.Raw) + len(p.URL) + len(p.Data))
}

func metadataCost(m a2a.Metadata) int64 {
	n := 0
	for k, v := range m {
		n += memberOverhead + len(k) + len(v)
	}
	return int64(n)
}

func listCost(list []string) int64 {
	n := 0
	for _, s := range list {
		n += stringOverhead + len(s)
	}
	return int64(n)
}
