#!/bin/sh
# The first step of the GitHub action: registers, sends run events, asks gate.sh, and writes the summary of the job.
# Everything comes from the environment; action.yml says what.
set -eu

here=$(dirname "$0")
report=${RUNNER_TEMP:-/tmp}/release-gate-$$.md
errors=$(mktemp)
why='the log of this step says why'

# Nothing that is printed from here on is a command to the runner, whatever names stand in it.
resume=$(od -An -N16 -v -tx1 /dev/urandom | tr -d ' \n')
printf '::stop-commands::%s\n' "$resume"

# Says at the end why the step failed: to the runner, which shows it on the job, and in the summary where no report does.
# shellcheck disable=SC2329 # The trap calls it.
finish() {
  ended=$?
  rm -f "$errors"
  printf '::%s::\n' "$resume"
  if [ "$ended" -ne 0 ]; then
    why=$(printf '%s' "$why" | tr '\000-\037\177' ' ' | sed 's/##\(vso\)\{0,1\}\[/# #\1[/g' | cut -c 1-1000)
    printf '::error title=Release gate::%s\n' "$(printf '%s' "$why" | sed 's/%/%25/g')"
    [ -s "$report" ] || printf '### Release gate: could not decide\n\n    %s\n' "$why" >>"$GITHUB_STEP_SUMMARY"
  fi
}
trap finish EXIT

fail() {
  why=$1
  printf '%s\n' "$why" >&2
  exit 1
}

# Runs a command. The last line that it writes to stderr says why it failed.
run() {
  status=0
  "$@" 2>"$errors" || status=$?
  cat "$errors" >&2
  return "$status"
}
last() { tail -n 1 "$errors" | sed -e 's/^svc: //' -e 's/^gate: //'; }

# A pull request of a fork has no secrets. Whoever needs it gated runs the gate where it is merged.
if [ "${IS_FORK:-}" = true ] && [ -z "${SERVICE_LOCAL_API_TOKEN:-}" ]; then
  printf 'The release gate was skipped: a pull request of a fork has no secrets.\n' | tee -a "$GITHUB_STEP_SUMMARY"
  printf 'verdict=skipped\n' >>"$GITHUB_OUTPUT"
  exit 0
fi

# svc, for what takes more than a request.
need_svc() {
  command -v svc >/dev/null && return
  [ -n "${PACKAGE:-}" ] || fail "$1 needs svc on the path, or package, which it can be installed from"
  case $PACKAGE in
    *.tgz) ;;
    *) fail 'package must be the file or URL of a .tgz: a package of this name in a registry is somebody else'\''s' ;;
  esac
  case $PACKAGE in https://* | /* | ./*) ;; *) PACKAGE=./$PACKAGE ;; esac
  run npm install --silent --ignore-scripts --global -- "$PACKAGE" >&2 || fail "svc could not be installed: $(last)"
}

release=${RELEASE_ID:-}
if [ -n "${BUNDLE:-}" ]; then
  [ -z "$release" ] || fail 'give release-id or bundle, not both'
  need_svc bundle
  release=$(run svc release register --reuse --env="$ENVIRONMENT" -- "$BUNDLE") || fail "the bundle could not be registered: $(last)"
fi
[ -n "$release" ] || fail 'give release-id or bundle'
if [ -n "${EVENTS:-}" ]; then
  need_svc events
  run svc runs ingest -- "$EVENTS" || fail "the run events could not be sent: $(last)"
fi

code=0
run env GATE_ACTOR="${GITHUB_ACTOR:-}" GATE_RESULT="$GITHUB_OUTPUT" GATE_REPORT="$report" \
  GATE_REASON="${GATE_REASON:-run ${GITHUB_RUN_ID:-} of ${GITHUB_WORKFLOW:-}}" \
  sh "$here/gate.sh" "$release" "$ENVIRONMENT" "${WINDOW:-24h}" || code=$?
if [ -s "$report" ]; then
  cat "$report" >>"$GITHUB_STEP_SUMMARY"
  printf 'report=%s\n' "$report" >>"$GITHUB_OUTPUT"
  why="$(head -n 1 "$report" | sed 's/^#* *//') (the report is in the summary of the job)"
else
  why=$(last)
fi
exit "$code"
