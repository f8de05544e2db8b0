#!/bin/sh
# Puts the report of gate.sh on a pull request of GitHub, one comment per COMMENT_KEY, which is changed the next time.
# Needs curl and jq, a GITHUB_TOKEN with `pull-requests: write`, and what GitHub sets in every job. Takes:
#   COMMENT      always, or on-failure: only where VERDICT isn't pass, and where a comment of before would be wrong by now
#   COMMENT_KEY  tells several gates of one pull request apart (default)
#   REPORT       the file with the report, and VERDICT what it says
# A comment that can't be written is a warning: the verdict stands without it.
set -eu

note() {
  printf '::notice::release gate: %s\n' "$1"
  exit 0
}
warn() {
  printf '::warning::release gate: %s\n' "$1"
  exit 0
}

key=${COMMENT_KEY:-default} when=${COMMENT:-always}
printf '%s\n' "$key" | grep -q -x -E '[A-Za-z0-9_.-]{1,64}' || {
  printf 'COMMENT_KEY must be up to 64 letters, digits, dots, dashes and underscores\n' >&2
  exit 1
}
case $when in
  never) exit 0 ;;
  always | on-failure) ;;
  *)
    printf 'COMMENT must be never, on-failure or always\n' >&2
    exit 1
    ;;
esac
# What runs there has the rights of the base, and may run code of the pull request.
[ "${GITHUB_EVENT_NAME:-}" = pull_request ] || note 'comments are for the event pull_request; this is another'
command -v jq >/dev/null || warn 'comments need jq, which is not on this runner'
[ -s "${REPORT:-}" ] || warn 'there is no report to comment'

number=$(jq -r '.pull_request.number // empty' "$GITHUB_EVENT_PATH")
from=$(jq -r '.pull_request.head.repo.full_name // empty' "$GITHUB_EVENT_PATH")
case $number in '' | *[!0-9]*) warn 'the event names no pull request' ;; esac
[ "$from" = "$GITHUB_REPOSITORY" ] || note 'no comment: the pull request is of a fork, whose jobs may not write'

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
marker="<!-- release-gate:$key -->"
comments=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/$number/comments

# Sends a request; the status is printed, the answer goes to $folder/body. The token stands in no list of processes.
send() {
  printf 'Authorization: Bearer %s\n' "$GITHUB_TOKEN" | curl --silent --globoff --proto =http,https --max-time 30 \
    --header @- --header 'Accept: application/vnd.github+json' --header 'X-GitHub-Api-Version: 2022-11-28' \
    --output "$folder/body" --write-out '%{http_code}' "$@" || printf 'none'
}

# Ours is made by a bot and begins with the marker; anybody may write a comment that holds it.
found='' page=1
while [ "$page" -le 20 ]; do
  status=$(send "$comments?per_page=100&page=$page")
  [ "$status" = 200 ] || warn "the comments can't be read (status $status); the job needs pull-requests: write"
  found=$(jq -r --arg marker "$marker" \
    'map(select(.user.type == "Bot" and (.body // "" | startswith($marker)))) | first.id // empty' "$folder/body")
  if [ -n "$found" ] || [ "$(jq length "$folder/body")" -lt 100 ]; then break; fi
  page=$((page + 1))
done

if [ "$when" = on-failure ] && [ "${VERDICT:-}" = pass ] && [ -z "$found" ]; then exit 0; fi

# A comment holds 65,536 characters.
jq -n --arg marker "$marker" --rawfile report "$REPORT" '{body: ($marker + "\n" + $report)[:65000]}' >"$folder/comment"
if [ -n "$found" ]; then
  status=$(send --request PATCH --data "@$folder/comment" "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/comments/$found")
else
  status=$(send --request POST --data "@$folder/comment" "$comments")
fi
case $status in
  200 | 201) ;;
  *) warn "the comment can't be written (status $status); the job needs pull-requests: write" ;;
esac
