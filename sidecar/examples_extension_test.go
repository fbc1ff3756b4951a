package sidecar_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
)

const (
	a2uiURI  = "https://a2ui.org/a2a-extension/a2ui/v0.9.1"
	a2uiType = "application/a2ui+json"
	ap2URI   = "https://github.com/google-agentic-commerce/ap2/v1"
)

// example runs the agent of a folder of examples, with its card.
func example(t *testing.T, name string) *running {
	dir := "../examples/" + name
	return runWith(t, []string{"SIDECAR=" + asScript(t)}, "--mode", "oneshot", "--card", dir+"/card.json", "--", dir+"/agent.sh")
}

// sendPart sends one part, of a task or a new one, with an extension activated.
func sendPart(t *testing.T, r *running, uri, taskID string, p a2a.Part) (*a2a.Task, error) {
	t.Helper()
	m := userMessage("")
	m.TaskID, m.Parts = taskID, []a2a.Part{p}
	req := &a2a.SendRequest{Message: m}
	if uri != "" {
		req.Params.Extensions = []string{uri}
	}
	result, err := r.client().Send(r.context(), req)
	if err != nil {
		return nil, err
	}
	return result.Task, nil
}

// a2uiPart holds a part to what A2UI calls its own, and returns its messages.
func a2uiPart(t *testing.T, p a2a.Part) (messages []map[string]json.RawMessage) {
	t.Helper()
	if p.Kind != a2a.PartData || p.MediaType != a2uiType || string(p.Metadata["mimeType"]) != `"`+a2uiType+`"` {
		t.Errorf("not an A2UI part: %+v", p)
	}
	if err := json.Unmarshal(p.Data, &messages); err != nil {
		t.Fatal(err)
	}
	return messages
}

// TestA2UIAgent: a client that draws gets a form, sends the action of its button,
// and gets a surface that says so; any other is asked in words.
func TestA2UIAgent(t *testing.T) {
	t.Parallel()
	r := example(t, "a2ui")
	asked, err := sendPart(t, r, a2uiURI, "", a2a.TextPart("a table, please"))
	if err != nil {
		t.Fatal(err)
	}
	question := asked.Status.Message
	if asked.Status.State != a2a.StateInputRequired || len(question.Parts) != 2 || !slices.Equal(question.Extensions, []string{a2uiURI}) {
		t.Fatalf("asked %s: %+v", asked.Status.State, question)
	}
	form := a2uiPart(t, question.Parts[1])
	if len(form) != 3 || form[0]["createSurface"] == nil || form[1]["updateComponents"] == nil || string(form[0]["version"]) != `"v0.9.1"` {
		t.Errorf("the form is %s", question.Parts[1].Data)
	}
	action := a2a.DataPart(json.RawMessage(`[{"version":"v0.9.1","action":{"name":"book","surfaceId":"table","sourceComponentId":"book",
		"timestamp":"2026-01-15T12:00:00Z","context":{"seats":"4"}}}]`))
	action.Metadata = a2a.Metadata{"mimeType": json.RawMessage(`"` + a2uiType + `"`)}
	booked, err := sendPart(t, r, a2uiURI, asked.ID, action)
	if err != nil {
		t.Fatal(err)
	}
	if booked.Status.State != a2a.StateCompleted || says(booked) != "A table for 4 is booked." || len(booked.Artifacts) == 0 {
		t.Fatalf("booked: %s %q %+v", booked.Status.State, says(booked), booked.Artifacts)
	}
	table := booked.Artifacts[0]
	if shown := a2uiPart(t, table.Parts[0]); table.ID != "table" || !slices.Equal(table.Extensions, []string{a2uiURI}) ||
		!strings.Contains(string(shown[0]["updateComponents"]), "Booked for 4.") {
		t.Errorf("the surface is %+v", table)
	}

	asked, err = sendPart(t, r, "", "", a2a.TextPart("a table, please"))
	if err != nil {
		t.Fatal(err)
	}
	if len(asked.Status.Message.Parts) != 1 || len(asked.Status.Message.Extensions) != 0 {
		t.Errorf("who draws nothing was asked %+v", asked.Status.Message)
	}
	booked, err = sendPart(t, r, "", asked.ID, a2a.TextPart("2"))
	if err != nil || says(booked) != "A table for 2 is booked." {
		t.Errorf("booked: %+v, %v", booked, err)
	}
}

// TestAP2Agent: an intent, the cart for it, and the payment of that cart, from
// clients that speak the protocol and no others.
func TestAP2Agent(t *testing.T) {
	t.Parallel()
	r := example(t, "ap2")
	if _, err := sendPart(t, r, "", "", a2a.TextPart("red shoes")); !errors.Is(err, a2a.ErrExtensionRequired) {
		t.Errorf("without the extension: %v", err)
	}
	intent := a2a.DataPart(json.RawMessage(`{"ap2.mandates.IntentMandate":{"user_cart_confirmation_required":true,
		"natural_language_description":"red basketball shoes","intent_expiry":"2030-01-01T00:00:00Z"}}`))
	asked, err := sendPart(t, r, ap2URI, "", intent)
	if err != nil {
		t.Fatal(err)
	}
	if asked.Status.State != a2a.StateInputRequired || len(asked.Artifacts) != 1 {
		t.Fatalf("asked %s %q: %+v", asked.Status.State, says(asked), asked.Artifacts)
	}
	var cart struct {
		Mandate struct {
			Contents struct {
				PaymentRequest struct {
					Details struct{ ID string }
				} `json:"payment_request"`
			}
		} `json:"ap2.mandates.CartMandate"`
	}
	a := asked.Artifacts[0]
	if err := json.Unmarshal(a.Parts[0].Data, &cart); err != nil || !slices.Equal(a.Extensions, []string{ap2URI}) || a.Description == "" {
		t.Fatalf("the cart is %+v: %v", a, err)
	}
	order := cart.Mandate.Contents.PaymentRequest.Details.ID
	pay := func(details string) a2a.Part {
		return a2a.DataPart(json.RawMessage(`{"ap2.mandates.PaymentMandate":{"payment_mandate_contents":{"payment_mandate_id":"p1",
			"payment_details_id":"` + details + `","payment_details_total":{"label":"Total","amount":{"currency":"USD","value":89.5}},
			"payment_response":{"request_id":"` + details + `","method_name":"CARD"},"merchant_agent":"shoes","timestamp":"2026-01-15T12:00:00Z"}}}`))
	}
	paid, err := sendPart(t, r, ap2URI, asked.ID, pay(order))
	if err != nil {
		t.Fatal(err)
	}
	m := paid.Status.Message
	if paid.Status.State != a2a.StateCompleted || m == nil || string(m.Metadata["order"]) != `"order-1"` || !slices.Equal(m.Extensions, []string{ap2URI}) {
		t.Errorf("paid: %s %+v", paid.Status.State, m)
	}
	asked, err = sendPart(t, r, ap2URI, "", intent)
	if err != nil {
		t.Fatal(err)
	}
	if paid, err = sendPart(t, r, ap2URI, asked.ID, pay("order-2")); err != nil || paid.Status.State != a2a.StateFailed {
		t.Errorf("the payment of another order: %+v, %v", paid, err)
	}
}
