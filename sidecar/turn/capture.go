package turn

// tail keeps the last bytes of what is written to it.
type tail struct {
	limit int
	kept  []byte
	total int64
}

func (t *tail) write(chunk []byte) {
	t.total += int64(len(chunk))
	if len(chunk) >= t.limit {
		chunk = chunk[len(chunk)-t.limit:]
		t.kept = t.kept[:0]
	}
	if over := len(t.kept) + len(chunk) - t.limit; over > 0 && over > t.limit/2 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	t.kept = append(t.kept, chunk...)
}

// bytes are the last limit bytes.
func (t *tail) bytes() []byte {
	return t.kept[max(0, len(t.kept)-t.limit):]
}
