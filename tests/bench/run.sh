#!/usr/bin/env bash
# Measures tables, curves, parts and questions, and writes them into their places in the pages of
# docs/benchmarks:
#   run.sh FOLDER_WITH_PROGRAMS [--resume] [EXTRA...]
#   run.sh FOLDER_WITH_PROGRAMS --quick [EXTRA...]
#                                    half an hour; into pages in FOLDER_WITH_PROGRAMS/results/quick
#   run.sh FOLDER_WITH_PROGRAMS [options of http_table.py]    that table alone
#   run.sh FOLDER_WITH_PROGRAMS --compare [options of micro/compare.py]    the parts alone
# EXTRA is one more server: --extra NAME=COMMAND of HTTP, --extra-ws NAME=COMMAND of WebSockets.
# What is measured is saved in FOLDER_WITH_PROGRAMS/results; --resume does not measure it again, and
# wants the same EXTRA, machine and commit.
# log_bench, mysql_table.py and footprint.py come last, and are printed alone. where.py and
# thesis/experiments.py are not run. What pages say of these five is written by hand.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
programs=${1:?usage: run.sh FOLDER_WITH_PROGRAMS [[--resume | --quick] [--extra NAME=COMMAND]
  [--extra-ws NAME=COMMAND] | options of http_table.py | --compare]}
shift
pages=$here/../../docs/benchmarks
results=$programs/results
resume=no
quick=no
extra=()     # as http_table.py and curves.py take them
extra_ws=()  # as ws_table.py does
if [ "${1:-}" = --compare ]; then
  exec python3 "$here/micro/compare.py" --programs "$programs/micro" "${@:2}"
fi

refuse() { echo "run.sh: $1" >&2; exit 2; }
bring() {  # OPTION NAME=COMMAND: one more server; a table must not find out hours later
  [[ $2 =~ ^[[:alnum:]_.+-]+=.*[^[:space:]] ]] || refuse "$1 wants NAME=COMMAND, not '$2'"
  case $1 in
    --extra) extra+=(--extra "$2") ;;
    --extra-ws) extra_ws+=(--extra "$2") ;;
  esac
}
given=("$@")
while [ $# -gt 0 ]; do
  case $1 in
    --resume) resume=yes ;;
    --quick) quick=yes ;;
    --extra=* | --extra-ws=*) bring "${1%%=*}" "${1#*=}" ;;
    --extra | --extra-ws)
      [ $# -gt 1 ] || refuse "$1 wants NAME=COMMAND"
      bring "$1" "$2"
      shift ;;
    *)
      [ "$resume$quick${#extra_ws[@]}" = nono0 ] ||
        refuse "$1 is for the table of HTTP alone; a whole run takes --extra and --extra-ws"
      exec python3 "$here/http_table.py" --programs "$programs" "${given[@]}" ;;
  esac
  shift
done
[ "$resume$quick" != yesyes ] || refuse "--resume or --quick, not both"

[ "$quick" = no ] || results=$results/quick  # --resume must not take it for the whole
mkdir -p "$results"
if [ "$quick" = yes ]; then
  cp "$pages"/*.md "$results"
  pages=$results
fi
resumable() {  # FILE... [EXTRA...]
  python3 "$here/resumable.py" "$@" ||
    refuse "nothing was measured or written; without --resume all of it is, anew"
}
if [ "$resume" = yes ]; then  # all of it, before the first page is written
  resumable "$results"/{http,curves}.json "${extra[@]}"
  resumable "$results/websocket.json" "${extra_ws[@]}"
  resumable "$results"/{parts,plugins,questions,load}.json
else
  rm -f "$results"/*.json
fi
status=0

measure() {  # NAME SCRIPT [OPTIONS]: a table, saved as NAME.json
  local saved=$results/$1.json how
  how=(--json "$saved")
  case $resume,$2 in
    no,*) ;;
    yes,http_table.py | yes,ws_table.py) how+=(--resume) ;;  # they are saved row by row
    *) [ ! -f "$saved" ] || how=(--replay "$saved") ;;
  esac
  echo "== $1: $2 ${how[*]}"
  # A missed target, or what has become slower, is said; the rest is worth measuring all the same.
  python3 "$here/$2" --programs "$programs" "${how[@]}" "${@:3}" || status=1
}
hurried() {  # OPTIONS: what a --quick run gives its tables
  [ "$quick" = no ] || printf '%s\n' "$@"
}
mapfile -t table < <(hurried --quick)
mapfile -t border < <(hurried --rounds 3 --requests 320)
mapfile -t once < <(hurried --rounds 1)

measure http http_table.py --page "$pages/http.md" --svg "$pages/http.svg" "${table[@]}" \
  "${extra[@]}"
measure websocket ws_table.py --page "$pages/websocket.md" --svg "$pages/websocket.svg" \
  "${table[@]}" "${extra_ws[@]}"
measure curves curves.py --page "$pages/http.md" --svg "$pages" "${table[@]}" "${extra[@]}"
measure parts micro/compare.py --programs "$programs/micro" --page "$pages/parts.md" "${once[@]}"
measure plugins border_table.py --page "$pages/plugins.md" "${border[@]}"
measure questions questions/ask.py --page "$pages/questions.md" "${once[@]}"
measure load load_table.py --page "$pages/load.md" "${table[@]}"
echo "== log_bench"
"$programs/log_bench" || status=1
echo "== mysql_table.py"
python3 "$here/mysql_table.py" --programs "$programs" "${once[@]}" || status=1
echo "== footprint.py"
python3 "$here/footprint.py" || status=1
echo "== what was measured is in $results, the pages in $pages"
exit "$status"
