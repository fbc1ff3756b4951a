package search

import (
	"strings"
	"sync"
)

// synonymLists has a line for each set of words that stand for each other in the names of
// tools. A word is in one line only.
const synonymLists = `
delete remove erase drop destroy trash purge
create add new make open insert
update edit modify change alter patch rename
get fetch read retrieve show view download load
list enumerate
search find lookup query locate
run execute invoke launch start
stop kill terminate halt abort
send deliver post
email mail inbox
file document
directory folder dir
repository repo
database db sql
issue ticket bug
meeting event appointment calendar
image picture photo
pay payment charge
refund reimburse
customer client
contact person lead
message chat dm text
website web page url site
convert transform conversion
schedule book plan
permission access right
secret password credential
log journal
todo task reminder
copy duplicate clone
instance server machine vm host
weather forecast temperature
translate language
metric statistic stat
merge combine join
`

// synonymTable returns for each stem of the lists the stems of its line.
var synonymTable = sync.OnceValue(func() map[string][]string {
	table := map[string][]string{}
	for line := range strings.Lines(synonymLists) {
		words := strings.Fields(line)
		for i, w := range words {
			words[i] = stem(w)
		}
		for _, root := range words {
			table[root] = words
		}
	}
	return table
})

// synonyms returns the stems that stand for a stem, itself included.
func synonyms(root string) []string { return synonymTable()[root] }
