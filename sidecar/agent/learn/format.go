package learn

import (
	"bytes"
	"encoding/json"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// File is what was learnt, in the order in which a person reads a profile. Its JSON is a
// profile's file.
type File struct {
	Name         string   `json:"name"`
	About        string   `json:"about,omitempty"`
	Unsure       []string `json:"unsure,omitempty"`  // everything that was only guessed
	Extends      string   `json:"extends,omitempty"` // the profile whose questions apply too
	Commands     []string `json:"commands"`
	TUI          bool     `json:"tui"`
	Signs        []Sign   `json:"signs"`
	Prompt       Prompt   `json:"prompt"`
	Submit       Submit   `json:"submit"`
	CommandChars string   `json:"commandChars"`
	Interrupt    []string `json:"interrupt,omitempty"`
	Clear        []string `json:"clear,omitempty"`
	Answer       Answer   `json:"answer"`
}

// Sign is one of the screen's signs of a state.
type Sign struct {
	Rule   string   `json:"rule"`
	State  string   `json:"state"`
	Title  string   `json:"title,omitempty"`
	All    []string `json:"all,omitempty"`
	Rows   int      `json:"rows,omitempty"`
	Prompt bool     `json:"prompt,omitempty"`
}

// Prompt describes the input.
type Prompt struct {
	Row    string   `json:"row"`
	Next   string   `json:"next,omitempty"`
	Above  string   `json:"above,omitempty"`
	Below  string   `json:"below,omitempty"`
	Cursor bool     `json:"cursor,omitempty"`
	Up     int      `json:"up,omitempty"`
	After  int      `json:"after,omitempty"`
	Rows   int      `json:"rows,omitempty"`
	Empty  []string `json:"empty,omitempty"`
}

// Submit says how a message is typed.
type Submit struct {
	Paste   bool   `json:"paste"`
	Enter   string `json:"enter"`
	Newline string `json:"newline,omitempty"`
	// PieceRows and PieceBytes bound a paste. A longer message is pasted in several pieces.
	PieceRows  int `json:"pieceRows,omitempty"`
	PieceBytes int `json:"pieceBytes,omitempty"`
}

// Answer says how the text of an answer is distinguished from what is drawn around it.
type Answer struct {
	Echo   string   `json:"echo,omitempty"`
	Text   string   `json:"text,omitempty"`
	Body   string   `json:"body,omitempty"`
	Drop   []string `json:"drop,omitempty"`
	Live   []Border `json:"live,omitempty"`
	Wrap   string   `json:"wrap,omitempty"`
	Margin int      `json:"margin,omitempty"`
}

// Border says where the live part of the screen begins.
type Border struct {
	At string `json:"at"`
	Up string `json:"up,omitempty"`
}

// JSON returns the file.
func (f File) JSON() []byte {
	line, _ := text.JSON(f) // a File has only strings, numbers and booleans
	var b bytes.Buffer
	_ = json.Indent(&b, line, "", "  ") // line is JSON
	b.WriteByte('\n')
	return b.Bytes()
}
