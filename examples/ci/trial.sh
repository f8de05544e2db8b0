#!/usr/bin/env bash
# Runs releases side by side and prints their run events: trial.sh ENVIRONMENT RELEASE_ID FOLDER [RELEASE_ID FOLDER…] -- COMMAND…
# In each of ROUNDS rounds (default 10) COMMAND runs in the folder of each release at the same time; a round begins when all
# are done, so that every release meets the same minutes of the same provider.
# COMMAND gets RELEASE_ID, ENVIRONMENT, ROUND (1 to ROUNDS) and ROUNDS. It runs its part of the tasks, and prints run events,
# one JSON object per line. They have the time at which the run ended, and a run_id that no other run has.
# Exit code: 0; 1 COMMAND failed, or an argument is wrong.
set -euo pipefail

fail() {
  printf 'trial: %s\n' "$1" >&2
  exit 1
}
usage='usage: [ROUNDS=10] trial.sh ENVIRONMENT RELEASE_ID FOLDER [RELEASE_ID FOLDER…] -- COMMAND…'

[[ $# -ge 5 ]] || fail "$usage"
environment=$1 rounds=${ROUNDS:-10}
shift
sides=()
while [[ $# -gt 0 && $1 != -- ]]; do
  sides+=("$1")
  shift
done
[[ $# -ge 2 && ${#sides[@]} -ge 2 && $((${#sides[@]} % 2)) -eq 0 ]] || fail "$usage"
shift
[[ $rounds =~ ^[1-9][0-9]{0,3}$ ]] || fail "ROUNDS must be 1 to 9999, not '$rounds'"
for ((side = 0; side < ${#sides[@]}; side += 2)); do
  [[ ${sides[side]} =~ ^rel_[0-9a-f]+$ ]] || fail "'${sides[side]}' is no release id"
  [[ -d ${sides[side + 1]} ]] || fail "there is no folder ${sides[side + 1]}"
done

printed=$(mktemp -d) pids=()
trap 'rm -rf "$printed"' EXIT
trap 'kill "${pids[@]}" 2>/dev/null || true; exit 1' HUP INT TERM

for ((round = 1; round <= rounds; round++)); do
  pids=()
  for ((side = 0; side < ${#sides[@]}; side += 2)); do
    (
      cd -- "${sides[side + 1]}"
      RELEASE_ID=${sides[side]} ENVIRONMENT=$environment ROUND=$round ROUNDS=$rounds exec "$@"
    ) >"$printed/$side" &
    pids+=("$!")
  done
  failed=''
  for index in "${!pids[@]}"; do
    wait "${pids[index]}" || failed=${sides[2 * index]}
  done
  [[ -z $failed ]] || fail "$1 failed for $failed in round $round"
  cat "$printed"/*
done
