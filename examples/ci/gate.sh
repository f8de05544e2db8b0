#!/usr/bin/env bash
# Promotes a release if the policy passes: gate.sh RELEASE_ID ENVIRONMENT [WINDOW]
# Talks to the service at SERVICE_URL with SERVICE_LOCAL_API_TOKEN; REASON says why.
# Exit code: 0 promoted, or live already; 1 it could not be decided; 3 blocked by the policy; 4 too little evidence.
set -euo pipefail

fail() {
  printf '%s\n' "$1" >&2
  exit 1
}
usage='usage: SERVICE_URL=… gate.sh RELEASE_ID ENVIRONMENT [WINDOW]'

[[ $# -ge 2 && $# -le 3 ]] || fail "$usage"
release=$1 environment=$2 window=${3:-24h}
[[ $release =~ ^rel_[0-9a-f]+$ ]] || fail "'$release' is no release id; it looks like rel_0123456789ab"
[[ -n $environment ]] || fail "$usage"
[[ -n ${SERVICE_URL:-} ]] || fail "SERVICE_URL must be the address of the service"

code=0
outcome=$(svc release promote --env="$environment" --window="$window" --reason="${REASON:-promoted by CI}" \
  --output=json --detailed-exitcode -- "$release") || code=$?

# Only an outcome about this very release counts: what was printed, not merely how the command ended.
says() { grep --quiet --line-regexp --fixed-strings -e "  $1," -e "  $1" <<<"$outcome"; }
says "\"release_id\": \"$release\"" || fail "no outcome: ${outcome:-the command printed none}"

case $code in
  0)
    if says '"promoted_pointer_changed": true'; then
      printf 'promoted: %s\n' "$outcome"
    elif says "\"baseline_release_id\": \"$release\""; then
      printf 'live already: %s\n' "$outcome"
    else
      fail "not promoted: $outcome"
    fi
    ;;
  3) printf 'blocked by the policy: %s\n' "$outcome" && exit 3 ;;
  4) printf 'too little evidence: %s\n' "$outcome" && exit 4 ;;
  *) fail "it could not be decided: $outcome" ;;
esac
