package search

import (
	"slices"
	"strings"
	"sync"
)

// synonymLists has a line for each set of words that stand for each other in what people ask of
// tools. A word may be in several lines.
const synonymLists = `
delete remove erase drop destroy trash purge rm clear empty flush discard
create add new make open insert generate build register
update edit modify change alter patch set replace
rename move mv
get fetch read retrieve show view display print return
download save export
upload import
save store write put keep
list enumerate ls
search find lookup query locate look google
run execute invoke launch start call trigger
stop kill terminate halt abort shut end shutdown
restart reboot retry rerun again
send deliver post publish
reply respond answer
email mail inbox
newsletter subscription
unsubscribe leave
file document content
directory folder dir
repository repo
pr pull
branch fork
history log revisions commits
undo revert rollback back restore
database db sql
query statement select
issue ticket bug
error exception failure crash problem
meeting event appointment calendar
reschedule update
meeting call conference
image picture photo drawing
big size large
small compress reduce shrink resize
zip archive compress
resize scale dimensions
pay payment charge money
refund reimburse
invoice bill
balance money
package parcel shipment
package dependency library module
customer client
contact person people lead
colleague coworker employee member
message chat dm text
text sms
website web page url site link
site host server
up respond alive health
article news story headline
headline newest
summarize tldr shorten condense
convert transform conversion
schedule book plan
reserve book
permission access right
secret password credential key token
log journal
todo task reminder item
copy duplicate clone cp
instance server machine vm host
weather forecast temperature rain sun snow
translate language
metric statistic stat measure
slow performance explain profile
merge combine join
presentation powerpoint slide deck
spreadsheet excel sheet csv
speech voice audio speak aloud
song music track
video movie film clip
drive travel route car
route directions navigate
vacation holiday leave absence
salary payslip wage
alert alarm warn notify monitor
user account person
usage reference use
release version deploy
config configuration setting yaml
regex regular pattern
k8s kubernetes
infrastructure cloud
stock share
bitcoin crypto coin
price cost quote
doc document
cpu processor
dependency vulnerability
certificate ssl tls
light lamp
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
			for _, w := range words {
				if w != root && !slices.Contains(table[root], w) {
					table[root] = append(table[root], w)
				}
			}
		}
	}
	return table
})

// synonyms returns the stems that stand for a stem.
func synonyms(root string) []string { return synonymTable()[root] }
