#!/usr/bin/env bash
# Installs the servers of others that Debian does not have: install.sh FOLDER_WITH_PROGRAMS
# Needs npm and go, and what sources.sh needs. What is there is not fetched again; what cannot be
# fetched or built is left out and told.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:?usage: install.sh FOLDER_WITH_PROGRAMS}"
programs=$(cd "$1" && pwd)
bun=1.4.5  # where this moves, another one that was installed before is replaced

if [ "$("$programs/npm/node_modules/.bin/bun" --version 2>/dev/null)" != "$bun" ]; then
  echo "== bun $bun, with npm" >&2
  npm install --silent --no-save --prefix "$programs/npm" "bun@$bun" ||
    echo "== bun is left out: npm could not fetch or install it" >&2
fi
for peer in gws gorilla quickws; do
  [ ! -x "$programs/ws_$peer" ] || continue
  echo "== $peer, with go" >&2
  (cd "$here/go/$peer" && go build -o "$programs/ws_$peer" .) ||
    echo "== $peer is left out: go could not fetch or build it" >&2
done
"$here/sources.sh" "$programs"
