package profile_test

import (
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// TestTiming: each value can be given by its name, and README.md tells its default.
func TestTiming(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	defaults := reflect.ValueOf(profile.DefaultTiming())
	for _, f := range reflect.VisibleFields(defaults.Type()) {
		name, unit := f.Tag.Get("json"), int64(1)
		if f.Type == reflect.TypeFor[time.Duration]() {
			unit = int64(time.Millisecond)
		}
		if told := "`" + name + "` " + strconv.FormatInt(defaults.FieldByIndex(f.Index).Int()/unit, 10); !strings.Contains(string(text), told) {
			t.Errorf("README.md does not tell %s", told)
		}
		p, err := profile.Parse("x.json", []byte(`{"timing": {"`+name+`": 77}}`))
		if err != nil {
			t.Fatal(err)
		}
		want := reflect.New(defaults.Type()).Elem()
		want.Set(defaults)
		want.FieldByIndex(f.Index).SetInt(77 * unit)
		if p.Timing != want.Interface() {
			t.Errorf("%s of 77 makes %+v", name, p.Timing)
		}
	}
}
