#!/usr/bin/env bash
# The servers of others that only their own repositories have, below FOLDER_WITH_PROGRAMS/sources:
#   sources.sh FOLDER_WITH_PROGRAMS            fetches and builds those that are missing
#   sources.sh --cmake FOLDER_WITH_PROGRAMS    what CMake is told of those that are there
# Needs git, make, cmake, a compiler, and for Drogon libjsoncpp-dev and uuid-dev. What cannot be
# fetched or built is left out and told. SSX_PEER_SOURCES: where the repositories are, if not at
# GitHub.
set -euo pipefail
usage="usage: sources.sh [--cmake] FOLDER_WITH_PROGRAMS"
from=${SSX_PEER_SOURCES:-https://github.com}
export GIT_TERMINAL_PROMPT=0  # who is not there is no reason to ask for a password

fetch() {  # FOLDER REPOSITORY COMMIT: that commit alone, and what was built of another one is gone
  local git=(git -C "$sources/$1")
  [ "$("${git[@]}" rev-parse --verify HEAD 2>/dev/null)" != "$3" ] || return 0
  echo "== $1, from $from/$2" >&2
  git init --quiet "$sources/$1" && "${git[@]}" fetch --quiet --depth 1 "$from/$2" "$3" &&
    "${git[@]}" checkout --quiet --force --detach FETCH_HEAD && "${git[@]}" clean -fdxq
}

build_usockets() {
  [ -e "$sources/uSockets/uSockets.a" ] ||
    make -C "$sources/uSockets" WITH_OPENSSL=0 WITH_BORINGSSL=0
}

build_drogon() {
  local into=$sources/drogon/build commits
  commits=$(for from in drogon drogon/trantor; do git -C "$sources/$from" rev-parse HEAD; done)
  [ "$(cat "$into/installed" 2>/dev/null)" != "$commits" ] || return 0
  cmake -S "$sources/drogon" -B "$into" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_INSTALL_PREFIX="$sources/inst" -DTRANTOR_USE_TLS=none \
    -DBUILD_CTL=OFF -DBUILD_EXAMPLES=OFF -DBUILD_ORM=OFF -DBUILD_BROTLI=OFF &&
    cmake --build "$into" --parallel "$(nproc)" && cmake --install "$into" &&
    echo "$commits" >"$into/installed"
}

hand() {  # VARIABLE PATH: what the user has said, else the path, if there is one
  local value=${!1:-}
  [ -n "$value" ] || [ ! -e "$2" ] || value=$2
  [ -z "$value" ] || echo "-D$1=$value"
}

tell_cmake() {
  local prefixes=${CMAKE_PREFIX_PATH:-} installed=$sources/inst
  hand SSX_UWEBSOCKETS_INCLUDE "$sources/uWebSockets/src"
  hand SSX_USOCKETS_INCLUDE "$sources/uSockets/src"
  hand SSX_USOCKETS_LIBRARY "$sources/uSockets/uSockets.a"
  [ ! -e "$installed" ] || prefixes+=${prefixes:+:}$installed
  # Where Drogon was found before is forgotten: CMake would not look again.
  [ -z "$prefixes" ] || printf '%s\n' "-DCMAKE_PREFIX_PATH=${prefixes//:/;}" -UDrogon_DIR
}

if [ "${1:-}" = --cmake ]; then
  sources=$(realpath -m "${2:?$usage}/sources")
  tell_cmake
  exit 0
fi
mkdir -p "${1:?$usage}/sources"
sources=$(cd "$1/sources" && pwd)

{ fetch uWebSockets uNetworking/uWebSockets 66dcff3dd48f0c19dd1703426365d062039321d0 &&
  fetch uSockets uNetworking/uSockets 86097c490263ab662d62e8e7b541390bdec7d149 &&
  build_usockets; } ||
  echo "== uWebSockets is left out: git could not fetch it, or make not build it" >&2
{ fetch drogon drogonframework/drogon 74fc004c8dc8244fe3b6c56628601053b5a15c37 &&
  fetch drogon/trantor an-tao/trantor 63a4e5e164e219dc3bf30cdbfa1462ae5602fa97 &&
  build_drogon; } ||
  echo "== Drogon is left out: git could not fetch it, or cmake not build it" >&2
