package filesearch

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// fileTypes are the kinds of files that type takes, with the globs of their names.
func fileTypes() map[string]string {
	return map[string]string{
		"asm": "*.asm *.s *.S", "awk": "*.awk", "bazel": "*.bazel *.bzl BUILD WORKSPACE", "c": "*.c *.h *.H *.cats", "clojure": "*.clj *.cljc *.cljs *.cljx",
		"cmake": "*.cmake CMakeLists.txt", "config": "*.cfg *.conf *.config *.ini", "cpp": "*.C *.cc *.cpp *.cxx *.c++ *.H *.h *.hh *.hpp *.hxx *.h++ *.inl", "cs": "*.cs", "csproj": "*.csproj",
		"css": "*.css *.scss", "csv": "*.csv", "cuda": "*.cu *.cuh", "cython": "*.pyx *.pxi *.pxd", "d": "*.d", "dart": "*.dart", "diff": "*.diff *.patch", "docker": "*Dockerfile*",
		"elixir": "*.ex *.eex *.exs *.heex *.leex", "elm": "*.elm", "erlang": "*.erl *.hrl", "fish": "*.fish", "fortran": "*.f *.F *.f77 *.f90 *.F90 *.f95", "fsharp": "*.fs *.fsx *.fsi", "go": "*.go",
		"gradle": "*.gradle *.gradle.kts", "graphql": "*.graphql *.graphqls", "groovy": "*.groovy *.gradle", "h": "*.h *.hh *.hpp", "haskell": "*.hs *.lhs *.cabal", "hbs": "*.hbs", "html": "*.htm *.html *.ejs",
		"java": "*.java *.jsp *.jspx *.properties", "jinja": "*.j2 *.jinja *.jinja2", "js": "*.js *.jsx *.cjs *.mjs *.vue", "json": "*.json *.jsonc *.json5 composer.lock", "jsonl": "*.jsonl *.ndjson", "jupyter": "*.ipynb *.jpynb",
		"kotlin": "*.kt *.kts", "less": "*.less", "license": "LICENSE* COPYING* NOTICE*", "lisp": "*.el *.lisp *.lsp *.sc *.scm", "log": "*.log", "lock": "*.lock package-lock.json", "lua": "*.lua", "make": "Makefile* makefile GNUmakefile *.mk *.mak",
		"markdown": markdownGlobs, "md": markdownGlobs, "ml": "*.ml *.mli", "nix": "*.nix", "objc": "*.h *.m", "objcpp": "*.h *.mm", "perl": "*.pl *.PL *.perl *.pm *.t", "php": "*.php *.php3 *.php4 *.php5 *.phtml", "powershell": "*.ps1 *.psd1 *.psm1",
		"prolog": "*.pl *.pro *.prolog", "protobuf": "*.proto", "puppet": "*.pp *.epp *.erb", "py": pythonGlobs, "python": pythonGlobs, "qml": "*.qml", "r": "*.R *.r *.Rmd *.Rnw", "rst": "*.rst", "ruby": "*.rb *.gemspec *.rbw *.ru Gemfile Rakefile", "rust": "*.rs",
		"sass": "*.sass *.scss", "scala": "*.scala *.sbt", "sh": "*.sh *.bash *.zsh *.ksh *.csh *.tcsh .bashrc .bash_profile .profile .zshrc", "solidity": "*.sol", "sql": "*.sql *.psql", "svelte": "*.svelte", "svg": "*.svg", "swift": "*.swift", "systemd": "*.service *.socket *.timer *.mount *.path *.target *.unit",
		"tcl": "*.tcl", "terraform": "*.tf *.tf.json *.tfvars *.tfvars.json", "tex": "*.tex *.ltx *.cls *.sty *.bib", "tf": "*.tf *.tf.json *.tfvars *.tfvars.json", "thrift": "*.thrift", "toml": "*.toml Cargo.lock", "ts": "*.ts *.tsx *.cts *.mts", "twig": "*.twig", "txt": "*.txt",
		"verilog": "*.v *.vh *.sv *.svh", "vim": "*.vim *.vimrc .vimrc vimrc", "vue": "*.vue", "wgsl": "*.wgsl", "xml": "*.xml *.xsd *.xsl *.xslt *.dtd *.rng", "yaml": "*.yaml *.yml", "zig": "*.zig", "zsh": "*.zsh .zshrc .zshenv .zlogin .zprofile",
	}
}

const (
	markdownGlobs = "*.md *.markdown *.mdown *.mdwn *.mkd *.mkdn *.mdx"
	pythonGlobs   = "*.py *.pyi"
)

// typeGlobs returns the globs of a kind of files.
func typeGlobs(name string) (pathGlobs, error) {
	all := fileTypes()
	globs, ok := all[name]
	if !ok {
		names := slices.Sorted(maps.Keys(all))
		hint := "the types are " + strings.Join(names, ", ")
		if near := jsontree.Nearest(name, names); near != "" {
			hint = "write " + text.Quote(near, MaxQuoted) + ", or use include with a glob"
		}
		return nil, fmt.Errorf("the type %s is unknown: %s", text.Quote(name, MaxQuoted), hint)
	}
	return parsePathGlobs("type", "type", strings.Fields(globs))
}
