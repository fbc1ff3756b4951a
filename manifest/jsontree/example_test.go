package jsontree_test

import (
	"fmt"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// Everything that is wrong with the syntax is told at once.
func ExampleParseFile() {
	file := []byte("{\n  \"name\": \"x\",\n  \"name\": \"y\",\n  \"port\": 8999,\n}\n")
	_, faults := jsontree.ParseFile("agent.json", file)
	fmt.Println(faults.Error())
	// Output:
	// agent.json:3:3: /name: the key "name" is here twice; hint: keep one of them
	// agent.json:4:15: a comma before the closing }; hint: remove the comma
}

// A reader adds faults of its own and locates them.
func ExampleLocate() {
	file := []byte("{\n  \"prot\": 8999,\n  \"host\": 127\n}\n")
	root, faults := jsontree.ParseFile("agent.json", file)
	keys := []string{"host", "port"}
	for _, m := range root.Children {
		f := jsontree.Fault{Pointer: jsontree.Child("", m.Key)}
		switch {
		case m.Key == "host" && m.Kind != jsontree.String:
			f.Offset, f.Message = m.Offset, "must be a string, not "+m.Kind.String()
		case m.Key != "host" && m.Key != "port":
			f.Offset, f.Message, f.Hint = m.KeyOffset, "is unknown", "write "+jsontree.Nearest(m.Key, keys)
		default:
			continue
		}
		faults = append(faults, f)
	}
	fmt.Println(jsontree.Locate("agent.json", string(file), faults).Error())
	// Output:
	// agent.json:2:3: /prot: is unknown; hint: write port
	// agent.json:3:11: /host: must be a string, not a number
}

func ExampleNearest() {
	fmt.Println(jsontree.Nearest("desciption", []string{"name", "description", "inputSchema"}))
	// Output: description
}
