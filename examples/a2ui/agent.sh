#!/usr/bin/env bash
# An agent with a user interface, by A2UI (https://a2ui.org): it asks with a form
# where the client has said that it draws them, else in words.
#   sidecar run --mode oneshot --card examples/a2ui/card.json -- examples/a2ui/agent.sh
#   curl localhost:8999/message:send -H 'A2A-Extensions: https://a2ui.org/a2a-extension/a2ui/v0.9.1' …
set -eu
sidecar=${SIDECAR:-sidecar}
uri=https://a2ui.org/a2a-extension/a2ui/v0.9.1
if ! grep -qF "$uri" "$SIDECAR_MESSAGE_FILE"; then
	seats=$("$sidecar" ask "A table for how many?")
	exec "$sidecar" emit done "A table for $seats is booked."
fi
a2ui=(--extension "$uri" --media-type application/a2ui+json --part-metadata '{"mimeType":"application/a2ui+json"}')
# What comes back is the client's list of messages, with the action of the button.
action=$("$sidecar" ask "${a2ui[@]}" --data "$(cat "$(dirname "$0")/form.json")" "A table for how many?")
seats=$(sed -n 's/.*"name":"book".*"seats":"\{0,1\}\([0-9]\{1,\}\).*/\1/p' <<<"$action")
[ -n "$seats" ] || exec "$sidecar" emit done --state rejected "No table was booked: $action"
"$sidecar" emit artifact "${a2ui[@]}" --id table --name "Table" --last --data \
	'[{"version":"v0.9.1","updateComponents":{"surfaceId":"table","components":[{"id":"root","component":"Text","text":"Booked for '"$seats"'."}]}}]'
"$sidecar" emit done --extension "$uri" "A table for $seats is booked."
