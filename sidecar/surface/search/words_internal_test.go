package search

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSplit(t *testing.T) {
	for s, want := range map[string]string{
		"get_issue":        "get issue",
		"files.read-all":   "files read all",
		"getUserByID":      "get user by id +getuserbyid",
		"HTTPServer":       "http server +httpserver",
		"GitHub":           "git hub +github",
		"s3.put2":          "s 3 +s3 put 2 +put2",
		"Änderung der ÖBB": "änderung der öbb",
		"天気x":              "天 気 x",
		"don't":            "don t",
		"a\xffb":           "a b",
		"":                 "",
	} {
		var got []string
		for _, w := range split(nil, s) {
			if w.whole {
				w.text = "+" + w.text
			}
			got = append(got, w.text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

// TestStem: the forms of a word are one, and different words are not.
func TestStem(t *testing.T) {
	for _, same := range []string{
		"create creates created creating creation", "list lists listed listing", "notify notifies notified notification notifications",
		"delete deletes deleted deletion", "query queries queried querying", "branch branches", "share shares shared sharing", "run runs running",
		"schedule schedules scheduling scheduled", "address addresses", "file files", "issue issues", "verify verification",
	} {
		forms := strings.Fields(same)
		for _, w := range forms[1:] {
			if stem(w) != stem(forms[0]) {
				t.Errorf("%s is %s, and %s is %s", w, stem(w), forms[0], stem(forms[0]))
			}
		}
	}
	different := strings.Fields("string feed need ping status news bus process access king sing embed dns tls as sms action act")
	for i, w := range different {
		for _, other := range different[:i] {
			if stem(w) == stem(other) && w != "act" {
				t.Errorf("%s and %s are both %s", w, other, stem(w))
			}
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"calendar", "calender", 1}, {"shedule", "schedule", 1}, {"mial", "mail", 1}, {"invoice", "invoice", 0}, {"kitten", "sitting", 3}, {"ab", "abcd", 2}} {
		if got := distance(c.a, c.b, 3); got != c.want {
			t.Errorf("%s and %s are %d apart, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestSynonyms(t *testing.T) {
	for line := range strings.Lines(synonymLists) {
		seen := map[string]bool{}
		for w := range strings.FieldsSeq(line) {
			if words := split(nil, w); len(words) > 1 && !words[len(words)-1].whole || seen[stem(w)] {
				t.Errorf("%q is not one word, or its stem is twice in one line", w)
			}
			seen[stem(w)] = true
		}
	}
	if got := synonyms(stem("removing")); !slices.Contains(got, stem("deletion")) || slices.Contains(got, stem("remove")) {
		t.Errorf("the synonyms of removing are %q", got)
	}
}

func FuzzSearch(f *testing.F) {
	f.Add("getIssue 天気 s3", "mail.send_message", "Sends an email.")
	f.Add("\xff..", "..", "\x00")
	f.Fuzz(func(t *testing.T, query, name, description string) {
		ix := New([]Doc{{Name: name, Native: query, Description: description, Arguments: []string{description}}, {Name: "other.tool", Description: "other"}})
		hits := ix.Search(query, 5)
		if strings.TrimSpace(query) != "" && len(query) < MaxQuery && utf8.ValidString(query) && !slices.ContainsFunc(hits, func(h Hit) bool { return h.Name == name }) {
			t.Errorf("%q does not find the tool of that native name: %v", query, hits)
		}
	})
}
