package codec

import "github.com/a2a-sidecar/sidecar/a2a"

// shape describes how one dialect writes the model. The three shapes differ in names and in
// parts; the methods below are what they have in common.
type shape struct {
	// kinds adds the kind discriminators of 0.3.
	kinds bool
	// finals adds final to status updates, which marks the last event of a stream.
	finals bool
	// content is the key of a message's parts.
	content string
	// refers adds the tasks that a message refers to.
	refers bool
	state  func(a2a.TaskState) string
	role   func(a2a.Role) string
	// part appends one part.
	part func(b []byte, p *a2a.Part) []byte
	// bridge is the bridge version that is put on tasks, "" for none.
	bridge string
}

// bridgeField is the platform's name for its version. It is a member of the public card and
// of 0.3 tasks over JSON-RPC, and a header of responses.
const bridgeField = "x-spring-voyage-bridge-version"

// frameRoom is how many bytes an update needs in addition to its text: names and two
// UUIDs.
const frameRoom = 384

// kind appends the discriminator if the dialect has one.
func (s *shape) kind(o *object, kind string) {
	if s.kinds {
		o.str("kind", kind)
	}
}

func (s *shape) message(b []byte, m *a2a.Message) []byte {
	o := openObject(b)
	s.kind(&o, "message")
	o.str("messageId", m.ID)
	o.optStr("contextId", m.ContextID)
	o.optStr("taskId", m.TaskID)
	o.str("role", s.role(m.Role))
	list(&o, s.content, m.Parts, s.part)
	o.optMetadata(m.Metadata)
	o.optStrs("extensions", m.Extensions)
	if s.refers {
		o.optStrs("referenceTaskIds", m.ReferenceTaskIDs)
	}
	return o.close()
}

func (s *shape) artifact(b []byte, a *a2a.Artifact) []byte {
	o := openObject(b)
	o.str("artifactId", a.ID)
	o.optStr("name", a.Name)
	o.optStr("description", a.Description)
	list(&o, "parts", a.Parts, s.part)
	o.optMetadata(a.Metadata)
	o.optStrs("extensions", a.Extensions)
	return o.close()
}

func (s *shape) status(b []byte, st *a2a.Status) []byte {
	o := openObject(b)
	o.str("state", s.state(st.State))
	if st.Message != nil {
		value(&o, "message", st.Message, s.message)
	}
	if !st.Timestamp.IsZero() {
		value(&o, "timestamp", st.Timestamp, appendTime)
	}
	return o.close()
}

// task leaves out nil lists: they were not requested.
func (s *shape) task(b []byte, t *a2a.Task) []byte {
	o := openObject(b)
	s.kind(&o, "task")
	o.str("id", t.ID)
	o.str("contextId", t.ContextID)
	value(&o, "status", &t.Status, s.status)
	if t.Artifacts != nil {
		list(&o, "artifacts", t.Artifacts, s.artifact)
	}
	if t.History != nil {
		list(&o, "history", t.History, s.message)
	}
	o.optMetadata(t.Metadata)
	o.optStr(bridgeField, s.bridge)
	return o.close()
}

func (s *shape) statusUpdate(b []byte, u *a2a.StatusUpdate, last bool) []byte {
	o := openObject(b)
	s.kind(&o, "status-update")
	o.str("taskId", u.TaskID)
	o.str("contextId", u.ContextID)
	value(&o, "status", &u.Status, s.status)
	if s.finals {
		o.boolean("final", last)
	}
	o.optMetadata(u.Metadata)
	return o.close()
}

func (s *shape) artifactUpdate(b []byte, u *a2a.ArtifactUpdate) []byte {
	o := openObject(b)
	s.kind(&o, "artifact-update")
	o.str("taskId", u.TaskID)
	o.str("contextId", u.ContextID)
	value(&o, "artifact", &u.Artifact, s.artifact)
	o.optTrue("append", u.Append)
	o.optTrue("lastChunk", u.LastChunk)
	o.optMetadata(u.Metadata)
	return o.close()
}

func (s *shape) taskList(b []byte, l *a2a.TaskList) []byte {
	o := openObject(b)
	list(&o, "tasks", l.Tasks, func(b []byte, t **a2a.Task) []byte { return s.task(b, *t) })
	o.str("nextPageToken", l.NextPageToken)
	o.integer("pageSize", l.PageSize)
	o.integer("totalSize", l.TotalSize)
	return o.close()
}

// event appends one stream item: under a member's name (1.0, proto-JSON), or bare with its
// kind (0.3). last is set if it is the stream's last item.
func (s *shape) event(b []byte, e *a2a.Event, last bool) []byte {
	name, add := "", func(b []byte) []byte { return append(b, "{}"...) }
	switch {
	case e.Task != nil:
		name, add = "task", func(b []byte) []byte { return s.task(b, e.Task) }
	case e.Message != nil:
		name, add = "message", func(b []byte) []byte { return s.message(b, e.Message) }
	case e.Status != nil:
		name, add = "statusUpdate", func(b []byte) []byte { return s.statusUpdate(b, e.Status, last) }
	case e.Artifact != nil:
		name, add = "artifactUpdate", func(b []byte) []byte { return s.artifactUpdate(b, e.Artifact) }
	}
	if s.kinds || name == "" {
		return add(b)
	}
	o := openObject(b)
	o.key(name)
	o.b = add(o.b)
	return o.close()
}

// newFrame returns a buffer that holds most events without growing.
func newFrame(e *a2a.Event) []byte {
	n := frameRoom
	if e.Artifact != nil {
		for i := range e.Artifact.Artifact.Parts {
			p := &e.Artifact.Artifact.Parts[i]
			n += len(p.Text) + len(p.Text)/16 + len(p.Raw)*4/3 + len(p.Data) + 64
		}
	}
	return make([]byte, 0, n)
}

// sendEvent returns a send result as the stream item that has the same JSON.
func sendEvent(r *a2a.SendResult) *a2a.Event { return &a2a.Event{Task: r.Task, Message: r.Message} }
