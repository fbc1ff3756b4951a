package schema

import (
	"regexp/syntax"
	"strconv"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// maxComplexity bounds the cost of compiling a schema: some 0.3 s and 30 MiB. For each
// schema the library looks through all the schemas that it has; it takes longer for
// one that is nested deep, and makes a program of each expression.
const (
	maxComplexity = 5_000
	depthSteps    = 8  // the levels that cost as much as a schema
	programSteps  = 40 // the steps of an expression's program that cost as much as a schema
	identifierFee = 4  // the cost of a schema with an identifier of its own
)

// weigh adds to the complexity of the schema. When it first becomes too high that is a
// fault, and nothing is looked at after it.
func (s *check) weigh(at *jsontree.Node, pointer string, complexity int) {
	if s.complexity > maxComplexity {
		return
	}
	if s.complexity += complexity; s.complexity > maxComplexity {
		s.fault(at, pointer, "the schema is too complex", "it has the weight of more than "+strconv.Itoa(maxComplexity)+
			" subschemas: use fewer of them, nest them less, and expressions with smaller repetitions")
	}
}

func (s *check) tooComplex() bool { return s.complexity > maxComplexity }

// expressionSize returns about how many steps the program of an expression has.
func expressionSize(expression string) (int, error) {
	re, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return 0, err
	}
	return programSize(re), nil
}

func programSize(re *syntax.Regexp) int {
	const most = 1 << 30
	size := 1
	for _, sub := range re.Sub {
		size = min(size+programSize(sub), most)
	}
	switch re.Op {
	case syntax.OpLiteral:
		size += len(re.Rune)
	case syntax.OpCharClass:
		size += len(re.Rune) / 8
	case syntax.OpRepeat:
		size = min(size*max(re.Max, re.Min+1), most)
	}
	return size
}
