package policy_test

func ruleCases() []ruleCase {
	var all []ruleCase
	for _, cases := range [][]ruleCase{toolCases(), capabilityCases(), pathCases(), hostCases(), argumentCases(), callerCases(), commandCases(), dimensionCases()} {
		all = append(all, cases...)
	}
	return all
}

func toolCases() []ruleCase {
	return []ruleCase{
		{"no rule asks", "allow acme.other", "acme.echo", "ask", "default"},
		{"a tool's rule allows", "allow acme.echo", "acme.echo", "allow", "allow acme.echo"},
		{"a tool's rule denies", "deny acme.echo", "acme.echo", "deny", "deny acme.echo"},
		{"a tool's rule asks", "ask acme.echo", "acme.echo", "ask", "ask acme.echo"},
		{"a longer name is another tool", "allow acme.echo", "acme.echo2", "ask", "default"},
		{"a namespace holds its tools", "allow acme.*", "acme.echo", "allow", "allow acme.*"},
		{"a namespace holds deeper tools", "allow acme.*", "acme.db.query", "allow", "allow acme.*"},
		{"a namespace ends at a point", "allow acme.*", "acmex.echo", "ask", "default"},
		{"a tool beats its namespace", "deny acme.*; allow acme.echo", "acme.echo", "allow", "allow acme.echo"},
		{"a tool beats its namespace, strictly", "allow acme.*; deny acme.echo", "acme.echo", "deny", "deny acme.echo"},
		{"the others keep the namespace's", "deny acme.*; allow acme.echo", "acme.rm", "deny", "deny acme.*"},
		{"a longer namespace beats a shorter", "deny acme.*; allow acme.db.*", "acme.db.query", "allow", "allow acme.db.*"},
		{"everything is the least specific", "deny *; allow acme.*", "acme.echo", "allow", "allow acme.*"},
		{"everything is for every tool", "allow *", "x.y", "allow", "allow *"},
		{"of equals the strictest decides", "allow acme.echo; ask acme.echo", "acme.echo", "ask", "ask acme.echo"},
		{"deny is stricter than ask", "ask acme.echo; deny acme.echo; allow acme.echo", "acme.echo", "deny", "deny acme.echo"},
		{"a tool without a namespace", "allow shout", "shout", "allow", "allow shout"},
	}
}

func capabilityCases() []ruleCase {
	return []ruleCase{
		{"the tool's rule speaks for a capability without one", "allow acme.cat", "acme.cat fs.read=/etc/motd", "allow", "allow acme.cat"},
		{"a capability that is forbidden", "allow acme.cat; deny fs.read", "acme.cat fs.read=/etc/motd", "deny", "deny fs.read"},
		{"another capability is not touched", "allow acme.cat; deny fs.write", "acme.cat fs.read=/etc/motd", "allow", "allow acme.cat"},
		{"a capability's rule is enough without one for the tool", "allow fs.read", "acme.cat fs.read=/etc/motd", "allow", "allow fs.read"},
		{"all used capabilities must have one", "allow fs.read", "acme.cp fs.read=/a fs.write=/b", "ask", "default"},
		{"all of them have one", "allow fs.read; allow fs.write '/b'", "acme.cp fs.read=/a fs.write=/b", "allow", "allow fs"},
		{"a capability's rule is nothing to a tool that uses none", "allow fs.read", "acme.echo", "ask", "default"},
		{"every value must be allowed", "allow fs.read '/a'", "acme.cat fs.read=/a fs.read=/b", "ask", "default"},
		{"one denied value denies", "allow acme.cat; deny fs.read '/b'", "acme.cat fs.read=/a fs.read=/b", "deny", "deny fs.read"},
		{"everything does not speak for capabilities of their own", "deny *; allow fs.read", "acme.cat fs.read=/a", "deny", "deny *"},
		{"a capability at one argument only", "allow acme.cp; deny fs.read /fs.write", "acme.cp fs.read=/a", "allow", "allow acme.cp"},
		{"a capability at that argument", "allow acme.cp; deny fs.read /fs.read", "acme.cp fs.read=/a", "deny", "deny fs.read"},
	}
}

func pathCases() []ruleCase {
	return []ruleCase{
		{"a tree", "allow fs.read '/srv/**'", "a.b fs.read=/srv/x/y", "allow", "allow fs.read"},
		{"a tree holds its own directory", "allow fs.read '/srv/**'", "a.b fs.read=/srv", "allow", "allow fs.read"},
		{"a tree ends at a slash", "allow fs.read '/srv/**'", "a.b fs.read=/srvx/y", "ask", "default"},
		{"a star stays in its directory", "allow fs.read '/srv/*'", "a.b fs.read=/srv/x/y", "ask", "default"},
		{"the longer prefix decides", "allow fs.read '/srv/**'; deny fs.read '/srv/secret/**'", "a.b fs.read=/srv/secret/x", "deny", "deny fs.read"},
		{"the longer prefix decides, mildly", "deny fs.read '/srv/**'; allow fs.read '/srv/pub/**'", "a.b fs.read=/srv/pub/x", "allow", "allow fs.read"},
		{"an exact path beats a tree", "deny fs.read '/srv/**'; allow fs.read '/srv/a'", "a.b fs.read=/srv/a", "allow", "allow fs.read"},
		{"any pattern beats none", "deny fs.read; allow fs.read '**'", "a.b fs.read=/srv/a", "allow", "allow fs.read"},
		{"a name anywhere is not weaker than a tree", "allow fs.read '/srv/**'; deny fs.read '**/.env'", "a.b fs.read=/srv/x/.env", "deny", "deny fs.read"},
		{"nor is a tree weaker than a name", "deny fs.read '/etc/**'; allow fs.read '**/*.conf'", "a.b fs.read=/etc/x.conf", "deny", "deny fs.read"},
		{"a name anywhere", "allow fs.read '**/*.py'", "a.b fs.read=/srv/x.py", "allow", "allow fs.read"},
		{"the workspace", "allow fs.write '{workspace}/**'", "a.b fs.write=/ws/x", "allow", "allow fs.write"},
		{"not the workspace", "allow fs.write '{workspace}/**'", "a.b fs.write=/ws2/x", "ask", "default"},
		{"an empty variable matches nothing", "allow fs.write '{ad-hoc}/**'", "a.b fs.write=/ws/x", "ask", "default"},
		{"an uncleaned value is cleaned", "allow fs.read '/srv/**'", "a.b fs.read=/srv/../etc/x", "ask", "default"},
		{"a declared tree inside a tree", "allow acme.x; allow fs.read '/srv/**'", "acme.x fs.read=/srv/a/**~", "allow", "allow"},
		{"a declared tree is wider than a rule", "allow fs.read '/srv/a/**'", "acme.x fs.read=/srv/**~", "ask", "default"},
		{"a declared tree may reach what is forbidden", "allow acme.x; deny fs.read '/srv/secret/**'", "acme.x fs.read=/srv/**~", "deny", "deny fs.read"},
		{"a declared tree that cannot", "allow acme.x; deny fs.read '/etc/**'", "acme.x fs.read=/srv/**~", "allow", "allow acme.x"},
	}
}

func hostCases() []ruleCase {
	return []ruleCase{
		{"a host", "allow net.fetch 'api.example.com'", "a.b net.fetch=api.example.com", "allow", "allow net.fetch"},
		{"capitals and a final point", "allow net.fetch 'api.example.com'", "a.b net.fetch=API.Example.com.", "allow", "allow net.fetch"},
		{"a star is one label", "allow net.fetch '*.example.com'", "a.b net.fetch=x.example.com", "allow", "allow net.fetch"},
		{"a star is not two labels", "allow net.fetch '*.example.com'", "a.b net.fetch=x.y.example.com", "ask", "default"},
		{"a star is not none", "allow net.fetch '*.example.com'", "a.b net.fetch=example.com", "ask", "default"},
		{"a name beats a star", "allow net.fetch '*.example.com'; deny net.fetch 'db.example.com'", "a.b net.fetch=db.example.com", "deny", "deny net.fetch"},
		{"no port means the web's", "allow net.fetch 'example.com'", "a.b net.fetch=example.com:443", "allow", "allow net.fetch"},
		{"another port is not allowed", "allow net.fetch 'example.com'", "a.b net.fetch=example.com:22", "ask", "default"},
		{"another port is forbidden", "allow a.b; deny net.fetch 'example.com'", "a.b net.fetch=example.com:22", "deny", "deny net.fetch"},
		{"a port that is named", "allow net.fetch 'example.com:22'", "a.b net.fetch=example.com:22", "allow", "allow net.fetch"},
		{"a range of addresses", "allow a.b; deny net.fetch '10.0.0.0/8'", "a.b net.fetch=10.1.2.3:80", "deny", "deny net.fetch"},
		{"an address in a notation that hides it", "allow net.fetch; deny net.fetch '127.0.0.1'", "a.b net.fetch=0x7f.1", "ask", "built-in"},
		{"a declared star is inside", "allow net.fetch '*.example.com'", "a.b net.fetch=api.example.com~", "allow", "allow net.fetch"},
		{"a declared star may be forbidden", "allow a.b; deny net.fetch 'db.example.com'", "a.b net.fetch=*.example.com~", "deny", "deny net.fetch"},
		{"of a star that is judged later, a part may be forbidden", "allow a.b; deny net.fetch 'db.example.com'", "a.b net.fetch=*.example.com~~", "allow", "allow a.b"},
		{"of any host that is judged later too", "allow a.b; deny net.fetch '*.example.com'", "a.b net.fetch=*~~", "allow", "allow a.b"},
		{"what is judged later and forbidden as a whole", "allow a.b; deny net.fetch '*.example.com'", "a.b net.fetch=db.example.com:8443~~", "deny", "deny net.fetch"},
		{"every fetch is forbidden, judged later or not", "allow a.b; deny net.fetch", "a.b net.fetch=*.example.com~~", "deny", "deny net.fetch"},
		{"a tool's hosts are forbidden, judged later or not", "allow net.fetch; deny a.b", "a.b net.fetch=*.example.com~~", "deny", "deny a.b"},
		{"a call that runs and a host that is asked about", "ask a.b; ask net.fetch 'x.com'", "a.b net.fetch=x.com~ runs", "ask", "ask net.fetch"},
		{"a call that runs and a host that is allowed", "ask a.b; allow net.fetch 'x.com'", "a.b net.fetch=x.com~ runs", "allow", "allow net.fetch"},
		{"a call that runs and a host of which nothing is said", "ask a.b; ask net.fetch 'x.com'", "a.b net.fetch=y.com~ runs", "ask", "ask a.b"},
		{"a call that runs and whose tool is denied by now", "deny a.b; allow net.fetch 'x.com'", "a.b net.fetch=x.com~ runs", "deny", "deny a.b"},
		{"what is judged later is asked about at once", "allow a.b; ask net.fetch 'db.example.com'", "a.b net.fetch=*.example.com~~", "ask", "ask net.fetch"},
	}
}

func argumentCases() []ruleCase {
	return []ruleCase{
		{"an argument", "allow acme.deploy /env 'staging'", `acme.deploy {"env":"staging"}`, "allow", "allow acme.deploy"},
		{"another value", "allow acme.deploy /env 'staging'", `acme.deploy {"env":"prod"}`, "ask", "default"},
		{"an argument's pattern", "allow acme.deploy; deny acme.deploy /env 'prod*'", `acme.deploy {"env":"prod-eu"}`, "deny", "deny acme.deploy"},
		{"an argument that is not there", "allow acme.deploy; deny acme.deploy /env 'prod*'", `acme.deploy {}`, "allow", "allow acme.deploy"},
		{"a pointer alone: it is there", "allow acme.deploy; ask acme.deploy /force", `acme.deploy {"force":false}`, "ask", "ask acme.deploy /force"},
		{"a number", "deny acme.deploy /n '1'", `acme.deploy {"n":1}`, "deny", "deny acme.deploy"},
		{"one of a list", "allow acme.deploy; deny acme.deploy /to 'b'", `acme.deploy {"to":["a","b"]}`, "deny", "deny acme.deploy"},
		{"all of a list", "allow acme.deploy /to 'a'", `acme.deploy {"to":["a","b"]}`, "ask", "default"},
		{"a value deeper inside", "deny acme.deploy /spec/env 'prod'", `acme.deploy {"spec":{"env":"prod"}}`, "deny", "deny acme.deploy"},
		{"two arguments are not compared", "allow acme.deploy /env 'staging'; deny acme.deploy /to 'b*'", `acme.deploy {"env":"staging","to":"b1"}`, "deny", "deny acme.deploy"},
	}
}

func callerCases() []ruleCase {
	return []ruleCase{
		{"a caller by name", "allow acme.x @ann", "acme.x by ann", "allow", "allow acme.x"},
		{"another caller", "allow acme.x @ann", "acme.x by bob", "ask", "default"},
		{"nobody's name", "allow acme.x @anonymous", "acme.x", "allow", "allow acme.x"},
		{"a name is not nobody", "allow acme.x @anonymous", "acme.x by ann", "ask", "default"},
		{"callers are more specific than none", "deny acme.x; allow acme.x @ann", "acme.x by ann", "allow", "allow acme.x"},
		{"the agent is not its caller", "allow acme.x @ann", "acme.x by agent", "ask", "default"},
		{"the agent", "allow acme.x @agent", "acme.x by agent", "allow", "allow acme.x"},
		{"a caller is not the agent", "allow acme.x @agent", "acme.x by ann", "ask", "default"},
		{"what a caller may not, its agent may not", "allow acme.x @agent; deny acme.x @ann", "acme.x by agent", "deny", "deny acme.x"},
		{"one of several", "allow acme.x @ann,bob", "acme.x by bob", "allow", "allow acme.x"},
	}
}

func commandCases() []ruleCase {
	allowGit := "allow shell.run 'git push:*'; allow shell.run 'git status'; allow shell.run 'ls:*'"
	return []ruleCase{
		{"a prefix", allowGit, "x.sh shell.run='git push origin main'", "allow", "allow shell.run"},
		{"a prefix alone", allowGit, "x.sh shell.run='git push'", "allow", "allow shell.run"},
		{"a prefix is whole words", allowGit, "x.sh shell.run='git pushx'", "ask", "default"},
		{"a whole command", allowGit, "x.sh shell.run='git status'", "allow", "allow shell.run"},
		{"a whole command has no more words", allowGit, "x.sh shell.run='git status -s'", "ask", "default"},
		{"every command of a list", allowGit, "x.sh shell.run='git status && ls -l | ls'", "allow", "allow shell.run"},
		{"one command too many", allowGit, "x.sh shell.run='git status; rm -rf x'", "ask", "default"},
		{"a command in a subshell", allowGit, "x.sh shell.run='(git status; rm x)'", "ask", "default"},
		{"deny in a list", allowGit + "; deny shell.run 'rm:*'", "x.sh shell.run='git status || rm x'", "deny", "deny shell.run"},
		{"deny by another directory", "allow shell.run; deny shell.run 'rm:*'", "x.sh shell.run='/bin/rm x'", "deny", "deny shell.run"},
		{"allow is by the name as written", allowGit, "x.sh shell.run='./git push'", "ask", "default"},
		{"deny behind options", "allow shell.run; deny shell.run 'git push:*'", "x.sh shell.run='git -C /x push'", "deny", "deny shell.run"},
		{"deny inside a wrapper", "allow shell.run; deny shell.run 'rm:*'", "x.sh shell.run='env nice -n 5 timeout 3 rm x'", "deny", "deny shell.run"},
		{"allow inside a wrapper", allowGit, "x.sh shell.run='timeout 10 git push'", "allow", "allow shell.run"},
		{"inside sh -c", allowGit, "x.sh shell.run='sh -c \"git push; ls\"'", "allow", "allow shell.run"},
		{"inside sh -c, not allowed", allowGit, "x.sh shell.run='sh -c \"git push; rm x\"'", "ask", "default"},
		{"a substitution", allowGit, "x.sh shell.run='ls $(git status)'", "ask", "built-in"},
		{"deny in a substitution", allowGit + "; deny shell.run 'rm:*'", "x.sh shell.run='ls $(rm x)'", "deny", "deny shell.run"},
		{"a name that is not known", "allow shell.run", "x.sh shell.run='$X push'", "ask", "built-in"},
		{"a redirection inside", allowGit + "; allow fs.write '/ws/**'", "x.sh shell.run='ls > out'", "allow", "allow"},
		{"a redirection outside", allowGit + "; allow fs.write '/ws/**'", "x.sh shell.run='ls > /etc/x'", "ask", "default"},
		{"the tool's rule does not speak for a redirection outside", "allow x.sh", "x.sh shell.run='ls > /etc/x'", "ask", "built-in"},
		{"a redirection that is forbidden", "allow x.sh; deny fs.read '/etc/**'", "x.sh shell.run='wc < /etc/shadow'", "deny", "deny fs.read"},
		{"a tool's own pattern", "ask x.sh; allow x.sh 'git status'", "x.sh shell.run='git status'", "allow", "allow x.sh"},
		{"a tool's own pattern for a part", "ask x.sh; allow x.sh 'git status'", "x.sh shell.run='git status; ls'", "ask", "ask x.sh"},
		{"one argument", "allow shell.run 'npm run *'", "x.sh shell.run='npm run test'", "allow", "allow shell.run"},
		{"one argument is not two", "allow shell.run 'npm run *'", "x.sh shell.run='npm run test --x'", "ask", "default"},
		{"a declared command", "allow shell.run 'git:*'", "x.sh shell.run='git status~'", "allow", "allow shell.run"},
	}
}

func dimensionCases() []ruleCase {
	return []ruleCase{
		{"the strictest dimension decides", "allow acme.x; ask fs.read; deny net.fetch", "acme.x fs.read=/a net.fetch=h.example.com", "deny", "deny net.fetch"},
		{"a tool that is denied stays so", "deny acme.x; allow fs.read", "acme.x fs.read=/a", "deny", "deny acme.x"},
		{"its own program is the tool's", "allow acme.x", "acme.x shell.run='!/opt/acme/x go'", "allow", "allow acme.x"},
		{"its own program is not what shell.run is about", "allow acme.x; ask shell.run", "acme.x shell.run='!/opt/acme/x go'", "allow", "allow acme.x"},
		{"its own program by name", "allow acme.x; deny shell.run '/opt/acme/x:*'", "acme.x shell.run='!/opt/acme/x go'", "deny", "deny shell.run"},
		{"its own program needs a rule too", "allow fs.read '/a'", "acme.x fs.read=/a shell.run='!/opt/acme/x go'", "ask", "default"},
		{"a pattern of the tool brings its program", "allow acme.x '/a'", "acme.x fs.read=/a shell.run='!/opt/acme/x go'", "allow", "allow acme.x"},
		{"what the author's script does is the author's", "allow acme.x", "acme.x shell.run='!sh -c $HOME/run'", "allow", "allow acme.x"},
	}
}
