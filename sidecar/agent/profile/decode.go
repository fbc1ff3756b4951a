package profile

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// fault is a Fault that still counts in bytes.
type fault struct {
	off           int
	pointer       string
	message, hint string
}

// decoder fills Go values from a tree. encoding/json would stop at the first
// fault and name neither its line nor its pointer.
type decoder struct {
	faults []fault
}

func (d *decoder) fault(n node, message, hint string) {
	d.faults = append(d.faults, fault{off: n.off, pointer: n.pointer, message: message, hint: hint})
}

// listMax bounds a list and an object of any profile.
const listMax = 200

// into fills v, which is settable, from n.
func (d *decoder) into(n node, v reflect.Value) {
	if v.Type() == reflect.TypeFor[Pattern]() {
		d.pattern(n, v)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		fresh := reflect.New(v.Type().Elem())
		d.into(n, fresh.Elem())
		v.Set(fresh)
	case reflect.Struct:
		d.object(n, v)
	case reflect.Slice:
		d.list(n, v)
	case reflect.Map:
		d.dictionary(n, v)
	default:
		d.scalar(n, v)
	}
}

func (d *decoder) scalar(n node, v reflect.Value) {
	switch value := n.value.(type) {
	case string:
		if v.Kind() == reflect.String {
			v.SetString(value)
			return
		}
	case bool:
		if v.Kind() == reflect.Bool {
			v.SetBool(value)
			return
		}
	case json.Number:
		if v.Kind() == reflect.Int {
			whole, err := value.Int64()
			if err != nil || whole < 0 || whole > 100_000 {
				d.fault(n, value.String()+" is not a whole number from 0 to 100000", "give such a number")
				return
			}
			v.SetInt(whole)
			return
		}
	}
	d.fault(n, fmt.Sprintf("this is %s, where %s belongs", n.kind(), kindOf(v.Type())), "give "+kindOf(v.Type()))
}

func (d *decoder) pattern(n node, v reflect.Value) {
	source, ok := n.value.(string)
	if !ok {
		d.fault(n, fmt.Sprintf("this is %s, where a pattern belongs", n.kind()), "give a regular expression as a string")
		return
	}
	p, err := compilePattern(source)
	if err != nil {
		d.fault(n, "the pattern does not compile: "+err.Error(), `give a regular expression of Go's syntax (RE2); in JSON each \ is written \\`)
		return
	}
	v.Set(reflect.ValueOf(p))
}

func (d *decoder) list(n node, v reflect.Value) {
	items, ok := n.value.([]node)
	if !ok {
		d.fault(n, fmt.Sprintf("this is %s, where a list belongs", n.kind()), "put it in [ ]")
		return
	}
	if len(items) > listMax {
		d.fault(n, fmt.Sprintf("the list has %d items", len(items)), fmt.Sprintf("keep it to %d", listMax))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		d.into(item, v.Index(i))
	}
}

func (d *decoder) dictionary(n node, v reflect.Value) {
	members, ok := d.members(n)
	if !ok {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for _, m := range members {
		value := reflect.New(v.Type().Elem()).Elem()
		d.into(m.node, value)
		v.SetMapIndex(reflect.ValueOf(m.key), value)
	}
}

func (d *decoder) object(n node, v reflect.Value) {
	members, ok := d.members(n)
	if !ok {
		return
	}
	fields := fieldsOf(v.Type())
	for _, m := range members {
		i := slices.IndexFunc(fields, func(f reflect.StructField) bool { return f.Tag.Get("json") == m.key })
		if i < 0 {
			d.faults = append(d.faults, fault{
				off: m.off, pointer: m.pointer, message: "there is no field " + quote(m.key), hint: fieldHint(m.key, fields),
			})
			continue
		}
		d.into(m.node, v.FieldByIndex(fields[i].Index))
	}
}

func (d *decoder) members(n node) ([]member, bool) {
	members, ok := n.value.([]member)
	switch {
	case !ok:
		d.fault(n, fmt.Sprintf("this is %s, where an object belongs", n.kind()), "put it in { }")
	case len(members) > listMax:
		d.fault(n, fmt.Sprintf("the object has %d fields", len(members)), fmt.Sprintf("keep it to %d", listMax))
	default:
		return members, true
	}
	return nil, false
}

// fieldsOf lists what can be given, the fields of embedded structs among them.
func fieldsOf(t reflect.Type) []reflect.StructField {
	var fields []reflect.StructField
	for _, f := range reflect.VisibleFields(t) {
		if f.Tag.Get("json") != "" && f.IsExported() {
			fields = append(fields, f)
		}
	}
	return fields
}

func fieldHint(key string, fields []reflect.StructField) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Tag.Get("json")
	}
	for _, name := range names {
		if near(strings.ToLower(key), strings.ToLower(name)) {
			return fmt.Sprintf("did you mean %q?", name)
		}
	}
	return "fields here are " + strings.Join(names, ", ")
}

// near says whether one slip of the hand makes a of b: a letter too many, too
// few, wrong, or two of them swapped.
func near(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch {
	case len(b)-len(a) > 1:
		return false
	case len(a) < len(b):
		return a[i:] == b[i+1:]
	case i == len(a) || a[i+1:] == b[i+1:]:
		return true
	}
	return i+2 <= len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

func (n node) kind() string {
	switch n.value.(type) {
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case bool:
		return "a boolean"
	case []node:
		return "a list"
	case []member:
		return "an object"
	}
	return "null"
}

func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	}
	return "a number"
}

// quoteMax bounds what a message repeats of a file, in bytes.
const quoteMax = 60

func quote(s string) string { return text.Quote(s, quoteMax) }
