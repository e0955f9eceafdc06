#!/usr/bin/env bash
# Runs everything of this folder, and writes what came out into the pages of docs/benchmarks:
#   run.sh FOLDER_WITH_PROGRAMS [--resume]
#   run.sh FOLDER_WITH_PROGRAMS --quick    half an hour; into pages in FOLDER_WITH_PROGRAMS/results
#   run.sh FOLDER_WITH_PROGRAMS [options of http_table.py]    that table alone
#   run.sh FOLDER_WITH_PROGRAMS --compare [options of micro/compare.py]    the parts alone
# What is measured is saved in FOLDER_WITH_PROGRAMS/results; --resume does not measure it again.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
programs=${1:?usage: run.sh FOLDER_WITH_PROGRAMS [--resume | --quick | options of http_table.py]}
shift
pages=$here/../../docs/benchmarks
results=$programs/results
resume=no
quick=no
case ${1:-} in
  --compare) shift; exec python3 "$here/micro/compare.py" --programs "$programs/micro" "$@" ;;
  --resume) resume=yes; shift ;;
  --quick) quick=yes; shift ;;
  "") ;;
  *) exec python3 "$here/http_table.py" --programs "$programs" "$@" ;;
esac
[ $# -eq 0 ] || { echo "run.sh: $1 is for a table alone" >&2; exit 2; }

mkdir -p "$results"
if [ "$quick" = yes ]; then
  cp "$pages"/*.md "$results"
  pages=$results
elif [ "$resume" = no ]; then
  rm -f "$results"/*.json
fi
status=0

measure() {  # NAME SCRIPT [OPTIONS]: a table, saved as NAME.json
  local saved=$results/$1.json how
  how=(--json "$saved")
  [ "$resume" = no ] || [ ! -f "$saved" ] || how=(--replay "$saved")
  echo "== $1: $2 ${how[0]}"
  # A missed target, or what has become slower, is said; the rest is worth measuring all the same.
  python3 "$here/$2" --programs "$programs" "${how[@]}" "${@:3}" || status=1
}
hurried() {  # OPTIONS: what a --quick run gives its tables
  [ "$quick" = no ] || printf '%s\n' "$@"
}
mapfile -t table < <(hurried --quick)
mapfile -t border < <(hurried --rounds 3 --requests 320)
mapfile -t once < <(hurried --rounds 1)

measure http http_table.py --page "$pages/http.md" --svg "$pages/http.svg" "${table[@]}"
measure websocket ws_table.py --page "$pages/websocket.md" --svg "$pages/websocket.svg" \
  "${table[@]}"
measure curves curves.py --svg "$pages" "${table[@]}"
measure parts micro/compare.py --programs "$programs/micro" --page "$pages/parts.md" "${once[@]}"
measure plugins border_table.py --page "$pages/plugins.md" "${border[@]}"
measure questions questions/ask.py --page "$pages/questions.md" "${once[@]}"
echo "== log_bench"
"$programs/log_bench"
echo "== mysql_table.py"
python3 "$here/mysql_table.py" --programs "$programs" "${once[@]}" || status=1
echo "== footprint.py"
python3 "$here/footprint.py" || status=1
echo "== what was measured is in $results, the pages in $pages"
exit "$status"
