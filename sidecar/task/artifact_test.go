package task_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

func artifact(t *testing.T, k *task.Task, i int) a2a.Artifact {
	t.Helper()
	list := k.Snapshot(nil, true).Artifacts
	if len(list) <= i {
		t.Fatalf("%d artifacts", len(list))
	}
	return list[i]
}

func TestSnapshotJoinsNeighbouringChunks(t *testing.T) {
	k := newTask(task.Options{})
	data := a2a.DataPart([]byte(`{"n":1}`))
	for _, parts := range [][]a2a.Part{
		{a2a.TextPart("one "), a2a.TextPart("apart")},
		{a2a.TextPart(" two"), data},
		{a2a.TextPart("three")},
		{{Kind: a2a.PartText, Text: "# four", MediaType: "text/markdown"}},
	} {
		u := a2a.ArtifactUpdate{Append: true, Artifact: a2a.Artifact{ID: "a", Parts: parts}}
		if err := k.Artifact(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	want := []a2a.Part{
		a2a.TextPart("one "), a2a.TextPart("apart two"), data, a2a.TextPart("three"),
		{Kind: a2a.PartText, Text: "# four", MediaType: "text/markdown"},
	}
	if diff := cmp.Diff(want, artifact(t, k, 0).Parts); diff != "" {
		t.Error(diff)
	}
	k.Finish(a2a.StateCompleted, nil, nil)
	if diff := cmp.Diff(want, artifact(t, k, 0).Parts); diff != "" {
		t.Error("after the end:", diff)
	}
}

func TestArtifactIsReplacedWithoutAppend(t *testing.T) {
	k := newTask(task.Options{})
	s := k.Subscribe()
	write(t, k, "old")
	u := chunk("new")
	u.Append = false
	k.Artifact(t.Context(), u)
	if got := partsText(artifact(t, k, 0).Parts); got != "new" {
		t.Errorf("got %q", got)
	}
	k.Finish(a2a.StateCompleted, nil, nil)
	events, _ := drain(t.Context(), s)
	if events[1].Artifact.Append {
		t.Error("the first chunk of an artifact has nothing to be appended to")
	}
}

func TestArtifactMetadataIsMerged(t *testing.T) {
	k := newTask(task.Options{})
	for _, key := range []string{"a", "b"} {
		u := chunk("x")
		u.Artifact.Metadata = a2a.Metadata{key: []byte("1")}
		k.Artifact(t.Context(), u)
	}
	if m := artifact(t, k, 0).Metadata; len(m) != 2 {
		t.Errorf("got %v", m)
	}
}

// Later readers get the head and are told so; live ones get everything.
func TestTaskBytesKeepTheHead(t *testing.T) {
	k := newTask(task.Options{TaskBytes: 10_000})
	s := k.Subscribe()
	line := strings.Repeat("é", 500)
	for range 20 {
		write(t, k, line)
	}
	k.Artifact(t.Context(), a2a.ArtifactUpdate{Artifact: a2a.Artifact{ID: "more", Parts: []a2a.Part{a2a.DataPart([]byte(`{}`))}}})
	k.Finish(a2a.StateCompleted, nil, nil)

	a := artifact(t, k, 0)
	got := partsText(a.Parts)
	if len(got) > 10_000 || len(got) < 9_000 || !utf8.ValidString(got) || !strings.HasPrefix(strings.Repeat(line, 20), got) {
		t.Errorf("kept %d bytes, valid: %v", len(got), utf8.ValidString(got))
	}
	if string(a.Metadata["truncated"]) != "true" || string(a.Metadata["totalBytes"]) != "20000" {
		t.Errorf("metadata %s", a.Metadata)
	}
	if got := k.Snapshot(nil, true); string(got.Metadata["artifactsDropped"]) != "1" {
		t.Errorf("an artifact was dropped without a word: %s", got.Metadata)
	}
	events, err := drain(t.Context(), s)
	if err != nil || !strings.HasPrefix(text(events), strings.Repeat(line, 20)) {
		t.Errorf("the live reader got %d bytes, %v", len(text(events)), err)
	}
}

func TestTaskBytesWithRawAndData(t *testing.T) {
	k := newTask(task.Options{TaskBytes: 4096})
	for _, p := range []a2a.Part{
		a2a.DataPart([]byte(`"` + strings.Repeat("x", 5000) + `"`)),
		{Kind: a2a.PartRaw, Raw: bytes.Repeat([]byte{7}, 5000)},
	} {
		u := a2a.ArtifactUpdate{Artifact: a2a.Artifact{Parts: []a2a.Part{p}}}
		if err := k.Artifact(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	if a := artifact(t, k, 0); len(a.Parts) != 0 || string(a.Metadata["totalBytes"]) != "5002" {
		t.Errorf("half a JSON value is kept, or nothing said: %v", a)
	}
	if a := artifact(t, k, 1); len(a.Parts) != 1 || len(a.Parts[0].Raw) < 3000 || string(a.Metadata["truncated"]) != "true" {
		t.Errorf("raw: %d parts", len(a.Parts))
	}
}

// The head that is kept has no holes: what comes after the part that did not
// fit is not kept either, though it would fit.
func TestTheHeadHasNoHoles(t *testing.T) {
	k := newTask(task.Options{TaskBytes: 4096})
	write(t, k, "one")
	for _, p := range []a2a.Part{a2a.DataPart([]byte(`"` + strings.Repeat("x", 5000) + `"`)), a2a.TextPart("two")} {
		u := a2a.ArtifactUpdate{Append: true, Artifact: a2a.Artifact{ID: "response", Parts: []a2a.Part{p}}}
		if err := k.Artifact(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	a := artifact(t, k, 0)
	if got := partsText(a.Parts); got != "one" || string(a.Metadata["totalBytes"]) != "5008" {
		t.Errorf("kept %q, metadata %s", got, a.Metadata)
	}
}

// However nasty the text, no frame is longer than 64 KiB, and together they
// are the text.
func TestLongTextIsSplitIntoFrames(t *testing.T) {
	for name, long := range map[string]string{
		"ascii":   strings.Repeat("x", 1<<20),
		"control": strings.Repeat("\x01", 200<<10),
		"quotes":  strings.Repeat(`"<\`, 100<<10),
		"runes":   strings.Repeat("é\u2028€😀", 50<<10),
	} {
		t.Run(name, func(t *testing.T) {
			k := newTask(task.Options{Window: 64 << 20})
			s := k.Subscribe()
			u := chunk(long)
			u.LastChunk = true
			if err := k.Artifact(t.Context(), u); err != nil {
				t.Fatal(err)
			}
			k.Finish(a2a.StateCompleted, nil, nil)
			events, err := drain(t.Context(), s)
			if err != nil || text(events) != long {
				t.Fatalf("%d bytes of %d, %v", len(text(events)), len(long), err)
			}
			last := 0
			for i, e := range events[1:] {
				for _, v := range []a2a.Version{a2a.V10, a2a.V03} {
					if n := len(codec.EncodeEvent(e, v)); n > 64<<10 {
						t.Fatalf("frame %d has %d bytes in %s", i, n, v)
					}
				}
				if e.Artifact == nil {
					continue
				}
				if !utf8.ValidString(e.Artifact.Artifact.Parts[0].Text) {
					t.Errorf("frame %d is cut inside a rune", i)
				}
				if e.Artifact.Append != (i > 0) {
					t.Errorf("frame %d: append %v", i, e.Artifact.Append)
				}
				if e.Artifact.LastChunk {
					last = i
				}
			}
			if last != len(events)-3 {
				t.Errorf("frame %d of %d says it is the last", last, len(events)-2)
			}
			if a := artifact(t, k, 0); len(a.Parts) != 1 || a.Parts[0].Text != long {
				t.Errorf("the snapshot has %d parts", len(a.Parts))
			}
		})
	}
}

func TestManyPartsAreSplitIntoFrames(t *testing.T) {
	k := newTask(task.Options{})
	s := k.Subscribe()
	var parts []a2a.Part
	for range 30 {
		parts = append(parts, a2a.TextPart(strings.Repeat("t", 10<<10)), a2a.DataPart([]byte(`[1,2]`)))
	}
	k.Artifact(t.Context(), a2a.ArtifactUpdate{Artifact: a2a.Artifact{ID: "a", Parts: parts}})
	k.Finish(a2a.StateCompleted, nil, nil)
	events, _ := drain(t.Context(), s)
	for i, e := range events[1:] {
		if n := len(codec.EncodeEvent(e, a2a.V10)); n > 64<<10 {
			t.Errorf("frame %d has %d bytes", i, n)
		}
	}
	if diff := cmp.Diff(parts, artifact(t, k, 0).Parts); diff != "" {
		t.Error("whole parts were joined or lost", diff)
	}
}

func TestInvalidUTF8IsReplaced(t *testing.T) {
	k := newTask(task.Options{})
	write(t, k, "a\xffb")
	if got := partsText(artifact(t, k, 0).Parts); got != "a\uFFFDb" {
		t.Errorf("got %q", got)
	}
}

// Snapshots taken while a text grows stay what they were.
func TestSnapshotsDoNotChange(t *testing.T) {
	k := newTask(task.Options{})
	var shots []*a2a.Task
	want := ""
	for range 2000 {
		write(t, k, "0123456789")
		shots = append(shots, k.Snapshot(nil, true))
	}
	for _, s := range shots {
		want += "0123456789"
		if got := partsText(s.Artifacts[0].Parts); got != want {
			t.Fatalf("snapshot of %d bytes is now %d bytes", len(want), len(got))
		}
	}
}
