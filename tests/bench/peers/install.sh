#!/usr/bin/env bash
# Installs the servers of others that Debian does not have: install.sh FOLDER_WITH_PROGRAMS
# Needs npm and go. What neither has, README.md of the folder above says.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:?usage: install.sh FOLDER_WITH_PROGRAMS}"
programs=$(cd "$1" && pwd)

if [ ! -x "$programs/npm/node_modules/.bin/bun" ]; then
  echo "== bun, with npm" >&2
  npm install --silent --no-save --prefix "$programs/npm" bun
fi
for peer in gws gorilla quickws; do
  [ ! -x "$programs/ws_$peer" ] || continue
  echo "== $peer, with go" >&2
  (cd "$here/go/$peer" && go build -o "$programs/ws_$peer" .) ||
    echo "== $peer is left out: go could not fetch or build it" >&2
done
