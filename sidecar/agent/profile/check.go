package profile

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// check finds the faults of a profile whose fields all have the right type, and sets what
// was not given. root is the tree of the file that faults have their places in.
func (d *decoder) check(root *jsontree.Node, p *Profile, hooks []string) {
	d.oneOf(root, "/hook", p.Hook, append([]string{""}, hooks...)...)
	if p.Busy == "" {
		p.Busy = BusyRefuse
	}
	d.oneOf(root, "/busy", p.Busy, BusyQueue, BusyRefuse)
	d.shown(root, "/name", p.Name)
	d.shown(root, "/about", p.About)
	for i, what := range p.Unsure {
		d.shown(root, "/unsure/"+strconv.Itoa(i), what)
	}
	if p.Name != "" && strings.ContainsAny(p.Name, "/ \t\n") {
		d.at(root, "/name", "a name has no slash and no blank", "give one like myagent")
	}
	for char := range p.CommandEscapes {
		if len([]rune(char)) != 1 || !strings.Contains(p.CommandChars, char) {
			d.at(root, jsontree.Child("/commandEscapes", char), quote(char)+" is not one of commandChars", "give it there, too")
		}
	}
	d.checkStart(root, &p.Start)
	d.checkSubmit(root, &p.Submit)
	d.checkPrompt(root, p)
	d.checkKeys(root, p)
	d.checkAnswer(root, &p.Answer)
	d.checkTiming(root, &p.Timing)
	d.checkTests(root, p.Tests)
	rules := map[string]bool{}
	for i := range p.Dialogs {
		at := "/dialogs/" + strconv.Itoa(i)
		d.checkRule(root, at, p.Dialogs[i].Rule, rules)
		d.checkLook(root, at, &p.Dialogs[i].Look, true)
		d.oneOf(root, at+"/kind", p.Dialogs[i].Kind, "", KindAuth)
		d.shown(root, at+"/hint", p.Dialogs[i].Hint)
	}
	for i := range p.Asks {
		at := "/questions/" + strconv.Itoa(i)
		d.checkRule(root, at, p.Asks[i].Rule, rules)
		d.checkAsk(root, at, &p.Asks[i])
	}
	for i := range p.Signs {
		at := "/signs/" + strconv.Itoa(i)
		d.checkRule(root, at, p.Signs[i].Rule, rules)
		d.checkLook(root, at, &p.Signs[i].Look, true)
		d.oneOf(root, at+"/state", string(p.Signs[i].State), string(Starting), string(Ready), string(Working), string(Asking), string(Dialogue))
		d.oneOf(root, at+"/kind", p.Signs[i].Kind, "", KindPermission, KindQuestion, KindAuth)
	}
}

// at adds a fault at a pointer, or at the nearest place above it that exists.
func (d *decoder) at(root *jsontree.Node, pointer, message, hint string) {
	first, rest, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	if root.Get(first) == nil && root.Get(first+"+") != nil {
		pointer = "/" + first + "+/" + rest // what is added comes first
	}
	d.fault(root.Closest(pointer), pointer, message, hint)
}

func (d *decoder) oneOf(root *jsontree.Node, pointer, value string, allowed ...string) {
	if slices.Contains(allowed, value) {
		return
	}
	names := slices.DeleteFunc(slices.Clone(allowed), func(s string) bool { return s == "" })
	what := quote(value) + " is not known here"
	if value == "" {
		what = "this is missing"
	}
	d.at(root, pointer, what, "give one of "+strings.Join(names, ", "))
}

// shown refuses a text for people that holds a character which a terminal would obey
// or hide.
func (d *decoder) shown(root *jsontree.Node, pointer, value string) {
	for _, r := range value {
		if !text.Safe(r) {
			d.at(root, pointer, fmt.Sprintf("the text has %q, which a terminal would obey or hide", string(r)), "leave it out")
			return
		}
	}
}

func (d *decoder) checkRule(root *jsontree.Node, at, rule string, seen map[string]bool) {
	d.shown(root, at+"/rule", rule)
	switch {
	case rule == "":
		d.at(root, at+"/rule", "the rule has no name", `give "rule": what it looks at, in a few words`)
	case seen[rule]:
		d.at(root, at+"/rule", "another rule is called "+quote(rule), "give each its own name")
	}
	seen[rule] = true
}

func (d *decoder) checkLook(root *jsontree.Node, at string, l *Look, needed bool) {
	if l.Rows > rowsMax {
		d.at(root, at+"/rows", fmt.Sprintf("%d rows are too many", l.Rows), fmt.Sprintf("look at %d at most", rowsMax))
	}
	nothing := l.Title == nil && len(l.All) == 0 && len(l.None) == 0 && l.Cursor == nil &&
		l.Alternate == nil && l.BracketedPaste == nil && l.CursorShown == nil && l.Prompt == nil
	if needed && nothing {
		d.at(root, at, "the rule looks at nothing", "give title, all, none, cursor, alternate, bracketedPaste, cursorShown or prompt")
	}
}

func (d *decoder) checkAsk(root *jsontree.Node, at string, a *Ask) {
	d.checkLook(root, at, &a.Look, false)
	d.oneOf(root, at+"/kind", a.Kind, KindPermission, KindQuestion)
	if a.Prompt != nil {
		d.at(root, at+"/prompt", "a question cannot look at the prompt", "leave it out")
	}
	d.keys(root, at+"/cancel", a.Cancel)
	if len(a.Fixed) > 0 {
		d.checkFixed(root, at, a)
		return
	}
	d.oneOf(root, at+"/choose", a.Choose, ChooseNumber, ChooseArrows)
	switch {
	case a.Option.re == nil:
		d.at(root, at+"/option", "this is missing", `give a pattern of an option's row, with the groups (?P<marker>…) and (?P<label>…)`)
	case a.Option.re.SubexpIndex("label") < 0:
		d.at(root, at+"/option", "the pattern has no group label", `name one: (?P<label>.+)`)
	case a.Choose == ChooseArrows && !a.Columns && a.Option.re.SubexpIndex("marker") < 0:
		d.at(root, at+"/option", "the pattern has no group marker, which arrows go out from", `name one: (?P<marker>❯?)`)
	case !a.Columns && a.Option.re.SubexpIndex("marker") < 0 && len(a.All) == 0:
		d.at(root, at+"/option", "the pattern has no group marker, and nothing else tells a question from a list", `name one: (?P<marker>❯?), or give "all"`)
	}
	if a.Columns && len(a.Options) == 0 {
		d.at(root, at+"/options", "options in columns are known by their labels only", "list them")
	}
	if a.Strip.ungrouped() {
		d.at(root, at+"/strip", "the pattern has no group", "put ( ) around what is inside of the frame")
	}
	for i := range a.Options {
		o, at := &a.Options[i], at+"/options/"+strconv.Itoa(i)
		d.oneOf(root, at+"/kind", o.Kind, AllowOnce, AllowAlways, RejectOnce, RejectAlways, Other)
		d.keys(root, at+"/keys", o.Keys)
		if o.Match.re == nil {
			d.at(root, at+"/match", "this is missing", "give a pattern of the label")
		}
	}
}

func (d *decoder) checkFixed(root *jsontree.Node, at string, a *Ask) {
	if a.Cursor == nil {
		d.at(root, at+"/cursor", "this is missing: fixed options need a question before the cursor", "give a pattern of the cursor's row, up to the cursor")
	}
	for i, o := range a.Fixed {
		at := at + "/fixed/" + strconv.Itoa(i)
		d.oneOf(root, at+"/kind", o.Kind, AllowOnce, AllowAlways, RejectOnce, RejectAlways, Other)
		d.keys(root, at+"/keys", o.Keys)
		d.shown(root, at+"/label", o.Label)
		if name := a.Cursor.unknown(o.Keys); name != "" {
			d.at(root, at+"/keys", "the cursor's pattern has no group "+quote(name), fmt.Sprintf("name one: (?P<%s>…)", text.Shorten(name, quoteMax)))
		}
		if o.Label == "" || len(o.Keys) == 0 {
			d.at(root, at, "an option needs a label and keys", `give "label" and "keys"`)
		}
	}
}

func (d *decoder) checkStart(root *jsontree.Node, s *Start) {
	for name := range s.Env {
		if name == "" || strings.ContainsAny(name, "= \x00") {
			d.at(root, jsontree.Child("/start/env", name), quote(name)+" is no name of a variable", "give a name without = and blanks")
		}
	}
	for i, f := range s.Flags {
		if len(f.Add) == 0 {
			d.at(root, "/start/flags/"+strconv.Itoa(i), "there is nothing to add", `give "add": ["--flag"]`)
		}
	}
	for i, u := range s.Untypable {
		at := "/start/untypable/" + strconv.Itoa(i)
		d.shown(root, at+"/hint", u.Hint)
		if u.Hint == "" || len(u.Flags)+len(u.Env) == 0 {
			d.at(root, at, "it needs a hint, and flags or variables", `give "hint", and "flags" or "env"`)
		}
	}
}

// checkTiming refuses a timing of nothing: without a hold a rule would believe the
// first screen, and without a limit or a try it would give up at once.
func (d *decoder) checkTiming(root *jsontree.Node, t *Timing) {
	for _, f := range fieldsOf(reflect.TypeFor[Timing]()) {
		if name := f.Tag.Get("json"); reflect.ValueOf(t).Elem().FieldByIndex(f.Index).IsZero() {
			d.at(root, "/timing/"+name, "0 is out of bounds", "give at least 1, or leave it out")
		}
	}
}

func (d *decoder) checkSubmit(root *jsontree.Node, s *Submit) {
	if s.SettleMS == 0 {
		s.SettleMS = 200
	}
	for name, n := range map[string]int{"pieceRows": s.PieceRows, "pieceBytes": s.PieceBytes} {
		if n < 0 || name == "pieceBytes" && n > 0 && n < 64 {
			d.at(root, "/submit/"+name, fmt.Sprintf("%d is out of bounds", n), "give at least 64 bytes, at least one row, or leave it out")
		}
	}
	if s.SettleMS < 100 || s.SettleMS > 2000 {
		d.at(root, "/submit/settleMs", fmt.Sprintf("%d ms is out of bounds", s.SettleMS), "give 100 to 2000")
	}
	if s.Enter == "" {
		s.Enter = "\r"
	}
}

func (d *decoder) checkPrompt(root *jsontree.Node, p *Profile) {
	b := &p.Prompt
	if b.Rows > rowsMax {
		d.at(root, "/prompt/rows", fmt.Sprintf("%d rows are too many", b.Rows), fmt.Sprintf("look at %d at most", rowsMax))
	}
	if b.Up > rowsMax || b.Up > 0 && b.Cursor {
		d.at(root, "/prompt/up", fmt.Sprintf("%d is out of bounds, or beside cursor", b.Up), fmt.Sprintf("give %d at most, and no cursor", rowsMax))
	}
	if b.Row.ungrouped() {
		d.at(root, "/prompt/row", "the pattern has no group", "put ( ) around what was typed")
	}
	if b.Next.ungrouped() {
		d.at(root, "/prompt/next", "the pattern has no group", "put ( ) around what was typed")
	}
	if b.Row == nil && p.TUI {
		d.at(root, "/prompt/row", "an agent that draws its screen needs a pattern of its input", "give one, with ( ) around what is typed")
	}
}

func (d *decoder) checkKeys(root *jsontree.Node, p *Profile) {
	d.keys(root, "/interrupt", p.Interrupt)
	d.keys(root, "/clear", p.Clear)
	d.keys(root, "/quit", p.Quit)
}

// keysMax bounds how many writes one action may take.
const keysMax = 16

func (d *decoder) keys(root *jsontree.Node, at string, keys []string) {
	if len(keys) > keysMax {
		d.at(root, at, fmt.Sprintf("%d writes are too many", len(keys)), fmt.Sprintf("keep it to %d", keysMax))
	}
	for i, k := range keys {
		if k == "" {
			d.at(root, at+"/"+strconv.Itoa(i), "this key is empty", `give what it sends, as "\u001b" for Esc`)
		}
	}
}
