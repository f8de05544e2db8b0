#!/bin/sh
# The first step of the GitHub action: registers, sends run events, asks gate.sh, and writes the summary of the job.
# Everything comes from the environment; action.yml says what.
set -eu

here=$(dirname "$0")
fail() {
  printf '%s\n' "$1" >&2
  exit 1
}

# Nothing that is printed from here on is a command to the runner, whatever names stand in it.
resume=$(od -An -N16 -v -tx1 /dev/urandom | tr -d ' \n')
printf '::stop-commands::%s\n' "$resume"
trap 'printf "::%s::\n" "$resume"' EXIT

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
  npm install --silent --ignore-scripts --global -- "$PACKAGE" >&2
}

release=${RELEASE_ID:-}
if [ -n "${BUNDLE:-}" ]; then
  [ -z "$release" ] || fail 'give release-id or bundle, not both'
  need_svc bundle
  release=$(svc release register --reuse --env="$ENVIRONMENT" -- "$BUNDLE") || fail 'the bundle could not be registered'
fi
[ -n "$release" ] || fail 'give release-id or bundle'
if [ -n "${EVENTS:-}" ]; then
  need_svc events
  svc runs ingest -- "$EVENTS" || fail 'the run events could not be sent'
fi

report=${RUNNER_TEMP:-/tmp}/release-gate-$$.md
code=0
GATE_ACTOR=${GITHUB_ACTOR:-} GATE_RESULT=$GITHUB_OUTPUT GATE_REPORT=$report \
  GATE_REASON=${GATE_REASON:-run ${GITHUB_RUN_ID:-} of ${GITHUB_WORKFLOW:-}} \
  sh "$here/gate.sh" "$release" "$ENVIRONMENT" "${WINDOW:-24h}" || code=$?
if [ -s "$report" ]; then
  cat "$report" >>"$GITHUB_STEP_SUMMARY"
  printf 'report=%s\n' "$report" >>"$GITHUB_OUTPUT"
else
  printf 'The release gate could not decide; the log of this step says why.\n' >>"$GITHUB_STEP_SUMMARY"
fi
exit "$code"
