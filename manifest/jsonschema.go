package manifest

import _ "embed"

//go:embed manifest.schema.json
var schemaOfManifests string

// JSONSchema is the JSON Schema (2020-12) of a manifest, for editors. What it refuses,
// Parse refuses too; Parse knows more: that names are there once, placeholders mean
// arguments, schemas compile.
func JSONSchema() string { return schemaOfManifests }
