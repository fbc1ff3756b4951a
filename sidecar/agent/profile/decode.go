package profile

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// decoder fills Go values from a tree, and collects faults. encoding/json would stop at the
// first fault and give neither its line nor its pointer.
type decoder struct {
	faults  jsontree.Faults
	person  bool // the file is one of the user: see Pattern
	extends bool // the file extends another, which may have the fields that it needs
}

func (d *decoder) fault(n *jsontree.Node, pointer, message, hint string) {
	d.faults = append(d.faults, jsontree.Fault{Offset: n.Offset, Pointer: pointer, Message: message, Hint: hint})
}

// misplaced adds a fault: the value has the wrong type.
func (d *decoder) misplaced(n *jsontree.Node, pointer, want, hint string) {
	d.fault(n, pointer, fmt.Sprintf("this is %s, where %s belongs", n.Kind, want), hint)
}

// listMax is how many items a list or fields an object of a profile may have.
const listMax = 200

// into sets v from n.
func (d *decoder) into(n *jsontree.Node, pointer string, v reflect.Value) {
	if v.Type() == reflect.TypeFor[Pattern]() {
		d.pattern(n, pointer, v)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		fresh := reflect.New(v.Type().Elem())
		d.into(n, pointer, fresh.Elem())
		v.Set(fresh)
	case reflect.Struct:
		d.object(n, pointer, v)
	case reflect.Slice:
		d.list(n, pointer, v)
	case reflect.Map:
		d.dictionary(n, pointer, v)
	default:
		d.scalar(n, pointer, v)
	}
}

func (d *decoder) scalar(n *jsontree.Node, pointer string, v reflect.Value) {
	switch {
	case n.Kind == jsontree.Number && v.Type() == reflect.TypeFor[time.Duration]():
		ms := int(time.Duration(v.Int()).Milliseconds())
		d.scalar(n, pointer, reflect.ValueOf(&ms).Elem())
		v.SetInt(int64(ms) * int64(time.Millisecond))
	case n.Kind == jsontree.String && v.Kind() == reflect.String:
		v.SetString(strings.Clone(n.Text))
	case n.Kind == jsontree.Bool && v.Kind() == reflect.Bool:
		v.SetBool(n.Text == "true")
	case n.Kind == jsontree.Number && v.Kind() == reflect.Float64:
		f, err := strconv.ParseFloat(n.Text, 64)
		if err != nil || f < 0 || f > 1e8 {
			d.fault(n, pointer, text.Shorten(n.Text, quoteMax)+" is not a number from 0 to 100000000", "give such a number")
			return
		}
		v.SetFloat(f)
	case n.Kind == jsontree.Number && v.Kind() == reflect.Int:
		whole, err := strconv.ParseInt(n.Text, 10, 64)
		if err != nil || whole < 0 || whole > 100_000 {
			d.fault(n, pointer, text.Shorten(n.Text, quoteMax)+" is not a whole number from 0 to 100000", "give such a number")
			return
		}
		v.SetInt(whole)
	default:
		d.misplaced(n, pointer, kindOf(v.Type()), "give "+kindOf(v.Type()))
	}
}

func (d *decoder) pattern(n *jsontree.Node, pointer string, v reflect.Value) {
	if n.Kind != jsontree.String {
		d.misplaced(n, pointer, "a pattern", "give a regular expression as a string")
		return
	}
	p, err := compilePattern(strings.Clone(n.Text))
	if err != nil {
		d.fault(n, pointer, "the pattern does not compile: "+err.Error(), `give a regular expression of Go's syntax (RE2); in JSON each \ is written \\`)
		return
	}
	p.person = d.person
	v.Set(reflect.ValueOf(p))
}

func (d *decoder) list(n *jsontree.Node, pointer string, v reflect.Value) {
	if n.Kind != jsontree.Array {
		d.misplaced(n, pointer, "a list", "put it in [ ]")
		return
	}
	if count := len(n.Children); count > listMax {
		d.fault(n, pointer, fmt.Sprintf("the list has %d items", count), fmt.Sprintf("give at most %d", listMax))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Children), len(n.Children)))
	for i := range n.Children {
		d.into(&n.Children[i], jsontree.Item(pointer, i), v.Index(i))
	}
}

func (d *decoder) dictionary(n *jsontree.Node, pointer string, v reflect.Value) {
	if !d.isObject(n, pointer) {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for i := range n.Children {
		m := &n.Children[i]
		value := reflect.New(v.Type().Elem()).Elem()
		d.into(m, jsontree.Child(pointer, m.Key), value)
		v.SetMapIndex(reflect.ValueOf(strings.Clone(m.Key)), value)
	}
}

func (d *decoder) object(n *jsontree.Node, pointer string, v reflect.Value) {
	if !d.isObject(n, pointer) {
		return
	}
	fields := fieldsOf(v.Type())
	for i := range n.Children {
		m := &n.Children[i]
		at := jsontree.Child(pointer, m.Key)
		key := m.Key
		if d.extends {
			key = strings.TrimSuffix(key, "+")
		}
		field := slices.IndexFunc(fields, func(f reflect.StructField) bool { return f.Tag.Get("json") == key })
		if field >= 0 && key != m.Key && (fields[field].Type.Kind() != reflect.Slice || n.Get(key) != nil) {
			d.fault(m, at, quote(m.Key)+" adds to a list, and is not possible here", "give "+quote(key))
			continue
		}
		if field < 0 {
			d.faults = append(d.faults, jsontree.Fault{
				Offset: m.KeyOffset, Pointer: at, Message: "there is no field " + quote(m.Key), Hint: fieldHint(m.Key, fields),
			})
			continue
		}
		d.into(m, at, v.FieldByIndex(fields[field].Index))
	}
}

// isObject reports whether n is an object of at most listMax fields, and otherwise adds a fault.
func (d *decoder) isObject(n *jsontree.Node, pointer string) bool {
	switch count := len(n.Children); {
	case n.Kind != jsontree.Object:
		d.misplaced(n, pointer, "an object", "put it in { }")
	case count > listMax:
		d.fault(n, pointer, fmt.Sprintf("the object has %d fields", count), fmt.Sprintf("give at most %d", listMax))
	default:
		return true
	}
	return false
}

// fieldsOf returns the fields that a file can set, also those of embedded structs.
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
	if name := jsontree.Nearest(key, names); name != "" {
		return fmt.Sprintf("did you mean %q?", name)
	}
	return "fields here are " + strings.Join(names, ", ")
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

// quoteMax is how much of a file a message repeats, in bytes.
const quoteMax = 60

func quote(s string) string { return text.Quote(s, quoteMax) }
