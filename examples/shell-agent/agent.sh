#!/usr/bin/env bash
# A complete A2A agent: it reports, streams an artifact, asks, and ends.
#   AGENT_CMD=examples/shell-agent/agent.sh sidecar run --mode oneshot
#   sidecar send 'write a haiku'
set -eu
sidecar=${SIDECAR:-sidecar}
read -r topic || [ -n "$topic" ]
"$sidecar" emit status --progress 10 "thinking about: $topic"
printf 'Title: %s\n' "$topic" | "$sidecar" emit artifact --id draft --name draft.txt -
printf 'Body: three lines\n' | "$sidecar" emit artifact --id draft --append --last -
answer=$("$sidecar" ask --option yes=Publish --option no=Discard "Publish the draft?")
"$sidecar" emit done "answered: $answer"
