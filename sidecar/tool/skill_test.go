package tool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// shelf has skills by name; it finds all names that contain the word.
type shelf map[string]tool.Skill

func (s shelf) Load(name string) *tool.Skill {
	if one, ok := s[name]; ok {
		one.Name = name
		return &one
	}
	return nil
}

func (s shelf) Find(word string, limit int) (found []string) {
	for name := range s {
		if strings.Contains(name, word) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found[:min(len(found), limit)]
}

// broken refuses what is written to it.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("nobody listens") }

func skillTool(t *testing.T) *tool.Tool {
	t.Helper()
	set, err := tool.NewSet([]string{tool.SkillID})
	if err != nil {
		t.Fatal(err)
	}
	return set.Lookup(tool.Prefix + tool.SkillID)
}

func TestSkill(t *testing.T) {
	var eleven []string
	all := shelf{
		"pdf": {Body: "Read it.\n", Dir: "/s/pdf"}, "empty": {Dir: "/s/empty"}, "crlf": {Body: "a\r\nb\r\n", Dir: "/s/crlf"},
		"word": {Body: "x", Dir: "/s/word", Files: []string{"a b.md", "ref/ü.md"}, More: true},
		"odd":  {Body: "x", Dir: "/s/odd", Files: []string{"a\nb", "\x1b[31m"}},
		"kit":  {Body: "x", Dir: "/s/kit", Tools: []string{"kit.one", "kit.two"}},
		"big":  {Body: strings.Repeat("ü", 60_000), Dir: "/s/big"},
		"a-1":  {Dir: "/"}, "a-2": {Dir: "/"},
	}
	for i := range 11 {
		name := fmt.Sprintf("many-%02d", i)
		all[name] = tool.Skill{Dir: "/"}
		eleven = append(eleven, name)
	}
	for _, c := range []struct {
		title, name string
		skills      tool.Skills
		want        string // the text, or the error after "error: "
	}{
		{"text", "pdf", all, "Skill pdf. Its folder is /s/pdf\n\nRead it.\n"},
		{"no text", "empty", all, "Skill empty. Its folder is /s/empty\n\n"},
		{"CRLF stays", "crlf", all, "Skill crlf. Its folder is /s/crlf\n\na\r\nb\r\n"},
		{"files", "word", all, "Skill word. Its folder is /s/word\nFiles in it, relative to that folder:\n- a b.md\n- ref/ü.md\n- and more\n\nx"},
		{"file names that are no text", "odd", all, "Skill odd. Its folder is /s/odd\nFiles in it, relative to that folder:\n- a\\x0ab\n- \\x1b[31m\n\nx"},
		{"tools", "kit", all, "Skill kit. Its folder is /s/kit\nWhile it is loaded, you also have these tools: kit.one, kit.two\n\nx"},
		{"long", "big", all, "Skill big. Its folder is /s/big\n\n" + strings.Repeat("ü", 60_000)},
		{"none is like it", "spreadsheet", all, `error: there is no skill "spreadsheet", and none is like it: go on without one, or try another word`},
		{"one is like it", "pd", all, `error: there is no skill "pd"; did you mean "pdf"?`},
		{"several are like it", "a-", all, `error: there is no skill "a-"; these are like it: a-1, a-2`},
		{"no more than ten", "many", all, `error: there is no skill "many"; these are like it: ` + strings.Join(eleven[:10], ", ")},
		{"a path", "../pdf", all, `error: there is no skill "../pdf", and none is like it: go on without one, or try another word`},
		{"control characters", "\x1b[31m\n", all, `error: there is no skill "\x1b[31m\n", and none is like it: go on without one, or try another word`},
		{"no skills", "pdf", shelf{}, `error: there is no skill "pdf", and none is like it: go on without one, or try another word`},
		{"nothing that has skills", "pdf", nil, "error: there are no skills here: go on without one"},
	} {
		var out bytes.Buffer
		args, _ := json.Marshal(map[string]string{"name": c.name})
		session := tool.NewSessions(1).Of("", "c")
		_, err := skillTool(t).Run(t.Context(), &tool.Call{Args: args, Out: &out, Session: session, Skills: c.skills})
		got := out.String()
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %.300q, want %.300q", c.title, got, c.want)
		}
		if loaded := len(session.Skills()) == 1; loaded != (err == nil) {
			t.Errorf("%s: loaded %v", c.title, session.Skills())
		}
	}
	if _, err := skillTool(t).Run(t.Context(), &tool.Call{Args: json.RawMessage(`{"name":"pdf"}`), Out: broken{}, Session: tool.NewSessions(1).Of("", "c"), Skills: all}); err == nil || err.Error() != "nobody listens" {
		t.Errorf("nobody listens: %v", err)
	}
}

// What else a call of it may have is refused before it runs.
func TestSkillsArguments(t *testing.T) {
	for args, want := range map[string]bool{
		`{"name":"pdf"}`: true, `{}`: false, `{"name":""}`: false, `{"name":1}`: false, `{"name":"pdf","arguments":"x"}`: false, `[]`: false,
		`{"name":"` + strings.Repeat("a", tool.MaxSkillName) + `"}`: true, `{"name":"` + strings.Repeat("a", tool.MaxSkillName+1) + `"}`: false,
	} {
		set, err := tool.NewSet([]string{tool.SkillID})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := set.Snapshot().Validate(context.Background(), "core.skill", json.RawMessage(args)); (err == nil) != want {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// A session knows what was loaded in it, tells of it once, and forgets it at its end.
func TestSkillsOfASession(t *testing.T) {
	told := 0
	sessions := tool.NewSessions(10)
	sessions.Changed = func() { told++ }
	s := sessions.Of("ann", "one")
	s.LoadSkill("a")
	s.LoadSkill("b")
	s.LoadSkill("a")
	if got := strings.Join(s.Skills(), " "); got != "a b" || told != 2 {
		t.Errorf("%s, told %d times", got, told)
	}
	if sessions.Find("ann", "one") != s || sessions.Find("ann", "two") != nil {
		t.Error("a session is not found, or one that nobody made is")
	}
	sessions.End("one")
	if got := sessions.Of("ann", "one").Skills(); len(got) > 0 || told != 3 {
		t.Errorf("after the end: %v, told %d times", got, told)
	}
	for i := range 40 {
		sessions.Of("ann", "two").LoadSkill(fmt.Sprint(i))
	}
	if got := sessions.Of("ann", "two").Skills(); len(got) != 32 || got[0] != "8" {
		t.Errorf("%d are loaded: %v", len(got), got)
	}
	sessions.EndAll()
	if sessions.Find("ann", "two") != nil {
		t.Error("a session outlives the end of all")
	}
}
