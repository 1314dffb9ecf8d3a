#!/bin/bash
# Installs what is missing, builds everything and runs every test.
#
#   tests/run.sh [--only STAGE,...]
#
# Stages, in this order:
#   release clang asan tsan   the GoogleTest programs, natively
#   armhf arm64               the same cross-compiled, under qemu-user, each on two processors
#   cli                       the command-line tests, native and emulated
#   images                    roots of real filesystem images, native and emulated
#   kernel                    real kernels, in virtual machines of three architectures, open what the program makes
#   format                    clang-format
#   checks                    tests/checks/*.sh: run in the tree's root, status 0 passed, 77 skipped, else failed
#
# cli, images, kernel and checks use the programs of release, armhf and arm64: with --only, those built before. The last
# line counts tests: "N passed, N failed, N skipped". The status is 0 only when nothing failed and something passed. A
# program that crashes, hangs or runs no test counts as one failure.
set -euo pipefail
export LC_ALL=C.UTF-8 PATH=$PATH:/usr/sbin:/sbin

readonly stages=(release clang asan tsan armhf arm64 cli images kernel format checks)
only=()
case $# in
    0) only=("${stages[@]}") ;;
    2) [[ $1 != --only ]] || IFS=, read -r -a only <<<"$2" ;;
esac
for stage in "${only[@]}" ; do
    [[ " ${stages[*]} " == *" $stage "* ]] || { echo "tests/run.sh: no stage $stage" >&2; only=(); break; }
done
[[ ${#only[@]} -gt 0 ]] || { echo "usage: tests/run.sh [--only STAGE,...]   stages: ${stages[*]}" >&2; exit 1; }
wanted() { [[ " ${only[*]} " == *" $1 "* ]]; }

cd "$(dirname "${BASH_SOURCE[0]}")/.."
tests/install-packages.sh tests
exec </dev/null
ulimit -c 0

readonly hang=1200 # seconds that one suite may take; the slowest takes a tenth of it under qemu
work=$(mktemp -d)
tally=$work/tally # a line a suite: place suite passed failed skipped
: >"$tally"
stop() {
    local job
    # A job is a shell that waits for its timeout, which passes the signal on to the suite.
    for job in $(jobs -p); do
        kill $(cat "/proc/$job/task/$job/children" 2>/dev/null) "$job" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT TERM

# --- reporting -------------------------------------------------------------------------------------------------------

now() { echo "$EPOCHREALTIME"; }

# report PLACE SUITE PASSED FAILED SKIPPED STARTED LOG [NOTE]: one line, under it the log if something failed or a
# caller has set `show_log`. Suites report from parallel processes, hence the lock.
report() {
    local place=$1 suite=$2 passed=$3 failed=$4 skipped=$5 started=$6 log=$7 note=${8:-}
    {
        flock 9
        echo "$place $suite $passed $failed $skipped" >>"$tally"
        awk -v place="$place" -v suite="$suite" -v p="$passed" -v f="$failed" -v s="$skipped" -v from="$started" \
            -v to="$(now)" -v note="$note" 'BEGIN {
                printf "%-4s  %-25s %-24s %5d passed %3d failed %3d skipped %7.1f s%s\n", f ? "FAIL" : "ok", place,
                       suite, p, f, s, to - from, note == "" ? "" : "  " note }'
        if [[ $failed -gt 0 || -n ${show_log:-} ]]; then
            echo "---------------- $place $suite"
            cat "$log"
            echo "----------------"
        fi
    } 9>"$work/lock"
}

# report_single PLACE SUITE STATUS STARTED LOG: something that counts as one test.
report_single() {
    case $3 in
        0) report "$1" "$2" 1 0 0 "$4" "$5" ;;
        77) report "$1" "$2" 0 0 1 "$4" "$5" "$(tail -n 1 "$5")" ;;
        *) report "$1" "$2" 0 1 0 "$4" "$5" "status $3" ;;
    esac
}

# in_turn COMMAND...: in the background, as many at a time as there are processors.
in_turn() {
    while [[ $(jobs -rp | wc -l) -ge $(nproc) ]]; do wait -n || true; done
    "$@" &
}

# --- GoogleTest programs ---------------------------------------------------------------------------------------------

# Prints "passed failed skipped" of a GoogleTest report.
count_gtest() {
    python3 - "$1" <<'PYTHON'
import json, sys

count = {"passed": 0, "failed": 0, "skipped": 0}
with open(sys.argv[1]) as file:
    report = json.load(file)
for suite in report["testsuites"]:
    for test in suite["testsuite"]:
        if test.get("failures"):
            count["failed"] += 1
        elif test["result"] == "SKIPPED":
            count["skipped"] += 1
        elif test["status"] == "RUN":
            count["passed"] += 1
print(*count.values())
PYTHON
}

# run_gtest PLACE PROGRAM [PREFIX...]: PREFIX is what the program is run through.
run_gtest() {
    local place=$1 program=$2 suite=${2##*/} started status=0 passed=0 failed=0 skipped=0 note=""
    local own
    started=$(now)
    own=$(mktemp -d "$work/suite.XXXXXX")
    # The outer redirection silences bash's own word on a crash, which the report line has.
    {
        TMPDIR=$own timeout -k 10 "$hang" "${@:3}" "$program" --gtest_output="json:$own/report.json" \
            --gtest_color=no >"$own/log" 2>&1 || status=$?
    } 2>/dev/null
    if [[ -s $own/report.json ]]; then
        read -r passed failed skipped < <(count_gtest "$own/report.json")
    fi
    if [[ $status == 124 || $status == 137 ]]; then
        failed=$((failed + 1)) note="stopped after $hang s"
    elif [[ $status != 0 && $failed == 0 ]]; then
        failed=1 note="ended with status $status"
    elif [[ $((passed + failed + skipped)) == 0 ]]; then
        failed=1 note="ran no test"
    fi
    report "$place" "$suite" "$passed" "$failed" "$skipped" "$started" "$own/log" "$note"
    rm -rf "$own"
}

# build PRESET: configures and builds; false, and reported, when that fails.
build() {
    local preset=$1 log=$work/build-$1 started status=0
    started=$(now)
    { cmake --preset "$preset" -DVERITYTOOL_TESTS=ON && cmake --build --preset "$preset" -- -j "$(nproc)"; } \
        >"$log" 2>&1 || status=$?
    [[ $status == 0 ]] || { report "$preset" build 0 1 0 "$started" "$log" "does not build"; return 1; }
    awk -v preset="$preset" -v from="$started" -v to="$(now)" \
        'BEGIN { printf "      %-25s built in %.0f s\n", preset, to - from }'
}

# run_suites PRESET PLACE [PREFIX...]
run_suites() {
    local preset=$1 place=$2 program found=0
    for program in "build/$preset/bin/tests/"*_test; do
        [[ -x $program ]] || continue
        found=1
        in_turn run_gtest "$place" "$PWD/$program" "${@:3}"
    done
    [[ $found == 1 ]] || report "$place" "(none)" 0 1 0 "$(now)" "$work/build-$preset" "no GoogleTest program was built"
}

# --- processors ------------------------------------------------------------------------------------------------------

# Which processors the ARM builds run on: the slow ones the project is for, one without NEON, one with everything.
cpus_armhf=(cortex-a7 cortex-a15,neon=off)
cpus_arm64=(cortex-a53 max)

# emulator ARCH CPU: sets `emulated` to the command that runs a program of that architecture.
emulator() {
    local qemu=qemu-arm sysroot
    [[ $1 == armhf ]] || qemu=qemu-aarch64
    sysroot=$(arch/toolchains/make-sysroot.sh "$1" 2>/dev/null)
    emulated=("$qemu" -L "$sysroot" -cpu "$2")
}

# sysroot_for ARCH: false, and reported, when there is none.
sysroot_for() {
    local log=$work/sysroot-$1 started status=0
    started=$(now)
    arch/toolchains/make-sysroot.sh "$1" >/dev/null 2>"$log" || status=$?
    [[ $status != 0 ]] || return 0
    report_single "$1" sysroot "$status" "$started" "$log"
    return 1
}

# --- stages ----------------------------------------------------------------------------------------------------------

export ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1

stage_native() {
    local preset=$1 prefix=()
    build "$preset" || return 0
    # gcc 12's thread sanitizer does not start where the kernel randomises addresses by more than 28 bits.
    if [[ $preset == tsan ]] && setarch "$(uname -m)" -R true 2>/dev/null; then prefix=(setarch "$(uname -m)" -R); fi
    run_suites "$preset" "$preset" "${prefix[@]}"
    wait
}

stage_emulated() {
    local arch=$1 cpu cpus emulated
    declare -n cpus=cpus_$arch
    sysroot_for "$arch" || return 0
    build "$arch" || return 0
    for cpu in "${cpus[@]}"; do
        emulator "$arch" "$cpu"
        run_suites "$arch" "$arch $cpu" "${emulated[@]}"
    done
    wait
}

# run_counting PLACE SUITE COMMAND...: a command whose last line is "N passed, N failed[, N skipped]".
run_counting() {
    local place=$1 suite=$2 started status=0 own last passed=0 failed=0 skipped=0 note=""
    started=$(now)
    own=$(mktemp -d "$work/suite.XXXXXX")
    TMPDIR=$own timeout -k 10 "$hang" "${@:3}" >"$own/log" 2>&1 || status=$?
    last=$(tail -n 1 "$own/log")
    if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
        passed=${BASH_REMATCH[1]} failed=${BASH_REMATCH[2]} skipped=${BASH_REMATCH[4]:-0}
        if [[ $status != 0 && $failed == 0 ]]; then failed=1 note="ended with status $status"; fi
        if [[ $((passed + failed + skipped)) == 0 ]]; then failed=1 note="ran no test"; fi
    else
        failed=1 note="ended with status $status and no count"
    fi
    report "$place" "$suite" "$passed" "$failed" "$skipped" "$started" "$own/log" "$note"
    rm -rf "$own"
}

# on_each_program FUNCTION: FUNCTION PLACE PROGRAM [EMULATOR...] for the native program and one processor an
# architecture that has been built.
on_each_program() {
    local arch emulated
    in_turn "$1" release build/release/bin/veritytool
    for arch in armhf arm64; do
        [[ -x build/$arch/bin/veritytool ]] || continue
        declare -n cpus=cpus_$arch
        emulator "$arch" "${cpus[0]}"
        in_turn "$1" "$arch ${cpus[0]}" "build/$arch/bin/veritytool" "${emulated[@]}"
    done
    wait
}

run_cli() {
    local place=$1 program=$2 emulator=()
    shift 2
    [[ $# == 0 ]] || emulator=(--emulator "${*@Q}")
    run_counting "$place" cli python3 tests/cli/run.py --program "$program" "${emulator[@]}"
}

run_images() { run_counting "$1" images images/check-roots.sh "${@:2}"; }

# run_kernel ARCH: with its cases, the kernel's version and what it computes with, which are what one wants to know.
run_kernel() {
    local show_log=1
    run_counting "$1" kernel python3 tests/kernel/run.py --arch "$1" --program build/release/bin/veritytool
}

stage_kernel() {
    local arch log started status
    for arch in amd64 armhf arm64; do
        log=$work/vm-$arch started=$(now) status=0
        tests/kernel/make-vm.sh "$arch" >/dev/null 2>"$log" || status=$?
        if [[ $status == 0 ]]; then
            in_turn run_kernel "$arch"
        else
            report_single "$arch" vm "$status" "$started" "$log"
        fi
    done
    wait
}

stage_format() {
    local started status=0
    started=$(now)
    find . \( -path ./build -o -path ./.git \) -prune -o \( -name '*.cc' -o -name '*.h' \) -print |
        sort | xargs clang-format --dry-run -Werror >"$work/format" 2>&1 || status=$?
    report_single tree clang-format "$status" "$started" "$work/format"
}

stage_checks() {
    local check started status
    for check in tests/checks/*.sh; do
        [[ -x $check ]] || continue
        started=$(now) status=0
        timeout -k 10 "$hang" "$check" >"$work/check" 2>&1 || status=$?
        report_single tree "${check##*/}" "$status" "$started" "$work/check"
    done
}

for stage in "${stages[@]}"; do
    wanted "$stage" || continue
    case $stage in
        release | clang | asan | tsan) stage_native "$stage" ;;
        armhf | arm64) stage_emulated "$stage" ;;
        cli | images) on_each_program "run_$stage" ;;
        *) "stage_$stage" ;;
    esac
done

# A GoogleTest suite may be skipped whole on one processor, not on all of them.
if [[ ${#only[@]} == "${#stages[@]}" ]]; then
    nowhere=$(awk '$(NF - 3) ~ /_test$/ { ran[$(NF - 3)] += $(NF - 2) + $(NF - 1) }
                   END { for (suite in ran) if (!ran[suite]) print suite }' "$tally")
    for suite in $nowhere; do
        report everywhere "$suite" 0 1 0 "$(now)" /dev/null "every test of it was skipped"
    done
fi

awk '{ passed += $(NF - 2); failed += $(NF - 1); skipped += $NF }
     END {
         printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
         exit !(failed == 0 && passed > 0)
     }' "$tally"
