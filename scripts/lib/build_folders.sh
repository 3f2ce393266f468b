# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# Functions of the scripts that run tests, which source this after common.sh: configure, build and test the build
# folders.

LOGS=$BUILD/logs
passed=0 failed=0 skipped=0 skips=() failures=()
command -v ccache >/dev/null && launcher='ccache ' || launcher=''
# Without this ccache keeps no object that was compiled with a precompiled header (its manual, "Precompiled headers").
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
# GCC puts checksums of the headers into a precompiled one, and with others than theirs "#pragma once" fails. So a header
# in which only a comment has changed must be another one to ccache too.
export CCACHE_COMMENTS=${CCACHE_COMMENTS:-1}
# Objects are the same in each clone, so that a fresh one compiles little that another has, but for what needs a
# precompiled header of clang, which holds paths. Their debug information then names the folder of the clone that
# compiled them first.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$ROOT} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}

# configure FOLDER MESON-OPTIONS...: sets a build folder up once; `--reconfigure` keeps it in step with options.
configure() {
  local folder=$1
  shift
  if [[ -f $folder/build.ninja ]]; then set -- --reconfigure "$@"; fi
  run_logged "configure ${folder##*/}" "$LOGS/configure-${folder##*/}.log" /usr/bin/meson setup "$folder" "$ROOT" "$@"
}

# configure_sanitized NAME COMPILERS MESON-OPTIONS...: a build folder in the build folder, with the same QEMU.
configure_sanitized() {
  local folder=$BUILD/$1 compilers=$2
  shift 2
  mkdir -p "$folder"
  ln -sfn ../qemu-stock "$folder/qemu-stock"
  ln -sfn ../share "$folder/share"
  CC="$launcher${compilers% *}" CXX="$launcher${compilers#* }" configure "$folder" -Ddevice=enabled \
    -Db_lundef=false -Dbuildtype=debugoptimized "$@"
}

# The build folders by purpose; the command line of meson says which one each is.
configure_plain() { CC="${launcher}gcc" CXX="${launcher}g++" configure "$BUILD" -Ddevice=enabled -Dcomplete=true; }
# clang: thread-safety analysis, address and undefined-behaviour sanitizers, libFuzzer.
configure_sanitize() {
  configure_sanitized sanitize 'clang clang++' -Dcomplete=true -Dfuzzers=true -Doptimization=1 \
    -Db_sanitize=address,undefined
}
# For the QEMU of the backports suite, which `scripts/prepare-qemu --series backports --binary` fetches.
configure_backports() {
  local folder=$BUILD/backports
  mkdir -p "$folder"
  ln -sfn ../qemu-backports "$folder/qemu-stock"
  ln -sfn ../share "$folder/share"
  ln -sfn ../guest "$folder/guest"
  CC="${launcher}gcc" CXX="${launcher}g++" configure "$folder" -Ddevice=enabled
}
# Each source by itself, as long tests want it.
configure_apart() { configure_sanitized apart 'gcc g++' -Dcomplete=true -Dunity=off -Db_pch=false; }
# gcc, whose runtime can be preloaded into the distribution's QEMU (docs/develop/debugging.md, "Data races").
configure_tsan() { configure_sanitized tsan 'gcc g++' -Db_sanitize=thread; }
export_tsan_options() { export TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1:history_size=4; }

# For compilers, which allocate much and live shortly: huge pages where the kernel gives them on request, and no memory
# back to it. Where page faults are dear, as under a hypervisor without nested paging, clang takes half the time, gcc 0.9.
COMPILER_MALLOC=glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864:glibc.malloc.mmap_threshold=1073741824
COMPILER_MALLOC+=:glibc.malloc.trim_threshold=1073741824

# compile FOLDER TARGETS...: builds all without targets; a compiler warning is a failure.
compile() {
  local folder=$1 log=$LOGS/build-${1##*/}.log
  shift
  run_logged "build ${folder##*/}" "$log" env GLIBC_TUNABLES="$COMPILER_MALLOC" ninja -C "$folder" "$@"
  if grep -E 'warning:' "$log" | grep -v '^ninja: ' >&2; then die "the build of ${folder##*/} has warnings (log: $log)"; fi
}

# run_meson_tests TITLE FOLDER MESON-TEST-ARGUMENTS...: adds up the numbers that meson prints; continues after failures.
run_meson_tests() {
  local title=$1 folder=$2 log counts
  shift 2
  log=$LOGS/test-${title// /-}.log
  local began=$EPOCHSECONDS
  say "test: $title"
  /usr/bin/meson test -C "$folder" --no-rebuild --print-errorlogs --logbase "test-${title// /-}" "$@" 2>&1 </dev/null | tee "$log" | grep -vE '^(ninja:|$)' || true
  counts=$(python3 - "$log" <<'PY'
import re, sys
text = open(sys.argv[1], errors='replace').read()
def count(name):
    found = re.findall(r'^%s:\s+(\d+)' % name, text, re.M)
    return int(found[-1]) if found else 0
bad = count('Fail') + count('Timeout') + count('Unexpected Pass')
print(count('Ok') + count('Expected Fail'), bad, count('Skipped'), 1 if re.search(r'^Ok:', text, re.M) else 0)
PY
  )
  read -r ok bad skip ran <<<"$counts"
  if ((ran == 0)); then
    say "test: $title did not run; see $log"
    failures+=("$title: did not run")
    bad=1
  elif ((bad > 0)); then
    # meson prints only the end of a long log, and the failure may be before that. A bug-check's lines say where it was.
    awk '/^# bug-check/ { rest = 16 }
         rest-- > 0 || ((/^not ok|: Failure$|\[  FAILED  \]|^# broken rule: |^SUMMARY: /) && !seen[$0]++)' \
      "$folder/meson-logs/test-${title// /-}.txt" | head -n 80 >&2 || true
  fi
  ((passed += ok, failed += bad, skipped += skip)) || true
  # Named at the end, where they are not overlooked.
  mapfile -t -O "${#failures[@]}" failures < <(
    sed -nE "s#^ *[0-9]+/[0-9]+ (.*[^ ]) +(FAIL|TIMEOUT|UNEXPECTEDPASS|ERROR) .*#$title: \\1#p" "$log" | sort -u)
  mapfile -t -O "${#skips[@]}" skips < <(sed -nE 's/^ *[0-9]+\/[0-9]+ (.*[^ ]) +SKIP .*/\1/p' "$log")
  # Some programs run many tests, and say of each whether it was skipped.
  local -a parts
  mapfile -t parts < <(grep -aE '^ok [0-9]+ .* # SKIP' "$folder/meson-logs/test-${title// /-}.txt" | sort -u)
  skips+=("${parts[@]/#/$title: }")
  ((skipped += ${#parts[@]})) || true
  note_time "test: $title" "$began"
}

# count_skips LOG: counts what a separate step did not do.
count_skips() {
  mapfile -t -O "${#skips[@]}" skips < <(sed -nE 's/.*# SKIP/# SKIP/p' "$1")
  ((skipped += $(grep -cE '# SKIP' "$1" || true))) || true
}
