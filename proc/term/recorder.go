package term

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

const (
	// recorderQueue is how many bytes of a recording may wait for the disk.
	recorderQueue = 4 << 20
	// DefaultRecordBytes is the size at which a recording ends if no limit is given.
	DefaultRecordBytes = 1 << 30
	// recorderEvent is how many bytes are counted for each event in addition to its data.
	recorderEvent = 64
)

// RecorderOptions are the header of a recording and its limits.
type RecorderOptions struct {
	Cols, Rows int // 0: 120x40
	Command    string
	Title      string
	// MaxBytes is the size at which the recording ends; 0 means 1 GiB.
	MaxBytes int64
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Recorder writes an asciicast v3 file. Its methods may be called from any goroutine. None but
// Close waits for the disk: what does not fit into a queue of 4 MiB is dropped, counted, and
// marked in the file at the place where it is missing. The caller gets no error before Close.
type Recorder struct {
	file    *os.File
	limit   int64
	now     func() time.Time
	written sync.WaitGroup

	mu      sync.Mutex
	queue   []recorded
	queued  int           // bytes not on the disk yet, with recorderEvent for each event
	more    chan struct{} // holds one token if the queue is not empty
	rest    [2][]byte     // the bytes of an unfinished rune: of output, of input
	missing int64         // bytes dropped since the last mark
	dropped int64
	closed  bool
	err     error
}

// recorded is an event that waits to be written.
type recorded struct {
	at   time.Time
	kind CastKind
	data string
}

// NewRecorder creates the file, readable only by its owner. An existing file is replaced.
func NewRecorder(path string, o RecorderOptions) (*Recorder, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultRecordBytes
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(0o600); err != nil { // the file may have existed before
		f.Close()
		return nil, err
	}
	r := &Recorder{file: f, limit: o.MaxBytes, now: o.Now, more: make(chan struct{}, 1)}
	begin := o.Now()
	head, err := recordHeader(o, begin)
	if err == nil {
		_, err = f.Write(head)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	r.written.Go(func() { r.write(begin, int64(len(head))) })
	return r, nil
}

func recordHeader(o RecorderOptions, begin time.Time) ([]byte, error) {
	type terminal struct {
		Cols int    `json:"cols"`
		Rows int    `json:"rows"`
		Type string `json:"type"`
	}
	h := struct {
		Version   int      `json:"version"`
		Term      terminal `json:"term"`
		Timestamp int64    `json:"timestamp"`
		Command   string   `json:"command,omitempty"`
		Title     string   `json:"title,omitempty"`
	}{Version: 3, Timestamp: begin.Unix(), Command: o.Command, Title: o.Title}
	h.Term.Cols, h.Term.Rows = clampSize(o.Cols, o.Rows)
	h.Term.Type = "xterm-256color"
	head, err := json.Marshal(h)
	return append(head, '\n'), err
}

// Output records what the program wrote.
func (r *Recorder) Output(p []byte) { r.bytes(CastOutput, 0, p) }

// Input records what was typed. If echo is false, which means a password prompt, it records
// nothing.
func (r *Recorder) Input(p []byte, echo bool) {
	if echo {
		r.bytes(CastInput, 1, p)
	}
}

// Resize records a new size.
func (r *Recorder) Resize(cols, rows int) {
	r.add(CastResize, strconv.Itoa(cols)+"x"+strconv.Itoa(rows))
}

// Marker records a label that players can jump to.
func (r *Recorder) Marker(label string) { r.add(CastMarker, label) }

// Exit records the program's exit code.
func (r *Recorder) Exit(code int) { r.add(CastExit, strconv.Itoa(code)) }

// Dropped returns how many bytes of output and input are missing in the file.
func (r *Recorder) Dropped() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dropped
}

// Close writes what waits in the queue and closes the file. It returns the first error of the
// disk, even if it is called again.
func (r *Recorder) Close() error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.wake()
	r.written.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// bytes records a chunk up to its last complete rune and keeps the rest for the next chunk,
// because an event is text.
func (r *Recorder) bytes(kind CastKind, stream int, p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	data := append(r.rest[stream], p...)
	cut := len(data) - text.Unfinished(data)
	r.rest[stream] = append([]byte(nil), data[cut:]...)
	r.put(kind, string(data[:cut]))
}

func (r *Recorder) add(kind CastKind, data string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.put(kind, data)
}

// put queues an event, or drops it if the queue is full.
func (r *Recorder) put(kind CastKind, data string) {
	cost := len(data) + recorderEvent
	if r.closed || data == "" {
		return
	}
	if r.err != nil || r.queued+cost > recorderQueue {
		r.missing += r.drop(kind, data)
		return
	}
	if r.missing > 0 {
		r.queue = append(r.queue, r.gap())
		r.queued += recorderEvent
	}
	r.queue = append(r.queue, recorded{r.now(), kind, data})
	r.queued += cost
	r.wake()
}

// drop counts data that is not written, and returns how many bytes it was.
func (r *Recorder) drop(kind CastKind, data string) int64 {
	if kind != CastOutput && kind != CastInput {
		return 0
	}
	r.dropped += int64(len(data))
	return int64(len(data))
}

// gap returns a mark that says how much is missing before it.
func (r *Recorder) gap() recorded {
	n := r.missing
	r.missing = 0
	return recorded{r.now(), CastMarker, fmt.Sprintf("%d bytes are missing here: the disk was too slow", n)}
}

func (r *Recorder) wake() {
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// write is the goroutine that writes the file.
func (r *Recorder) write(begin time.Time, size int64) {
	w := recordWriter{out: bufio.NewWriterSize(r.file, 64<<10), last: begin.Round(time.Millisecond), left: r.limit - size}
	for {
		<-r.more
		events, cost, closed := r.take()
		for _, e := range events {
			if !w.event(e) {
				r.lost(e)
			}
		}
		if err := w.out.Flush(); err != nil {
			r.fail(err)
		}
		r.settle(cost)
		if closed {
			if err := r.file.Close(); err != nil {
				r.fail(err)
			}
			return
		}
	}
}

// recordWriter writes events until the limit is reached. The next Flush returns an error of the
// file.
type recordWriter struct {
	out  *bufio.Writer
	last time.Time // time of the event before, rounded to milliseconds like the intervals
	left int64
	full bool
}

// event writes an event and reports whether it did. The first event that does not fit is
// replaced by a mark that says so.
func (w *recordWriter) event(e recorded) bool {
	if w.full {
		return false
	}
	at := e.at.Round(time.Millisecond)
	line := recordLine(at.Sub(w.last), e.kind, e.data)
	if w.left -= int64(len(line)); w.left < 0 {
		w.full = true
		line = recordLine(at.Sub(w.last), CastMarker, "the rest is missing: the recording has reached its limit")
	}
	w.last = at
	_, _ = w.out.Write(line)
	return !w.full
}

// recordLine returns an event as a line: [interval, code, text].
func recordLine(interval time.Duration, kind CastKind, data string) []byte {
	line := append([]byte{'['}, strconv.FormatFloat(max(interval, 0).Seconds(), 'f', 3, 64)...)
	line = append(line, `, "`...)
	line = append(line, kind...)
	line = append(line, `", `...)
	text, err := json.Marshal(data)
	if err != nil {
		text = []byte(`""`) // a string can always be written
	}
	return append(append(line, text...), "]\n"...)
}

// take empties the queue; its bytes still count until settle. If the recorder is closed, take
// adds what is left over.
func (r *Recorder) take() (events []recorded, cost int, closed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	events, cost, r.queue = r.queue, r.queued, nil
	if r.closed {
		for i, kind := range []CastKind{CastOutput, CastInput} {
			if len(r.rest[i]) > 0 {
				events = append(events, recorded{r.now(), kind, string(r.rest[i])})
			}
		}
		if r.missing > 0 {
			events = append(events, r.gap())
		}
	}
	return events, cost, r.closed
}

func (r *Recorder) settle(cost int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queued -= cost
}

func (r *Recorder) lost(e recorded) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(e.kind, e.data)
}

func (r *Recorder) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}
