#!/usr/bin/env bash
# Promotes a release if the policy passes: gate.sh RELEASE_ID ENVIRONMENT [WINDOW]
# Talks to the service at SERVICE_URL with SERVICE_LOCAL_API_TOKEN; REASON says why.
# Exit code: 0 promoted, 1 blocked by the policy, 2 it could not be decided.
set -euo pipefail

release=${1:?a release id} environment=${2:?an environment} window=${3:-24h}
: "${SERVICE_URL:?the address of the service}"

decide() {
  svc release promote "$release" --env "$environment" --window "$window" --reason "${REASON:-promoted by CI}" "$@"
}

if outcome=$(decide --output json); then
  echo "promoted: $outcome"
elif [[ -n $outcome ]]; then
  echo "blocked by the policy: $outcome"
  exit 1
else
  # What went wrong stands on stderr.
  exit 2
fi
