package manifest

import _ "embed"

//go:embed manifest.schema.json
var schemaOfManifests string

// JSONSchema returns the JSON Schema (2020-12) of a manifest, for editors. Parse
// refuses everything that it refuses. Parse also checks that names are unique, that
// placeholders refer to arguments and that schemas compile.
func JSONSchema() string { return schemaOfManifests }
