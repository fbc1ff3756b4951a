package strangers

import "fmt"

// ember is tarn with two rows more at the bottom that never rest: a picture and a clock.
type ember struct{ tarn }

func (e ember) frame(s *session, columns, rows int) string {
	beats := int(s.now().UnixMilli() / beat.Milliseconds())
	picture := []string{`\o/`, `-o-`, `/o\`, `-o-`}[beats%4]
	return e.tarn.frame(s, columns, rows-2) +
		fmt.Sprintf("\x1b7\x1b[%d;1H %s\x1b[K\x1b[%d;1H %s\x1b[K\x1b8", rows-1, picture, rows, s.now().UTC().Format("15:04:05.0"))
}
