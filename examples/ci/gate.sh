#!/bin/sh
# Asks whether a release may pass, or promotes it: gate.sh RELEASE_ID ENVIRONMENT [WINDOW]
# Needs curl alone. Talks to the service at SERVICE_URL with SERVICE_LOCAL_API_TOKEN, and takes from the environment:
#   GATE_MODE      check (default) asks, promote promotes if the policy passes, request asks somebody to approve that
#   GATE_REASON    why, for the audit trail, and GATE_ACTOR who; of promote and request
#   GATE_BASELINE  compare with this release rather than the promoted one; of check
#   GATE_FAIL_ON   inconclusive (default), blocked, or never: the least that is not exit code 0
#   GATE_REPORT    a file for the report in Markdown, which is printed too
#   GATE_RESULT    a file that verdict, release_id, action_id and request_id are appended to, as NAME=VALUE
# Exit code: 0 it may pass; 1 it could not be decided; 3 blocked by the policy; 4 too little evidence.
set -eu

# Nothing that names or an answer say is to be taken for a command of the pipeline: GitHub and Azure look for theirs
# within a line, too.
harmless() { sed -e 's/##\(vso\)\{0,1\}\[/# #\1[/g' -e 's/^\([[:blank:]]*\)::/\1: :/'; }

fail() {
  # One line of what can be shown.
  printf 'gate: %s\n' "$(printf '%s' "$1" | tr '\000-\037\177' ' ' | cut -c 1-1000)" | harmless >&2
  exit 1
}
usage='usage: SERVICE_URL=… [GATE_MODE=check|promote|request] gate.sh RELEASE_ID ENVIRONMENT [WINDOW]'

{ [ $# -ge 2 ] && [ $# -le 3 ]; } || fail "$usage"
release=$1 environment=$2 window=${3:-24h}
mode=${GATE_MODE:-check} fail_on=${GATE_FAIL_ON:-inconclusive} baseline=${GATE_BASELINE:-}
# What every request begins with.
url=${SERVICE_URL:-}
while [ "$url" != "${url%/}" ]; do url=${url%/}; done

is_id() { printf '%s\n' "$1" | grep -q -x -E 'rel_[0-9a-f]+' && [ "$(printf '%s\n' "$1" | wc -l)" -eq 1 ]; }
is_id "$release" || fail "'$release' is no release id; it looks like rel_0123456789ab"
[ -z "$baseline" ] || is_id "$baseline" || fail "GATE_BASELINE '$baseline' is no release id"
case $environment in '' | *[[:cntrl:]]*) fail "$usage" ;; esac
case $mode in check | promote | request) ;; *) fail "GATE_MODE must be check, promote or request, not '$mode'" ;; esac
case $fail_on in blocked | inconclusive | never) ;; *) fail "GATE_FAIL_ON must be blocked, inconclusive or never, not '$fail_on'" ;; esac
case $url in http://?* | https://?*) ;; *) fail 'SERVICE_URL must be the address of the service' ;; esac

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM

# Bytes as %XX, so that any name is one part of a URL.
encoded() { printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n' | sed 's/../%&/g'; }

# A text as JSON. Control characters become blanks: a name that needs them is not found, and a reason does without.
json() { printf '"%s"' "$(printf '%s' "$1" | tr '\000-\037\177' ' ' | sed 's/[\\"]/\\&/g')"; }

# Sends a request; the status is printed, the answer goes to $folder/body. The token stands in no list of processes.
# Redirects are not followed: their answer would be that of somebody else.
send() {
  {
    [ -z "${SERVICE_LOCAL_API_TOKEN:-}" ] || printf 'Authorization: Bearer %s\n' "$SERVICE_LOCAL_API_TOKEN"
    [ -z "${GATE_ACTOR:-}" ] || printf 'X-Service-Actor: %s\n' "$(printf '%s' "$GATE_ACTOR" | LC_ALL=C tr -cd '\040-\176')"
  } | curl --silent --show-error --globoff --proto =http,https --max-time 60 --header @- \
    --output "$folder/body" --dump-header "$folder/headers" --write-out '%{http_code}' "$@"
}

read_url() { status=$(send --retry 2 "$url$1") || fail "$url can't be reached"; }
refused() { fail "$url answered $status: $(head -c 1000 "$folder/body")"; }

# Appends to GATE_RESULT.
tell() { [ -z "${GATE_RESULT:-}" ] || printf '%s=%s\n' "$1" "$2" >>"$GATE_RESULT"; }

# The gate is asked by agent, which stands at a known place of the release's record.
read_url "/v1/releases/$release"
[ "$status" = 200 ] || refused
agent=$(sed -n "s/^{\"release_id\":\"$release\",\"agent_id\":\"\([^\"\\\\]*\)\",.*/\1/p" "$folder/body")
[ -n "$agent" ] || fail "$url/v1/releases/$release is no record of a release whose agent can be read"

query="window=$(encoded "$window")&release_id=$release&page_url=$(encoded "$url")"
[ -z "$baseline" ] || query="$query&baseline_release_id=$baseline"
read_url "/v1/gate/$(encoded "$agent")/$(encoded "$environment")/report?$query"
[ "$status" = 200 ] || refused
cp "$folder/body" "$folder/report"
verdict=$(tr -d '\r' <"$folder/headers" | sed -n 's/^[Xx]-[Ss]ervice-[Vv]erdict: *//p' | tail -n 1)
case $verdict in pass | block | inconclusive) ;; *) fail "$url does not say a verdict; is it the service itself?" ;; esac

done_id=''
if [ "$mode" != check ]; then
  case $mode in
    promote) path=/v1/promote begins='{"action_id":"act_' ;;
    request) path=/v1/promote/request begins='{"request_id":"prq_' ;;
  esac
  body="{\"release_id\":\"$release\",\"environment\":$(json "$environment"),\"window\":$(json "$window"),\"reason\":$(json "${GATE_REASON:-asked for by a pipeline}")}"
  status=$(send --header 'Content-Type: application/json' --data-raw "$body" "$url$path") ||
    fail "$url broke off; look at \`svc release history\` before you try again"
  case $status in
    200)
      case $(head -c 40 "$folder/body") in "$begins"*) ;; *) refused ;; esac
      verdict=pass
      done_id=$(sed -n 's/^{"[a-z_]*":"\([a-z]*_[0-9a-f]*\)".*/\1/p' "$folder/body")
      ;;
    409)
      # What it says now counts, and that what the gate said before has changed.
      [ "$verdict" != pass ] || verdict=block
      ;;
    *) refused ;;
  esac
fi

harmless <"$folder/report"
[ -z "${GATE_REPORT:-}" ] || cp "$folder/report" "$GATE_REPORT"
tell verdict "$verdict"
tell release_id "$release"
if [ -n "$done_id" ]; then
  case $mode in
    promote) tell action_id "$done_id" ;;
    request) tell request_id "$done_id" ;;
  esac
  printf '%s: %s\n' "$mode" "$done_id"
fi

case $verdict:$fail_on in
  pass:* | *:never | inconclusive:blocked) exit 0 ;;
  block:*) exit 3 ;;
  inconclusive:*) exit 4 ;;
esac
