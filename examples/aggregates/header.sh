#!/bin/sh
# Prints the first line of an import: sh header.sh SOURCE ENGINE FROM_MS TO_MS QUERIES.sql…
set -eu
source=$1 engine=$2 from_ms=$3 to_ms=$4
shift 4
digest=$(cat "$@" | { sha256sum 2>/dev/null || shasum -a 256; } | cut -c 1-64)
printf '{"aggregates":"v1","source":"%s","engine":"%s","query_sha256":"%s","as_of":"%s","covers":{"from_ms":%s,"to_ms":%s}}\n' \
  "$source" "$engine" "$digest" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$from_ms" "$to_ms"
