package interop

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
)

// dialect is one way in which the official client speaks.
type dialect struct {
	name    string
	binding a2a.TransportProtocol
	version a2a.ProtocolVersion
}

var dialects = []dialect{
	{"1.0 JSON-RPC", a2a.TransportProtocolJSONRPC, a2a.Version},
	{"1.0 REST", a2a.TransportProtocolHTTPJSON, a2a.Version},
	{"0.3 JSON-RPC", a2a.TransportProtocolJSONRPC, a2av0.Version},
	{"0.3 REST", a2a.TransportProtocolHTTPJSON, a2av0.Version},
}

// dial makes the client from the card, as an application would: the card must
// offer the dialect.
func dial(t *testing.T, base string, d dialect) *a2aclient.Client {
	t.Helper()
	return dialWith(t, base, d, &http.Client{})
}

func dialWith(t *testing.T, base string, d dialect, hc *http.Client) *a2aclient.Client {
	t.Helper()
	card := resolve(t, base)
	var offered []*a2a.AgentInterface
	for _, i := range card.SupportedInterfaces {
		if i.ProtocolBinding == d.binding && i.ProtocolVersion == d.version {
			offered = append(offered, i)
		}
	}
	if len(offered) == 0 {
		t.Fatalf("the card does not offer %s", d.name)
	}
	client, err := a2aclient.NewFromEndpoints(t.Context(), offered,
		a2aclient.WithJSONRPCTransport(hc), a2aclient.WithRESTTransport(hc),
		a2aclient.WithCompatTransport(a2av0.Version, a2a.TransportProtocolJSONRPC, a2av0.NewJSONRPCTransportFactory(a2av0.JSONRPCTransportConfig{Client: hc})),
		a2aclient.WithCompatTransport(a2av0.Version, a2a.TransportProtocolHTTPJSON, a2av0.NewRESTTransportFactory(a2av0.RESTTransportConfig{Client: hc})),
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Destroy() })
	return client
}

func resolve(t *testing.T, base string) *a2a.AgentCard {
	t.Helper()
	card, err := agentcard.DefaultResolver.Resolve(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	return card
}

func forEach(t *testing.T, f func(t *testing.T, d dialect)) {
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) { f(t, d) })
	}
}

func message(text string) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(text))}
}

func TestCard(t *testing.T) {
	base := serve(t, "--mode", "oneshot", "--", "cat")
	card := resolve(t, base)
	if card.Name != "cat" || !card.Capabilities.Streaming || len(card.Skills) == 0 {
		t.Errorf("card %+v", card)
	}
	legacy, err := agentcard.NewResolver(http.DefaultClient).Resolve(t.Context(), base, agentcard.WithPath("/.well-known/agent.json"))
	if err != nil || legacy.Name != card.Name {
		t.Errorf("the 0.2 path: %+v, %v", legacy, err)
	}
	parsed := agentcard.Resolver{Client: http.DefaultClient, CardParser: a2av0.NewAgentCardParser()}
	if old, err := parsed.Resolve(t.Context(), base); err != nil || len(old.SupportedInterfaces) == 0 {
		t.Errorf("as a 0.3 card: %+v, %v", old, err)
	}
}

func TestSendAndGet(t *testing.T) {
	base := serve(t, "--mode", "oneshot", "--", "cat")
	forEach(t, func(t *testing.T, d dialect) {
		client := dial(t, base, d)
		result, err := client.SendMessage(t.Context(), message("héllo\nworld"))
		if err != nil {
			t.Fatal(err)
		}
		sent, ok := result.(*a2a.Task)
		if !ok {
			t.Fatalf("got a %T", result)
		}
		if sent.Status.State != a2a.TaskStateCompleted || answer(sent) != "héllo\nworld" {
			t.Errorf("task %s, answer %q", sent.Status.State, answer(sent))
		}
		got, err := client.GetTask(t.Context(), &a2a.GetTaskRequest{ID: sent.ID})
		if err != nil {
			t.Fatal(err)
		}
		if got.ID != sent.ID || got.ContextID != sent.ContextID || answer(got) != answer(sent) || len(got.History) == 0 {
			t.Errorf("got %+v, sent %+v", got, sent)
		}
		if _, err := client.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: sent.ID}); !errors.Is(err, a2a.ErrTaskNotCancelable) {
			t.Errorf("canceling a finished task: %v", err)
		}
		if _, err := client.GetTask(t.Context(), &a2a.GetTaskRequest{ID: "no-such-task"}); !errors.Is(err, a2a.ErrTaskNotFound) {
			t.Errorf("getting an unknown task: %v", err)
		}
		if d.version == a2a.Version {
			page, err := client.ListTasks(t.Context(), &a2a.ListTasksRequest{ContextID: sent.ContextID})
			if err != nil || len(page.Tasks) != 1 || page.TotalSize != 1 || page.Tasks[0].ID != sent.ID {
				t.Errorf("list: %+v, %v", page, err)
			}
		}
	})
}

func TestStream(t *testing.T) {
	base := serve(t, "--mode", "oneshot", "--", "cat")
	forEach(t, func(t *testing.T, d dialect) {
		client := dial(t, base, d)
		var text strings.Builder
		var states []a2a.TaskState
		for event, err := range client.SendStreamingMessage(t.Context(), message("streamed")) {
			if err != nil {
				t.Fatal(err)
			}
			switch e := event.(type) {
			case *a2a.Task:
				states = append(states, e.Status.State)
				text.WriteString(answer(e))
			case *a2a.TaskStatusUpdateEvent:
				states = append(states, e.Status.State)
			case *a2a.TaskArtifactUpdateEvent:
				text.WriteString(partsText(e.Artifact))
			}
		}
		if text.String() != "streamed" {
			t.Errorf("streamed %q", text.String())
		}
		if states[0] != a2a.TaskStateSubmitted || states[len(states)-1] != a2a.TaskStateCompleted {
			t.Errorf("states %v", states)
		}
	})
}

func TestCancelAndSubscribe(t *testing.T) {
	base := serve(t, "--mode", "oneshot", "--", "sh", "-c", "echo started; exec sleep 60")
	forEach(t, func(t *testing.T, d dialect) {
		client := dial(t, base, d)
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
		defer stop()
		id := startTask(t, ctx, client)
		sawStart, sawEnd, canceled := false, false, false
		for event, err := range client.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: id}) {
			if err != nil {
				t.Fatal(err)
			}
			switch e := event.(type) {
			case *a2a.Task:
				sawStart = sawStart || strings.Contains(answer(e), "started")
			case *a2a.TaskArtifactUpdateEvent:
				sawStart = sawStart || strings.Contains(partsText(e.Artifact), "started")
			case *a2a.TaskStatusUpdateEvent:
				sawEnd = e.Status.State == a2a.TaskStateCanceled
			}
			if sawStart && !canceled {
				canceled = true
				task, err := client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id})
				if err != nil {
					t.Fatal(err)
				}
				if task.Status.State != a2a.TaskStateCanceled {
					t.Errorf("canceled task is %s", task.Status.State)
				}
			}
		}
		if !sawStart || !sawEnd {
			t.Errorf("the subscriber saw the output: %v, the end: %v", sawStart, sawEnd)
		}
		again, err := client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id})
		switch {
		case d.version == a2av0.Version: // a canceled task is not cancelable (0.3.0 §8.2)
			if !errors.Is(err, a2a.ErrTaskNotCancelable) {
				t.Errorf("canceling twice: %+v, %v", again, err)
			}
		case err != nil || again.Status.State != a2a.TaskStateCanceled:
			t.Errorf("canceling twice: %+v, %v", again, err)
		}
	})
}

// startTask starts work and returns while it runs.
func startTask(t *testing.T, ctx context.Context, client *a2aclient.Client) a2a.TaskID {
	t.Helper()
	request := message("go")
	request.Config = &a2a.SendMessageConfig{ReturnImmediately: true}
	result, err := client.SendMessage(ctx, request)
	if err != nil {
		t.Fatal(err)
	}
	task, ok := result.(*a2a.Task)
	if !ok || task.Status.State.Terminal() {
		t.Fatalf("returned %+v", result)
	}
	return task.ID
}

// TestQuestion is the shell agent of the examples, seen by a client: status,
// two chunks of one artifact, a question, its answer, the end.
func TestQuestion(t *testing.T) {
	base := serve(t, "--mode", "oneshot", "--", "../../examples/shell-agent/agent.sh")
	forEach(t, func(t *testing.T, d dialect) {
		client := dial(t, base, d)
		var task a2a.TaskInfo
		var chunks []string
		var asked string
		working := false
		for event, err := range client.SendStreamingMessage(t.Context(), message("cats")) {
			if err != nil {
				t.Fatal(err)
			}
			switch e := event.(type) {
			case *a2a.Task:
				task = e.TaskInfo()
			case *a2a.TaskStatusUpdateEvent:
				switch {
				case e.Status.State == a2a.TaskStateWorking && e.Status.Message != nil:
					working = true
				case e.Status.State == a2a.TaskStateInputRequired:
					asked = e.Status.Message.Parts[0].Text()
				}
			case *a2a.TaskArtifactUpdateEvent:
				if e.Artifact.ID == "draft" {
					chunks = append(chunks, partsText(e.Artifact))
				}
			}
		}
		if !working || len(chunks) != 2 || !strings.Contains(asked, "Publish the draft?") {
			t.Fatalf("working %v, chunks %q, question %q", working, chunks, asked)
		}
		reply := &a2a.SendMessageRequest{Message: a2a.NewMessageForTask(a2a.MessageRoleUser, task, a2a.NewTextPart("yes"))}
		result, err := client.SendMessage(t.Context(), reply)
		if err != nil {
			t.Fatal(err)
		}
		ended := result.(*a2a.Task)
		if ended.Status.State != a2a.TaskStateCompleted || !strings.Contains(answer(ended), "Title: cats\nBody: three lines\n") {
			t.Errorf("ended %s with %q", ended.Status.State, answer(ended))
		}
	})
}

func answer(t *a2a.Task) string {
	var b strings.Builder
	for _, a := range t.Artifacts {
		b.WriteString(partsText(a))
	}
	return b.String()
}

func partsText(a *a2a.Artifact) string {
	var b strings.Builder
	for _, p := range a.Parts {
		b.WriteString(p.Text())
	}
	return b.String()
}
