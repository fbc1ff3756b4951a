package option_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/option"
)

// drawn returns the screen after these rows, whose last has the cursor.
func drawn(rows ...string) term.Snapshot {
	s := term.New(term.Options{Cols: 60, Rows: 16})
	_, _ = s.Write([]byte(strings.Join(rows, "\r\n"))) // never fails
	return s.Snapshot()
}

const unseen = "\x1b[?25l" // hides the cursor

// TestNothingIsAsked holds that rows that look like options are text if they do not stand at the
// place where a program asks.
func TestNothingIsAsked(t *testing.T) {
	for about, rows := range map[string][]string{
		"an empty screen":                   {""},
		"a list, then a prompt":             {"You can:", "1. go", "2. stay", "> "},
		"a list, then a shell's prompt":     {"1) red", "2) green", "$ "},
		"a list, then a REPL's prompt":      {"1. red", "2. green", "", ">>> "},
		"a list, then a chat's prompt":      {"1. red", "2. green", "", "you> "},
		"a list, then a name":               {"1. red", "2. green", "", "You: "},
		"a list and no prompt":              {"Which?", "1. red", "2. green"},
		"a list that was answered":          {"1) red", "2) green", "#? 2", "picked green", "$ "},
		"a list with a gap":                 {"1) red", "3) blue", "#? "},
		"a list further up":                 {"1) red", "2) green", "no such thing", "really", "#? "},
		"letters that were answered":        {"Proceed? [y/n/t] t"},
		"letters further up":                {"Proceed? [y/n/t] ", "got t", "$ "},
		"letters in a text":                 {"use (a/b) for it "},
		"words of a text":                   {"input (stdin/stdout) "},
		"a path":                            {"cd /usr/local/bin"},
		"a list of words":                   {"It takes (one, two, three): "},
		"a usage":                           {"usage: x [file] [dir] "},
		"a markdown list without a cursor":  {unseen + "Here is what I did:", "", "* one", "* two", "* three"},
		"a block of an agent":               {unseen + "● Here is the plan:", "  first", "  second"},
		"a list above an input":             {unseen + "Which one?", "❯ 1. red", "  2. green", "", "╭──────────────╮", "│ > type here  │", "╰──────────────╯"},
		"lines of an input":                 {unseen + "? ", "──────────────", "❯ one", "  two", "──────────────", "enter to send"},
		"a text of several lines":           {"Which one?", "", "› 1. red", "  2. green", "", "enter to submit · esc to cancel\x1b[2A\x1b[11G"},
		"words that complete what is typed": {unseen + "> /re", "\x1b[7m  /resume\x1b[0m", "  /reset"},
		"a menu that has scrolled up":       {unseen + "? Which?", "❯ red", "  green", "↑↓ navigate", "got red", "working on it", "more"},
		"a menu with text after it":         {unseen + "? Which?", "❯ red", "  green", "↑↓ navigate", "got red"},
		"rows in the shell, with a marker":  {"$ git branch", "* main", "  other", "$ "},
		"a coloured row of a listing":       {"$ ls", "\x1b[34mdir\x1b[0m", "file", "other", "$ "},
		"a list of things to do":            {unseen + "Todo:", "☐ one", "☐ two", "✻ Working (esc to interrupt)"},
		"a box with a text":                 {"┌────────────────┐", "│ done           │", "└────────────────┘", "$ "},
		"a table":                           {"| a | b |", "| 1 | 2 |", "$ "},
		"tags":                              {"<b> <i>", "$ "},
		"two words far apart":               {unseen + "left      right"},
		"a markdown list with a prompt":     {"Which of these do you mean?", "- one", "- two", "> "},
		"a numbered plan":                   {unseen + "● Here is the plan:", "  1. read it", "  2. change it", "", "esc to interrupt"},
		"a markdown table":                  {"| option | meaning |", "|--------|---------|", "| y      | yes     |", "| n      | no      |", "$ "},
		"a table with borders":              {unseen + "+----+-------+", "| id | name  |", "+----+-------+", "|  1 | red   |", "|  2 | green |", "+----+-------+", "2 rows in set"},
		"the help of git":                   {"usage: git [-v | --version] [-h | --help] [-C <path>]", "           <command> [<args>]", "", "start a working area", "   clone     Clone a repository", "   init      Create an empty one", "$ "},
		"the help of apt":                   {"Usage: apt [options] command", "  list - list packages", "  search - search in descriptions", "  show - show details", "$ "},
		"the help of npm":                   {"npm install [<package-spec> ...]", "", "Options:", "[-S|--save|--no-save|--save-prod] [-E|--save-exact]", "[-g|--global] [--install-strategy <hoisted|nested>]", "$ "},
		"usage without a prompt":            {unseen + "usage: x [y|n] [file]"},
		"code with brackets":                {"if a[i] > b[j] {", "	c := map[string]bool{\"y\": true}", "}", "$ "},
		"a call at the cursor":              {"f(a, b)"},
		"a diff":                            {"@@ -1,2 +1,2 @@", "-red", "+green", " blue", "$ "},
		"a diff without a cursor":           {unseen + "Which changes?", "- red", "+ green", "  blue", "esc to interrupt"},
		"log lines":                         {"[1] starting", "[2] listening on :80", "[3] ready", ""},
		"log lines with times":              {"12:00:01 INFO start", "12:00:02 INFO ready", "12:00:03 WARN slow: "},
		"ls in columns":                     {"bin   etc   lib   usr", "boot  home  proc  var", "$ "},
		"coloured ls in columns":            {"\x1b[34mbin\x1b[m   \x1b[32metc\x1b[m", "\x1b[34mlib\x1b[m   usr", "$ "},
		"a default in brackets":             {"package name: (work) "},
		"a default like keys":               {"? Your name? (josh) "},
		"a page count":                      {"page (1/2) "},
		"a version in brackets":             {"version [1-4] "},
		"a range too long":                  {"Enter a number [1-100]: "},
		"keys of a program that asks not":   {unseen + "files", "a.txt", "b.txt", "q: quit  h: help  d: delete"},
		"keys that answer no question":      {unseen + "It was saved.", "y: yes  n: no"},
		"a list of keys in a manual":        {"  y  yes", "  n  no", "$ "},
		"a progress bar":                    {unseen + "Which?", "[#####     ] 50%", "[##        ] 20%", "esc to cancel"},
		"spinners":                          {unseen + "Which files?", "⠋ a.txt", "✔ b.txt", "✔ c.txt", "ctrl+c to stop"},
		"an echo and what follows":          {unseen + "❯ Which files are there, and", "  what do they hold?", "", "● Two.", "", "esc to interrupt"},
		"a tree":                            {unseen + "Which?", ".", "├── a", "│   └── b", "└── c"},
		"a question that was printed":       {"Go on? [y/N]", ""},
		"initials":                          {"A. Smith", "C. Jones", "Which author? "},
		"a choice of an agent in its text":  {unseen + "● Shall I (a) go on or (b) stop?", "", "────────────────────", "> ", "────────────────────", "esc to interrupt"},
		"a box with an input":               {unseen + "╭────────────────╮", "│ > type here    │", "│   more text    │", "╰────────────────╯", "enter to send"},
		"a heading in the other colours":    {unseen + "\x1b[7m PID  USER \x1b[0m", " 1  root", " 2  root"},
	} {
		if set, ok := option.Read(drawn(rows...)); ok {
			t.Errorf("%s: %+v", about, set)
		}
	}
}

// TestOptions reads options that many programs draw alike.
func TestOptions(t *testing.T) {
	for about, c := range map[string]struct {
		rows   []string
		labels string
		marked int
	}{
		"a list with brackets":        {[]string{"[1] red", "[2] green", "Your choice: "}, "red green", -1},
		"a list with colons":          {[]string{"Pick one", "1: red", "2: green", "", "Enter a number [1-2]: "}, "red green", -1},
		"a list that ends in 0":       {[]string{"1) red", "2) green", "0) leave", "Select: "}, "red green leave", -1},
		"a question below":            {[]string{"1. small", "2. large", "Which size? "}, "small large", -1},
		"letters":                     {[]string{"Do it? (y/n/a/q) "}, "y n a q", -1},
		"letters with commas":         {[]string{"Stage this [y,n,q,?]? "}, "y n q ?", -1},
		"no brackets":                 {[]string{"Go on y/n? "}, "y n", -1},
		"words":                       {[]string{"sure (yes/no/[fingerprint])? "}, "yes no", -1},
		"words with keys":             {[]string{"Conflict: (k)eep, (r)eplace, (s)kip? "}, "keep replace skip", -1},
		"a bar that is reversed":      {[]string{unseen + "Which colour?", "  red  ", "\x1b[7m  green\x1b[0m", "  blue"}, "red green blue", 1},
		"two buttons":                 {[]string{unseen + "Go on?", "", "  \x1b[7m Yes \x1b[0m    No "}, "Yes No", 0},
		"buttons in brackets":         {[]string{unseen + "Go on?", "", "  [ OK ]  \x1b[7m[ Cancel ]\x1b[0m"}, "OK Cancel", 1},
		"check boxes":                 {[]string{unseen + "Which?", "> [x] red", "  [ ] green", "space to toggle, enter to confirm"}, "red green", 0},
		"check boxes without colours": {[]string{unseen + "Which?", "◻ red", "◻ green", "Space: select • Enter: confirm"}, "red green", -1},
		"a list in a box that has the cursor": {[]string{"╭─────────────╮", "│ Remove it?  │", "│             │", "│ ❯ 1. Yes    │", "│   2. No     │",
			"╰─────────────╯", "  enter to confirm · esc to cancel\x1b[2A\x1b[10G"}, "Yes No", 0},
		"a pointer that has the cursor": {[]string{" Remove it?", "   Yes", " › No", " ↑/↓ to move · enter to choose\x1b[A\x1b[2G"}, "Yes No", 1},
		"long buttons":                  {[]string{unseen + "Go on?", "  [ \x1b[7mYes, and do not ask again\x1b[0m ]  [ Yes ]  [ No ]", "", "←/→ enter"}, "Yes, and do not ask again Yes No", 0},
		"a status below the hints":      {[]string{unseen + "\x1b[?1049hRemove it?", "❯ Yes", "  No", "↑/↓ to move, enter to choose", "~/work  model x", "12:00:01"}, "Yes No", 0},
		"a cursor inside of the hints":  {[]string{"\x1b[?1049hDo you want to run the tool?", "❯ Allow", "  Deny", "Enter to select · Esc to cancel\x1b[3G"}, "Allow Deny", 0},
		"a status, with the cursor":     {[]string{" Remove it?", "   Yes", " › No", " ↑/↓ to move · enter to choose", " model x\x1b[2A\x1b[2G"}, "Yes No", 1},
		"y or n in brackets":            {[]string{"Go on? [Y/n] "}, "Y n", -1},
		"n or y in brackets":            {[]string{"Go on (y/N)? "}, "y N", -1},
		"yes or no":                     {[]string{"Go on? [yes/no]: "}, "yes no", -1},
		"strokes":                       {[]string{"Go on? [Y|n] "}, "Y n", -1},
		"four letters":                  {[]string{"Go on? [Y/n/q/?] "}, "Y n q ?", -1},
		"keys in words":                 {[]string{"Save it? (Y)es, (N)o, (C)ancel "}, "Yes No Cancel", -1},
		"keys in words, in a row":       {[]string{"[A]ccept [R]eject [E]dit: "}, "Accept Reject Edit", -1},
		"keys in the middle of words":   {[]string{"[o]verwrite, [s]kip, [r]ename "}, "overwrite skip rename", -1},
		"a range":                       {[]string{"Your choice [1-4]: "}, "1 2 3 4", -1},
		"a range with a question":       {[]string{"How good is it?", "Enter a number (1..3): "}, "1 2 3", -1},
		"numbers with strokes":          {[]string{"Which (1/2/3): "}, "1 2 3", -1},
		"a key to press":                {[]string{"Press y or n "}, "y n", -1},
		"one of three keys to press":    {[]string{"Press [y], [n] or [q] to go on: "}, "y n q", -1},
		"y/n at the end":                {[]string{"Overwrite? y/n: "}, "y n", -1},
		"keys of an expanding prompt":   {[]string{"? Conflict in file.js (yadH) "}, "y a d h", -1},
		"an answer that is not chosen":  {[]string{unseen + "? Go on? (y/N) ‣ false"}, "y N", -1},
		"keys below a question":         {[]string{unseen + "Save the file?", "", "y: yes  n: no  q: quit"}, "yes no quit", -1},
		"keys with dots":                {[]string{unseen + "Save the file?", "  y Yes • n No"}, "Yes No", -1},
		"rows that begin with a key":    {[]string{"Save the file?", " \x1b[7mY\x1b[m Yes", " \x1b[7mN\x1b[m No           \x1b[7m^C\x1b[m Cancel\x1b[2A\x1b[15G"}, "Yes No", -1},
		"a list with dots":              {[]string{"1. red", "2. green", "Which one? "}, "red green", -1},
		"a list in brackets":            {[]string{"(1) red", "(2) green", "Which one? "}, "red green", -1},
		"a list with dashes":            {[]string{"1 - red", "2 - green", "Which one? "}, "red green", -1},
		"a list with keycaps":           {[]string{"1️⃣  red", "2️⃣  green", "Which one? "}, "red green", -1},
		"a list with letters":           {[]string{"a) red", "b) green", "c) blue", "Which one? "}, "red green blue", -1},
		"a list with capitals and dots": {[]string{"A. red", "B. green", "Your choice: "}, "red green", -1},
		"a list of keys":                {[]string{"y) go on", "a) go on with all", "x) stop", "Your choice: "}, "go on go on with all stop", -1},
		"a list in columns":             {[]string{"Geographic area", "  1. Africa   3. Asia", "  2. America  4. Europe", "", "Area: "}, "Africa America Asia Europe", -1},
		"a list below the cursor":       {[]string{"? Which one?", "  1) red", "  2) green\x1b[2A\x1b[13G"}, "red green", -1},
		"keys below the cursor":         {[]string{"? Conflict in file.js h ", "  y) Overwrite", "  a) Overwrite all\x1b[2A\x1b[25G"}, "Overwrite Overwrite all", -1},
		"a list that goes on":           {[]string{unseen + "Which one?", "  ↑ 3 more", "  red", "❯ green", "  ↓ more", "↑↓ navigate"}, "red green", 1},
		"a list with dots at its ends":  {[]string{unseen + "Which one?", "  …", "  red", "❯ green", "  ...", "↑↓ navigate"}, "red green", 1},
		"a list with arrows in it":      {[]string{unseen + "Which one?", "❯   red", "    green", "  ↓ blue", "↑↓ navigate"}, "red green blue", 0},
		"a list with a count":           {[]string{unseen + "Which one?", "  red", "❯ green", "  blue", "(2/14)"}, "red green blue", 1},
		"a separator":                   {[]string{unseen + "Which one?", "❯ red", "  ──────", "  green", "  -- more --", "  blue", "↑↓ navigate"}, "red green blue", 0},
		"an option that is disabled":    {[]string{unseen + "Which one?", "❯ red", "- green (disabled)", "  blue", "↑↓ navigate"}, "red green (disabled) blue", 0},
		"a description below":           {[]string{unseen + "Which one?", "❯ red", "  green", "", "Red as an apple", "↑↓ navigate • ⏎ select"}, "red green", 0},
		"a table with a heading":        {[]string{unseen + "Which one?", "\x1b[1;45m name  size \x1b[m", " red   1", "\x1b[44m green 2 \x1b[m", " blue  3", "↑↓ navigate"}, "red   1 green 2 blue  3", 1},
		"descriptions that are deeper":  {[]string{unseen + "Which one?", "❯ 1. red", "     as an apple", "  2. green", "     as grass", "↑↓ navigate"}, "red green", 0},
		"descriptions that are faint":   {[]string{unseen + "Which one?", "❯ red", "  \x1b[2mas an apple\x1b[m", "  green", "  \x1b[2mas grass\x1b[m", "↑↓ navigate"}, "red green", 0},
		"descriptions and a line":       {[]string{unseen + "Colours", "", "  red", "  \x1b[2mapple\x1b[m", "", "│ green", "│ \x1b[2mgrass\x1b[m", "", "↑/k up • ↓/j down"}, "red green", 1},
		"a menu in a double box":        {[]string{unseen + "╔════════════╗", "║ Which one? ║", "║ ❯ red      ║", "║   green    ║", "╚════════════╝"}, "red green", 0},
		"a menu in an ASCII box":        {[]string{unseen + "+------------+", "| Which one? |", "| > red      |", "|   green    |", "+------------+"}, "red green", 0},
		"a box before other text":       {[]string{unseen + "text        ┌────────────┐", "more text   │ Which one? │", "of a page   │ ❯ red      │", "that goes   │   green    │", "on and on   └────────────┘", "↑↓ navigate"}, "red green", 0},
		"a scroll bar":                  {[]string{unseen + "Which one?", "❯ red     ▲", "  green   █", "  blue    ▼", "↑↓ navigate"}, "red green blue", 0},
		"»":                             {[]string{unseen + "Which one?", "  red", "» green"}, "red green", 1},
		"▸":                             {[]string{unseen + "Which one?", "  red", "▸ green"}, "red green", 1},
		"➜":                             {[]string{unseen + "Which one?", "  red", "➜ green"}, "red green", 1},
		"▶":                             {[]string{unseen + "Which one?", "  red", "▶ green"}, "red green", 1},
		"→":                             {[]string{unseen + "Which one?", "  red", "→ green", "↑↓ navigate"}, "red green", 1},
		"*":                             {[]string{unseen + "Which one?", "  red", "* green", "↑↓ navigate"}, "red green", 1},
		"->":                            {[]string{unseen + "Which one?", "   red", "-> green", "↑↓ navigate"}, "red green", 1},
		"=>":                            {[]string{unseen + "Which one?", "   red", "=> green", "↑↓ navigate"}, "red green", 1},
		"● and ○":                       {[]string{unseen + "Which one?", "○ red", "● green", "↑↓ navigate"}, "red green", 1},
		"(•) and a pointer":             {[]string{unseen + "Which one?", "> (•) red", "  ( ) green", "↑↓ navigate"}, "red green", 0},
		"bold":                          {[]string{unseen + "Which one?", "  red", "  \x1b[1mgreen\x1b[m", "  blue", "↑↓ navigate"}, "red green blue", 1},
		"coloured":                      {[]string{unseen + "Which one?", "  red", "  \x1b[36mgreen\x1b[m", "  blue", "↑↓ navigate"}, "red green blue", 1},
		"coloured buttons":              {[]string{unseen + "Go on?", "", " \x1b[45m  Yes  \x1b[m  \x1b[48;5;235m  No  \x1b[m"}, "Yes No", 0},
		"a cursor on a button":          {[]string{"Which one?", "\x1b[46mred\x1b[m  green  blue\x1b[1G"}, "red green blue", 0},
		"a hint of enquirer":            {[]string{unseen + "? Colour … (Use arrow-keys)", "❯ red", "  green"}, "red green", 0},
		"a hint in the question's row":  {[]string{unseen + "Colour - Use arrow-keys", "❯ red", "  green"}, "red green", 0},
		"a spinner below":               {[]string{unseen + "Which?", "❯ 1. red", "  2. green", "", "⠋ waiting", "esc to cancel"}, "red green", 0},
	} {
		set, ok := option.Read(drawn(c.rows...))
		var labels []string
		for _, o := range set.Options {
			labels = append(labels, o.Label)
		}
		if got := strings.Join(labels, " "); !ok || got != c.labels || set.Marked != c.marked || set.Text == "" {
			t.Errorf("%s: %v, %q is marked at %d: %+v", about, ok, got, set.Marked, set)
		}
	}
}

// TestDimCheckMark: a check mark that is dim shows where one would stand.
func TestDimCheckMark(t *testing.T) {
	set, ok := option.Read(drawn(unseen+"? Pick colours (space to toggle)", "\x1b[2m\x1b[90m✔\x1b[0m \x1b[36m\x1b[4mred\x1b[0m", "\x1b[32m✔\x1b[0m green", "\x1b[2m\x1b[90m✔\x1b[0m blue"))
	if !ok || len(set.Options) != 3 || set.Options[0].Checked || !set.Options[1].Checked || set.Options[2].Checked || !set.Options[0].Box {
		t.Errorf("%v: %+v", ok, set)
	}
}
