package search_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/surface/search"
)

// names returns the names of what a search finds.
func names(ix *search.Index, query string, limit int) (found []string) {
	for _, h := range ix.Search(query, limit) {
		found = append(found, h.Name)
	}
	return found
}

func office() *search.Index {
	return search.New([]search.Doc{
		{Name: "mail.send_message", Description: "Sends an email to one or more recipients."},
		{Name: "mail.list_folders", Description: "Lists the folders of a mailbox."},
		{Name: "calendar.create_event", Description: "Creates an event with a title, a time and guests.", Arguments: []string{"title", "startTime", "attendees"}},
		{Name: "repo.get_issue", Native: "getIssue", Description: "Returns one issue with its comments."},
		{Name: "repo.createPullRequest", Description: "Opens a pull request on GitHub."},
		{Name: "store.s3_put", Description: "Stores an object."},
		{Name: "hooks.add_webhook", Description: "Registers an address that is called."},
		{Name: "grüße.senden", Description: "Verschickt Grüße an Änderungswillige."},
		{Name: "lang.jp", Description: "天気予報を表示します"},
	})
}

func TestSearchFinds(t *testing.T) {
	ix := office()
	for query, want := range map[string]string{
		"send mail":           "mail.send_message",
		"sending e-mails":     "mail.send_message",
		"attendees":           "calendar.create_event",
		"calend":              "calendar.create_event", // half a word
		"calender":            "calendar.create_event", // a typing error
		"github pull request": "repo.createPullRequest",
		"git hub":             "repo.createPullRequest",
		"create pull":         "repo.createPullRequest",
		"S3":                  "store.s3_put",
		"web hook":            "hooks.add_webhook",
		"pullrequest":         "repo.createPullRequest",
		"getIssue":            "repo.get_issue", // the native name
		"REPO GET-ISSUE":      "repo.get_issue",
		"GRÜSSE grüße":        "grüße.senden",
		"ÄNDERUNGSWILLIGE":    "grüße.senden",
		"天気":                  "lang.jp",
		"how do I list the folders of my mailbox, please?": "mail.list_folders",
	} {
		if got := names(ix, query, 3); len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %q, want %s first", query, got, want)
		}
	}
	for _, query := range []string{"", " \t", "?!", "zzzzzz", "\xff\xfe"} {
		if got := names(ix, query, 3); got != nil {
			t.Errorf("%q finds %q", query, got)
		}
	}
}

// TestExactNameIsFirst: the name wins against tools that have all its words more often.
func TestExactNameIsFirst(t *testing.T) {
	docs := []search.Doc{{Name: "a.get", Description: "x"}, {Name: "b.other", Native: "printEnv", Description: "y"}, {Name: "c.a_get", Description: "z"}}
	for i := range 50 {
		docs = append(docs, search.Doc{Name: fmt.Sprintf("a.get_get_%d", i), Description: "get a get a print env env printenv"})
	}
	ix := search.New(docs)
	for query, want := range map[string]string{"a.get": "a.get", " A.Get ": "a.get", "printenv": "b.other", "a_get": "a.get"} {
		if got := names(ix, query, 2); len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %q, want %s first", query, got, want)
		}
	}
}

func TestOrderIsDeterministic(t *testing.T) {
	var docs []search.Doc
	for i := range 300 {
		docs = append(docs, search.Doc{Name: fmt.Sprintf("x%c.same", 'a'+rune(i%26)), Description: "the same"})
	}
	first := names(search.New(docs), "same", 50)
	if !slices.IsSorted(first) || len(first) != 50 || first[0] != "xa.same" {
		t.Errorf("ties are not in the order of names: %q", first)
	}
	slices.Reverse(docs)
	if got := names(search.New(docs), "same", 50); !slices.Equal(got, first) {
		t.Errorf("the order of the list counts: %q", got)
	}
	all := search.New(docs).Search("same", 0)
	if len(all) != search.DefaultLimit {
		t.Errorf("%d hits without a limit", len(all))
	}
	if n := len(search.New(docs).Search("same", 1<<30)); n != search.MaxLimit {
		t.Errorf("%d hits with a limit too large", n)
	}
}

// TestQueryIsBounded: what exceeds the limits does not count, and what is hostile ends soon.
func TestQueryIsBounded(t *testing.T) {
	ix := office()
	if got := names(ix, strings.Repeat(" ", search.MaxQuery)+"webhook", 1); got != nil {
		t.Errorf("what is after the limit finds %q", got)
	}
	var many strings.Builder
	for i := range search.MaxWords {
		fmt.Fprintf(&many, "q%c%c ", 'a'+rune(i), 'k'+rune(i%3))
	}
	if got := names(ix, many.String()+"webhook", 1); got != nil {
		t.Errorf("the word after MaxWords finds %q", got)
	}
	for _, query := range []string{strings.Repeat("a", 1<<20), strings.Repeat("aB9", 1<<18), strings.Repeat("天", 1<<18), strings.Repeat("mail ", 1<<18)} {
		ix.Search(query, 5)
	}
	long := search.New([]search.Doc{{Name: strings.Repeat("long", 1<<18), Description: strings.Repeat("word ", 1<<18) + "behind", Arguments: slices.Repeat([]string{"many"}, 1<<16)}, {}})
	if names(long, "word", 1) == nil || names(long, "behind", 1) != nil {
		t.Error("a long description is not indexed to its limit")
	}
	if search.New(nil).Search("x", 1) == nil {
		t.Error("no hits are nil") // an empty list, not null, in JSON
	}
}

// TestSearchesAreIndependent: searches at once do not disturb each other. Run it with -race.
func TestSearchesAreIndependent(t *testing.T) {
	ix := office()
	queries := []string{"send mail", "create event", "issue", "webhook list", "s3"}
	want := make([][]search.Hit, len(queries))
	for i, q := range queries {
		want[i] = ix.Search(q, 5)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for round := range 100 {
				i := round % len(queries)
				if got := ix.Search(queries[i], 5); !slices.Equal(got, want[i]) {
					t.Errorf("%q finds %v, want %v", queries[i], got, want[i])
				}
			}
		})
	}
	wg.Wait()
}
