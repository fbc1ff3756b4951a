package schema

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// shape says where a keyword of JSON Schema contains schemas.
type shape uint8

const (
	shapeNone     shape = iota // no schema inside
	shapeOne                   // one schema
	shapeList                  // a list of schemas
	shapeMap                   // schemas by name
	shapeEither                // one schema or a list
	shapeMapMixed              // by name, schemas or lists of names
	shapeUnknown               // not a keyword
)

// shapeOf knows the keywords of every draft: an older keyword that the schema's own
// draft ignores does no harm.
func shapeOf(keyword string) shape {
	switch keyword {
	case "not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "additionalItems",
		"unevaluatedProperties", "unevaluatedItems", "contentSchema":
		return shapeOne
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return shapeList
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		return shapeMap
	case "items":
		return shapeEither
	case "dependencies":
		return shapeMapMixed
	case "$schema", "$id", "id", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor",
		"$vocabulary", "$comment", "title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples",
		"example", "type", "enum", "const", "format", "multipleOf", "maximum", "exclusiveMaximum", "minimum",
		"exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxContains",
		"minContains", "maxProperties", "minProperties", "required", "dependentRequired", "contentEncoding",
		"contentMediaType", "nullable", "discriminator", "xml", "externalDocs":
		return shapeNone
	}
	return shapeUnknown
}

// misspelled returns the keyword that an unknown one was probably meant to be.
func misspelled(keyword string) string {
	return jsontree.Nearest(keyword, []string{
		"properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties",
		"maxProperties", "items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "enum", "const",
		"type", "format", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum",
		"exclusiveMaximum", "multipleOf", "allOf", "anyOf", "oneOf", "$ref", "$defs", "definitions", "description",
		"default", "dependentRequired", "dependentSchemas", "unevaluatedProperties",
	})
}

// jsonTypes returns the names that "type" takes.
func jsonTypes() []string {
	return []string{"string", "number", "integer", "boolean", "object", "array", "null"}
}

// asserted reports whether values of a format are checked.
func asserted(format string) bool {
	switch format {
	case "regex", "json-pointer", "relative-json-pointer", "uuid", "duration", "period", "ipv4", "ipv6", "hostname",
		"email", "date", "time", "date-time", "uri", "iri", "uri-reference", "iri-reference", "uri-template", "semver":
		return true
	}
	return false
}

// knownDraft reports whether $schema names a draft that the library has.
func knownDraft(uri string) bool {
	uri = strings.TrimSuffix(uri, "#")
	switch strings.TrimPrefix(strings.TrimPrefix(uri, "https://"), "http://") {
	case "json-schema.org/draft/2020-12/schema", "json-schema.org/draft/2019-09/schema", "json-schema.org/draft-07/schema",
		"json-schema.org/draft-06/schema", "json-schema.org/draft-04/schema", "json-schema.org/schema":
		return true
	}
	return false
}
