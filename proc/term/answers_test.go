package term_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// answers returns what a screen of 80x24 answers to in.
func answers(which term.Answers, in string) string {
	var got []byte
	s := term.New(term.Options{Cols: 80, Rows: 24, Answers: which, Reply: func(p []byte) { got = append(got, p...) }})
	write(s, in)
	return string(got)
}

func TestAnswers(t *testing.T) {
	for in, want := range map[string]string{
		"\x1b[c":                            "\x1b[?62;22c",
		"\x1b[0c":                           "\x1b[?62;22c",
		"\x1b[1c":                           "",
		"\x1bZ":                             "\x1b[?62;22c",
		"\x1b[>c":                           "\x1b[>1;1;0c",
		"\x1b[=c":                           "",
		"\x1b[5n":                           "\x1b[0n",
		"\x1b[3;7H\x1b[6n":                  "\x1b[3;7R",
		"\x1b[3;7H\x1b[?6n":                 "\x1b[?3;7R",
		"\x1b[3;9r\x1b[?6h\x1b[6n":          "\x1b[1;1R",
		strings.Repeat("x", 80) + "\x1b[6n": "\x1b[1;80R",
		"\x1b[?996n":                        "",
		"\x1b[>q":                           "\x1bP>|sidecar\x1b\\",
		"\x1b[>0q":                          "\x1bP>|sidecar\x1b\\",
		"\x1b[?2026$p":                      "\x1b[?2026;2$y",
		"\x1b[?2004h\x1b[?2004$p":           "\x1b[?2004;1$y",
		"\x1b[?25$p\x1b[?7$p":               "\x1b[?25;1$y\x1b[?7;1$y",
		"\x1b[?1049$p\x1b[?1002$p":          "\x1b[?1049;2$y\x1b[?1002;2$y",
		"\x1b[?2027$p":                      "\x1b[?2027;0$y",
		"\x1b[4h\x1b[4$p\x1b[99$p":          "\x1b[4;1$y\x1b[99;0$y",
		"\x1b[?u":                           "\x1b[?0u",
		"\x1b[>5u\x1b[?u":                   "\x1b[?5u",
		"\x1b[>255u\x1b[?u":                 "\x1b[?31u",
		"\x1b[=3;2u\x1b[=1;3u\x1b[?u":       "\x1b[?2u",
		"\x1b]10;?\x07":                     "\x1b]10;rgb:cccc/cccc/cccc\x07",
		"\x1b]11;?\x1b\\":                   "\x1b]11;rgb:0000/0000/0000\x1b\\",
		"\x1b]10;?;?\x07":                   "\x1b]10;rgb:cccc/cccc/cccc\x07\x1b]11;rgb:0000/0000/0000\x07",
		"\x1b]11;#fff\x07":                  "",
		"\x1b]4;1;?\x07":                    "\x1b]4;1;rgb:cdcd/0000/0000\x07",
		"\x1b]4;1;?;255;?\x1b\\":            "\x1b]4;1;rgb:cdcd/0000/0000\x1b\\\x1b]4;255;rgb:eeee/eeee/eeee\x1b\\",
		"\x1b]4;21;?\x07":                   "\x1b]4;21;rgb:0000/0000/ffff\x07",
		"\x1b]4;256;?\x07":                  "",
		"\x1b[14t":                          "\x1b[4;384;640t",
		"\x1b[16t":                          "\x1b[6;16;8t",
		"\x1b[18t":                          "\x1b[8;24;80t",
		"\x1b[21t":                          "", // a title in an answer would be typed
		"\x1bP+q5443;524742\x1b\\":          "\x1bP0+r5443;524742\x1b\\",
		"\x1bP+q\rrm\x1b\\":                 "",
		"\x1bP$qm\x1b\\":                    "\x1bP0$r\x1b\\",
		"\x1b]7501;?\x07":                   "\x1b]7501;?\x07",
		"\x1b]7501;?\x1b\\":                 "\x1b]7501;?\x1b\\",
		"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\": "",
	} {
		if got := answers(term.AnswerAll, in); got != want {
			t.Errorf("%q is answered %q, not %q", in, got, want)
		}
		status := ""
		if strings.HasPrefix(in, "\x1b]7501") {
			status = want
		}
		if got := answers(term.AnswerStatus, in); got != status {
			t.Errorf("beside a terminal %q is answered %q, not %q", in, got, status)
		}
		if got := answers(term.AnswerNone, in); got != "" {
			t.Errorf("%q is answered %q by nobody", in, got)
		}
	}
}

// TestAnswersStayInOrderAndBounded: an answer comes before Write returns; a
// flood of questions costs no more than the answers.
func TestAnswersStayInOrderAndBounded(t *testing.T) {
	got := answers(term.AnswerAll, strings.Repeat("\x1b[5n\x1b[c", 5000))
	if want := strings.Repeat("\x1b[0n\x1b[?62;22c", 5000); got != want {
		t.Errorf("%d bytes, not %d, or not in order", len(got), len(want))
	}
	if got := answers(term.AnswerAll, "\x1b]4"+strings.Repeat(";1;?", 16000)+"\a"); strings.Count(got, "rgb:") != 256 {
		t.Errorf("%d answers to one question", strings.Count(got, "rgb:"))
	}
}
