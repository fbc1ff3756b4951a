package tool

// instead says for names of arguments that models write to a tool of this kind, and that the tool of the ID does not have,
// what to write instead, and for pointers what must be there. Callers are told it with the fault.
func instead(id string) map[string]string {
	const file = "write file_path"
	switch id {
	case "read":
		return map[string]string{
			"path": file, "filename": file, "absolute_path": file, "target_file": file,
			"start_line": "write offset", "line": "write offset", "end_line": "write limit, a number of lines", "view_range": "write offset and limit",
			"pages": "leave it out: a PDF is returned whole",
		}
	case "write":
		return map[string]string{
			"path": file, "filename": file, "target_file": file,
			"contents": "write content", "text": "write content", "file_text": "write content",
		}
	case "edit":
		return map[string]string{
			"path": file, "filename": file, "target_file": file,
			"old_str": "write old_string", "old_text": "write old_string", "new_str": "write new_string", "new_text": "write new_string",
			"expected_replacements": "write replace_all if old_string is there more than once",
			"edits":                 "write old_string and new_string: one call makes one replacement",
		}
	case "apply_patch":
		const named = "leave it out: the patch names its files"
		return map[string]string{
			"input": "write patch", "diff": "write patch", "patch_text": "write patch", "patchText": "write patch", "content": "write patch",
			"file_path": named, "path": named, "paths": named,
		}
	case "glob":
		return map[string]string{
			"glob": "write pattern", "glob_pattern": "write pattern",
			"dir": "write path", "directory": "write path", "dir_path": "write path", "target_directory": "write path",
			"respect_git_ignore": "write ignored for what .gitignore leaves out",
		}
	case "grep":
		return insteadGrep()
	case "bash":
		return map[string]string{
			"cmd": "write command", "script": "write command", "cwd": "write dir", "workdir": "write dir", "working_directory": "write dir",
			"timeout_ms": "write timeout", "timeout_seconds": "write timeout, in milliseconds",
			"run_in_background": "leave it out: what goes on is for the tool background, if it is offered", "is_background": "leave it out: what goes on is for the tool background, if it is offered",
			"dangerouslyDisableSandbox": "leave it out: the sandbox stays on", "restart": "leave it out: nothing lasts from one call to the next",
		}
	}
	return insteadOther(id)
}

func insteadGrep() map[string]string {
	return map[string]string{
		"-i": "write ignore_case", "-A": "write after", "-B": "write before", "-C": "write context",
		"-n": "leave it out: output_mode content shows the numbers of lines", "-l": "write output_mode files_with_matches", "-c": "write output_mode count",
		"-r": "leave it out: directories below path are searched too", "offset": "leave it out: the file at output_path has the rest",
		"glob": "write include", "include_pattern": "write include", "exclude_pattern": "write exclude",
		"query": "write pattern", "regex": "write pattern", "case_sensitive": "write ignore_case", "case_insensitive": "write ignore_case",
		"dir": "write path", "directory": "write path", "dir_path": "write path", "max_results": "write head_limit", "max_count": "write head_limit",
	}
}

// insteadOther is instead of the tools that touch neither files nor commands.
func insteadOther(id string) map[string]string {
	switch id {
	case "todo":
		return map[string]string{
			"activeForm": "leave it out", "id": "leave it out", "merge": "leave it out: the list replaces the one before",
			"text": "write content", "description": "write content",
		}
	case TaskID:
		return map[string]string{
			"subagent_type": "write agent", "agent_name": "write agent", "run_in_background": "write background",
			"resume": "write context", "task_id": "write task", "timeout": "write wait, in seconds, with task", "model": "leave it out: the agent has a model of its own",
		}
	case "question":
		return map[string]string{"multiSelect": "write multi_select", "multiple": "write multi_select", "value": "write label", "preview": "write description"}
	case "web_fetch":
		return map[string]string{
			"/url": "must be a whole URL of at most 8192 characters, with http:// or https://, as in https://example.com",
			"uri":  "write url", "link": "write url",
			"prompt": "leave it out: the page itself is returned", "timeout": "leave it out: a fetch has a limit of its own",
		}
	case WebSearchID:
		const domains = "leave it out: choose among the results by their url"
		return map[string]string{
			"q": "write query", "search_term": "write query", "numResults": "write max_results", "num_results": "write max_results", "count": "write max_results", "limit": "write max_results",
			"allowed_domains": domains, "blocked_domains": domains,
		}
	case SkillID:
		return map[string]string{"skill": "write name", "command": "write name", "args": "leave it out: the result is the skill's text, and you follow it"}
	case SearchID:
		return map[string]string{"max_results": "write limit", "q": "write query", "names": "write load"}
	case "background":
		return map[string]string{"cmd": "write command", "cwd": "write dir", "bash_id": "write id", "shell_id": "write id", "timeout": "write wait, in milliseconds"}
	}
	return nil
}
