#!/usr/bin/env bash
# Runs everything of this folder: run.sh FOLDER_WITH_PROGRAMS [http_table.py's options]
# Or the parts alone beside their baseline: run.sh FOLDER --compare [micro/compare.py's options]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
programs=${1:?usage: run.sh FOLDER_WITH_PROGRAMS [options of http_table.py]}
shift

if [ "${1:-}" = --compare ]; then
  shift
  exec python3 "$here/micro/compare.py" --programs "$programs/micro" "$@"
fi
for program in "$programs"/micro/*_bench "$programs"/*_bench; do
  [ -x "$program" ] || continue
  echo "== ${program##*/}"
  "$program"
done
echo "== footprint.py"
status=0
python3 "$here/footprint.py" || status=1  # too large: the rest is worth measuring all the same
echo "== ws_table.py"
quick=()
[[ " $* " != *" --quick "* ]] || quick=(--quick)
python3 "$here/ws_table.py" --programs "$programs" "${quick[@]}"
echo "== border_table.py"
border=()
[[ " $* " != *" --quick "* ]] || border=(--rounds 3 --requests 320)
python3 "$here/border_table.py" --programs "$programs" "${border[@]}" || status=1
echo "== questions/ask.py"
rounds=()
[[ " $* " != *" --quick "* ]] || rounds=(--rounds 1)
python3 "$here/questions/ask.py" --programs "$programs" "${rounds[@]}" || status=1
echo "== curves.py"
curves=()
[[ " $* " != *" --quick "* ]] || curves=(--quick)
python3 "$here/curves.py" --programs "$programs" "${curves[@]}" || status=1
echo "== http_table.py"
python3 "$here/http_table.py" --programs "$programs" "$@" || status=$?
exit "$status"
