package output

import (
	"slices"
)

// Shape is what secrets of one kind look like.
type Shape struct {
	// Name is the word by which rules name the shape.
	Name string
	// Means says what it finds.
	Means string

	patterns []string
	block    bool // its patterns begin a block, which ends with blockEnd
}

// Shapes returns the shapes that are known, in the order of their names.
func Shapes() []Shape { return slices.Clone(shapes[:]) }

// shapes are the known shapes. An entry is no check that a key is valid: what looks like
// one is taken out.
var shapes = [...]Shape{
	{Name: "anthropic", Means: "Anthropic API keys: sk-ant-…", patterns: []string{`sk-ant-[A-Za-z0-9_-]{20,}`}},
	{Name: "authorization", Means: "Authorization headers with a Bearer, Basic or Token value", patterns: []string{
		`(?i)authorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(bearer|basic|token)[ \t]{1,4}[A-Za-z0-9._~+/=-]{6,}`,
	}},
	{Name: "aws", Means: "AWS access key ids (AKIA…, ASIA…), and secret access keys after their name", patterns: []string{
		`(AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}`,
		`(?i)secret_?access_?key["']?[ \t]{0,4}[:=][ \t]{0,4}["']?[A-Za-z0-9/+]{40}`,
	}},
	{Name: "connection-string", Means: "passwords in URLs (scheme://user:password@) and in connection strings (;Password=…)", patterns: []string{
		`[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@'"<>]{0,64}:[^\s/@'"<>]{1,256}@`,
		`(?i)[;?&](password|pwd)=[^\s;&"'<>]{1,}`,
	}},
	{Name: "github", Means: "GitHub tokens: ghp_, gho_, ghu_, ghs_, ghr_, github_pat_", patterns: []string{
		`gh[oprsu]_[A-Za-z0-9]{36,}`, `github_pat_[A-Za-z0-9_]{22,}`,
	}},
	{Name: "gitlab", Means: "GitLab tokens: glpat-, gldt-, glrt-, glcbt-, glptt-, glft-, glimt-, glagent-, glsoat-", patterns: []string{
		`gl(pat|dt|rt|cbt|ptt|ft|imt|agent|soat)-[A-Za-z0-9_.-]{20,}`,
	}},
	{Name: "google", Means: "Google API keys (AIza…), OAuth access tokens (ya29.…) and client secrets (GOCSPX-…)", patterns: []string{
		`AIza[A-Za-z0-9_-]{35}`, `ya29\.[A-Za-z0-9_-]{20,}`, `GOCSPX-[A-Za-z0-9_-]{28}`,
	}},
	{Name: "huggingface", Means: "Hugging Face tokens: hf_…", patterns: []string{`hf_[A-Za-z0-9]{30,}`}},
	{Name: "jwt", Means: "JSON Web Tokens: eyJ….eyJ….…", patterns: []string{`eyJ[A-Za-z0-9_-]{8,512}\.eyJ[A-Za-z0-9_.-]{16,}`}},
	{Name: "npm", Means: "npm tokens: npm_…", patterns: []string{`npm_[A-Za-z0-9]{36,}`}},
	{Name: "openai", Means: "OpenAI API keys: sk-…, sk-proj-…, sk-svcacct-…, sk-admin-…", patterns: []string{
		`sk-(proj-|svcacct-|admin-|None-)?[A-Za-z0-9]{20}[A-Za-z0-9_-]{12,}`, `sk-(proj|svcacct|admin)-[A-Za-z0-9_-]{32,}`,
	}},
	{Name: "private-key", Means: "private keys in PEM (BEGIN … PRIVATE KEY), up to their END line or 64 KiB", block: true, patterns: []string{
		`-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY( BLOCK)?-----`,
	}},
	{Name: "pypi", Means: "PyPI tokens: pypi-AgE…", patterns: []string{`pypi-AgE[A-Za-z0-9_-]{50,}`}},
	{Name: "slack", Means: "Slack tokens (xoxb-, xoxp-, xapp-, …) and webhook addresses", patterns: []string{
		`xox[abceoprs]-[A-Za-z0-9-]{10,}`, `xapp-[A-Za-z0-9-]{10,}`, `https://hooks\.slack\.com/(services|workflows)/[A-Za-z0-9/_-]{20,}`,
	}},
	{Name: "stripe", Means: "Stripe secret and restricted keys: sk_live_, sk_test_, rk_live_, rk_test_", patterns: []string{
		`[rs]k_(live|test)_[A-Za-z0-9]{16,}`,
	}},
}
