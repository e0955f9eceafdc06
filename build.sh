#!/usr/bin/env bash
# The front door: installs what is missing, then calls CMake with a preset of CMakePresets.json.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
  cat <<'TEXT'
usage: ./build.sh [COMMAND] [ARGUMENTS]

  release       build the daemon and the libraries (default): $BUILD_DIR/$BUILD_TYPE/ssxrver
  debug         the same for a debugger
  run           release, then serve html/ from conf/ssxrver.json; ARGUMENTS go to ssxrver
  test          every test under ASan and UBSan, with clang 16; ARGUMENTS go to ctest (-R NAME,
                -L LABEL)
  tsan [LABEL]  every test, or those of a label (threads), under TSan, with GCC
  clang [TARGETS]  build everything, or these targets of CMake, with clang 16 and its thread-safety
                analysis
  headers       compile every public header alone
  fuzz [NAME]   run the fuzz targets for $SSX_FUZZ_SECONDS seconds each (60), or for
                $SSX_FUZZ_TOTAL_SECONDS in all
  coverage      every test, then lines and branches per file
  bench         build and run tests/bench, and write docs/benchmarks; ARGUMENTS go to
                tests/bench/run.sh (--quick, --resume, --extra NAME=COMMAND,
                --extra-ws NAME=COMMAND, or options of http_table.py)
  bench --install  the same, and install the servers of others that it measures beside ours
  bench --compare  build the micro-benchmarks and say what has moved since their baseline
  conformance   the tests that are too large for every day, in full size; then WebSocket by all of
                Autobahn|Testsuite, and HTTP/1 beside nginx, h2o, lighttpd, Apache and Caddy
  check         lint, clang-tidy and the unit tests: before each commit
  format        clang-format on every C++ file
  lint          layers, house rules, formatting
  install       release, then install below $PREFIX (/usr/local); $DESTDIR as usual
  packages CMD  install the Debian packages of these commands, and do nothing else
  clean         remove what these commands have built
  help          this text

  BUILD_DIR=build  BUILD_TYPE=Release   where and how to build
  SSX_NO_INSTALL=1                      print missing packages and stop
  SSX_FUZZ_WITH_TESTS=1                 fuzz targets that share the libraries of the tests: they are
                                        slower, but compile nothing a second time
  SSX_REQUIRE_PEERS=1                   a test whose peer is missing fails instead of being skipped
TEXT
}

BUILD_DIR=${BUILD_DIR:-build}
BUILD_TYPE=${BUILD_TYPE:-Release}
jobs=$(nproc)
with_fuzz=(${SSX_FUZZ_WITH_TESTS:+-DSSX_BUILD_FUZZ=ON})
# A compiler cache, if there is one, knows a file again wherever the checkout lies.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}
# Of llvm-16: what the sanitizers find is told with file and line.
export ASAN_SYMBOLIZER_PATH=/usr/lib/llvm-16/bin/llvm-symbolizer

say() { printf '== %s\n' "$*" >&2; }
die() { printf 'build.sh: %s\n' "$*" >&2; exit 1; }

# --- packages -------------------------------------------------------------------------------

packages_of() {  # COMMAND: the Debian packages it needs
  local build="g++ cmake ninja-build ragel libexpected-dev libfmt-dev libspdlog-dev
    nlohmann-json3-dev libcli11-dev zlib1g-dev libbrotli-dev libzstd-dev
    libsqlite3-dev libmariadb-dev"
  local lint="python3 clang-format-16"
  local clang="clang-16 libclang-rt-16-dev llvm-16"
  local tests="$build $lint $clang mold libgtest-dev libgmock-dev pkgconf git strace curl
    node-llhttp nginx-light libnginx-mod-stream microsocks tinyproxy-bin mariadb-client-core
    mariadb-server-core json-schema-test-suite wrk"
  local autobahn="python3-lib2to3 python3-pip python3-setuptools python3-six python3-twisted
    python3-websockets python3-wsaccel"
  local clients="chromium python3-aiohttp slowhttptest node-ws golang-github-gorilla-websocket-dev
    $autobahn"
  # These come from elsewhere as often as from Debian.
  local runtimes=
  command -v node >/dev/null || runtimes+=" nodejs"
  command -v npm >/dev/null || runtimes+=" npm"
  command -v go >/dev/null || runtimes+=" golang-go"
  clients+=$runtimes
  case $1 in
    release | debug | run | install) echo "$build" ;;
    test | tsan | coverage) echo "$tests $clients" ;;
    conformance) echo "$tests $autobahn nginx-light h2o lighttpd apache2-bin caddy" ;;
    clang | headers | fuzz) echo "$tests" ;;
    bench) echo "$build libbenchmark-dev libboost-dev libwebsocketpp-dev python3 nginx-light wrk
      iproute2 strace valgrind mariadb-client-core mariadb-server-core" ;;
    bench_peers) echo "h2o lighttpd apache2-bin media-types libjemalloc2 libgoogle-perftools4
      git make libjsoncpp-dev uuid-dev $runtimes" ;;
    check) echo "$tests clang-tidy-16" ;;
    format | lint) echo "$lint" ;;
  esac
}

# shellcheck disable=SC2086
need() {  # COMMAND...: installs what is missing with one call of apt-get
  local wanted missing as_root=()
  command -v dpkg-query >/dev/null || { say "not Debian: no packages are looked for"; return; }
  wanted=$(for command; do packages_of "$command"; done | tr -s ' \n' '\n' | sort -u)
  missing=$(comm -23 <(echo "$wanted") \
    <(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
      sed -n 's/^installed //p' | sort -u) | xargs)
  [ -n "$missing" ] || return 0
  if [ "${SSX_NO_INSTALL:-0}" != 0 ]; then
    die "missing Debian packages: $missing"
  fi
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "neither root nor sudo; please install: $missing"
    as_root=(sudo)
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -q)
  say "installing $missing"
  # Lists that are missing or too old to install from are fetched first.
  "${as_root[@]}" --simulate install $missing >/dev/null 2>&1 || "${as_root[@]}" update
  "${as_root[@]}" install -y --no-install-recommends $missing </dev/null
}

# --- building and testing -------------------------------------------------------------------

configure() {  # PRESET FOLDER [cmake arguments]
  local preset=$1 folder=$BUILD_DIR/$2
  shift 2
  say "configuring $folder ($preset)"
  mkdir -p "$folder"
  cmake --preset "$preset" -B "$folder/cmake" "$@" >"$folder/configure.log" 2>&1 ||
    { cat "$folder/configure.log" >&2; die "could not configure; see above"; }
}

build() {  # FOLDER [TARGET...]
  local folder=$BUILD_DIR/$1
  shift
  say "building $folder ${*:-all} with $jobs jobs"
  cmake --build "$folder/cmake" --parallel "$jobs" --target "${@:-all}"
}

run_tests() {  # FOLDER [ctest arguments]; the last line is ctest's own summary
  local log=$BUILD_DIR/$1/ctest.log status=0 skipped
  local tests=(ctest --test-dir "$BUILD_DIR/$1/cmake" --no-tests=error --output-on-failure
    --no-label-summary --parallel "$((jobs + 2))" "${@:2}")  # some of them mostly wait
  "${tests[@]}" </dev/null 2>&1 | tee "$log" || status=$?
  skipped=$(grep -c '\*\*\*Skipped' "$log" || true)
  echo
  echo "$skipped tests were skipped"
  grep -E '^[0-9]+% tests passed' "$log" | tail -n 1
  return "$status"
}

release() {  # [PRESET]
  configure "${1:-release}" "$BUILD_TYPE" -DCMAKE_BUILD_TYPE="$BUILD_TYPE"
  build "$BUILD_TYPE"
}

clang_tidy() {
  configure clang Clang && build Clang && say "clang-tidy" &&
    run-clang-tidy-16 -quiet -j "$jobs" -p "$BUILD_DIR/Clang/cmake" \
      "^$PWD/(ssxrver|http|websocket)/.*\.cc$"
}

fuzz_one() {  # TARGET SECONDS; what it says goes to a file, and here when it fails
  local name folder log
  name=$(basename "$1") folder=$(dirname "$1")
  log=$folder/$name.log
  mkdir -p "$folder/corpus/$name"
  if "$1" -max_total_time="$2" -timeout=25 -artifact_prefix="$folder/$name-" \
    "$folder/corpus/$name" "tests/fuzz/seeds/${name%_fuzz}" >"$log" 2>&1; then
    say "$name: $(tail -n 1 "$log")"
  else
    tail -n 100 "$log" >&2
    say "$name FAILED; its input is in $folder/$name-*"
    return 1
  fi
}

# --- commands -------------------------------------------------------------------------------

command=${1:-release}
[ $# -eq 0 ] || shift

case $command in
  help | -h | --help) usage; exit 0 ;;
  packages)
    [ $# -gt 0 ] || { usage >&2; die "packages of which command?"; }
    for name; do [ -n "$(packages_of "$name")" ] || die "unknown command: $name"; done
    need "$@"
    exit 0 ;;
  clean) ;;
  *) [ -n "$(packages_of "$command")" ] || { usage >&2; die "unknown command: $command"; }
     need "$command" ;;
esac

case $command in
  release) release ;;
  debug) BUILD_TYPE=Debug && release debug ;;
  run) release && exec "$BUILD_DIR/$BUILD_TYPE/ssxrver" -f conf/ssxrver.json "$@" ;;
  test) configure dev Asan "${with_fuzz[@]}" && build Asan && run_tests Asan "$@" ;;
  tsan) configure tsan Tsan && build Tsan ${1:+"$1_tests"} && run_tests Tsan ${1:+-L "$1"} ;;
  clang) configure clang Clang && build Clang "$@" ;;
  headers) configure clang Clang && build Clang all_verify_interface_header_sets ;;
  fuzz)
    preset=fuzz folder=Fuzz
    [ -z "${with_fuzz[*]}" ] || preset=dev folder=Asan
    configure "$preset" "$folder" "${with_fuzz[@]}" && build "$folder" fuzz_targets
    targets=("$BUILD_DIR/$folder"/${1:-*_fuzz})
    seconds=${SSX_FUZZ_SECONDS:-60}
    [ -z "${SSX_FUZZ_TOTAL_SECONDS:-}" ] || seconds=$((SSX_FUZZ_TOTAL_SECONDS / ${#targets[@]}))
    export -f say fuzz_one
    say "fuzzing ${#targets[@]} targets for $seconds seconds each, $jobs at a time"
    printf '%s\n' "${targets[@]}" | xargs -P "$jobs" -I{} bash -c "fuzz_one {} $seconds" ;;
  coverage)
    configure coverage Coverage && build Coverage
    find "$BUILD_DIR/Coverage" -name '*.gcda' -delete
    run_tests Coverage -LE lint "$@" || status=$?
    python3 tests/support/coverage.py "$BUILD_DIR/Coverage/cmake" .
    exit "${status:-0}" ;;
  bench)
    if [ "${1:-}" = --install ]; then
      shift
      need bench_peers && tests/bench/peers/install.sh "$BUILD_DIR/Bench"
    fi
    targets=all
    [ "${1:-}" != --compare ] || targets=micro_benches
    mapfile -t peers < <(tests/bench/peers/sources.sh --cmake "$BUILD_DIR/Bench")
    configure bench Bench "${peers[@]}" && build Bench "$targets" &&
      exec tests/bench/run.sh "$BUILD_DIR/Bench" "$@" ;;
  conformance)
    configure dev Asan -DSSX_FULL_SIZE=ON && build Asan && run_tests Asan -L conformance "$@"
    python3 tests/conformance/autobahn/run.py --build "$BUILD_DIR/Asan/cmake" \
      --echo "$BUILD_DIR/Asan/autobahn_echo" --slowest 10
    python3 tests/conformance/autobahn/run.py --build "$BUILD_DIR/Asan/cmake" \
      --own-client "$BUILD_DIR/Asan/autobahn_client" --slowest 10
    python3 tests/conformance/run.py --daemon "$BUILD_DIR/Asan/ssxrver" --peers ;;
  check)
    configure dev Asan && build Asan
    run_tests Asan -L 'lint|unit' && clang_tidy ;;
  format) python3 tests/lint/format_test.py --fix ;;
  lint) for rule in layers tidy format; do python3 "tests/lint/${rule}_test.py"; done ;;
  install)
    release && cmake --install "$BUILD_DIR/$BUILD_TYPE/cmake" --prefix "${PREFIX:-/usr/local}" ;;
  clean)
    for folder in "$BUILD_DIR"/*/; do
      [ ! -f "$folder/cmake/CMakeCache.txt" ] || rm -rf "$folder"
    done
    [ ! -d "$BUILD_DIR" ] || rmdir --ignore-fail-on-non-empty "$BUILD_DIR" ;;
esac
