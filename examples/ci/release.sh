#!/usr/bin/env bash
# Registers a release, tries it, and promotes it if the policy passes: release.sh BUNDLE ENVIRONMENT WINDOW COMMAND…
# COMMAND runs the agent as trial.sh says, in rounds. With LIVE_FOLDER, a checkout of what is live, it runs there too, at the
# same time, as the live release.
# Talks to the service at SERVICE_URL with SERVICE_LOCAL_API_TOKEN, a token that may write. Run events go with
# SERVICE_INGEST_TOKEN, where it is set: the role `write` sends none. REASON says why. Needs gate.sh and
# trial.sh beside it.
# Exit code: 0 promoted; 1 something went wrong; 3 blocked by the policy; 4 too little evidence.
set -euo pipefail

here=$(cd -- "$(dirname -- "$0")" && pwd)

fail() {
  printf '%s\n' "$1" >&2
  exit 1
}
usage='usage: SERVICE_URL=… release.sh BUNDLE ENVIRONMENT WINDOW COMMAND…'

[[ $# -ge 4 ]] || fail "$usage"
bundle=$1 environment=$2 window=$3
shift 3
[[ -e $bundle ]] || fail "there is no bundle $bundle"
[[ -n $environment ]] || fail "$usage"
[[ $window =~ ^[0-9]+[dhmDHM]$ ]] || fail "'$window' is no window; it looks like 24h"
[[ -n ${SERVICE_URL:-} ]] || fail "SERVICE_URL must be the address of the service"

release=$(svc release register --reuse --env="$environment" -- "$bundle") || fail "$bundle could not be registered"
[[ $release =~ ^rel_[0-9a-f]+$ ]] || fail "'$release' is no release id"
printf 'registered: %s\n' "$release"

agent=$(svc release show -- "$release" | sed -n 's/^  "agent_id": "\(.*\)",$/\1/p')
[[ -n $agent ]] || fail "the agent of $release is not known"
live=$(svc release promoted --agent="$agent" --env="$environment" | cut -f3) || fail "what is live could not be read"

sides=("$release" .)
[[ -z ${LIVE_FOLDER:-} || -z $live || $live = "$release" ]] || sides+=("$live" "$LIVE_FOLDER")
events=$(mktemp)
trap 'rm -f "$events"' EXIT
# It runs code of the releases, which gets no token. What you don't trust at all needs a job of its own: a program of the same
# user can read what this one was started with.
env -u SERVICE_LOCAL_API_TOKEN -u SERVICE_INGEST_TOKEN "$here/trial.sh" "$environment" "${sides[@]}" -- "$@" >"$events" ||
  fail "$1 failed; nothing was promoted"
count=$(SERVICE_LOCAL_API_TOKEN=${SERVICE_INGEST_TOKEN:-${SERVICE_LOCAL_API_TOKEN:-}} svc runs ingest -- "$events") || fail "the run events could not be sent"
printf 'run events: %s\n' "$count"

if [[ -n $live ]]; then
  svc release diff --env="$environment" --window="$window" -- "$live" "$release" || fail "it could not be compared"
fi

GATE_MODE=promote GATE_REASON=${REASON:-promoted by CI} GATE_ACTOR=${USER:-} "$here/gate.sh" "$release" "$environment" "$window"
