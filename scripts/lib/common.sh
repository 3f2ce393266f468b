# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# Sourced by the bash scripts: finds the project; functions that print progress lines, errors and help, and run
# commands.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUILD=$(realpath -m "${AEROGPU_BUILD_DIR:-$ROOT/build}")

# Progress lines count from the start of the first script, not of a script that it calls.
export AEROGPU_BEGAN=${AEROGPU_BEGAN:-$EPOCHSECONDS}
SECONDS=$((EPOCHSECONDS - AEROGPU_BEGAN))

# Prints one progress line, with the seconds since the start.
say() {
  printf '[%4ds] %s\n' "$SECONDS" "$*" >&2
}

# Ends the script with a message that says what went wrong.
die() {
  printf '%s: error: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# Prints the comment on top of the script, which is its help text.
help_text() {
  awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"
}

# Ends the script because of an option that it does not know.
unknown_option() {
  die "unknown option '$1'; ${0##*/} --help lists them"
}

# need_value OPTION ARGUMENTS-LEFT: dies if an option that needs a value is the last argument.
need_value() {
  (($2 > 1)) || die "$1 needs a value"
}

# QEMU's configure takes no blank or colon in a path, and the dynamic loader splits LD_PRELOAD at both.
check_paths() {
  case $ROOT$BUILD in
    *[[:space:]:]*)
      die "neither QEMU's build nor LD_PRELOAD takes a path with a blank or a colon in it; checkout: '$ROOT'," \
        "build folder: '$BUILD'"
      ;;
  esac
  mkdir -p "$BUILD" 2>/dev/null || true
  [[ -d $BUILD && -w $BUILD ]] || die "cannot write to the build folder '$BUILD'; AEROGPU_BUILD_DIR names another one"
}

# tick TITLE LOG SECONDS: prints at this interval the elapsed time and the last line of LOG (if that is a folder, of its
# newest file). Runs in the background until the script ends or kills it.
tick() {
  local title=$1 log=$2 every=$3 begin=$SECONDS next=$3
  trap - EXIT
  while sleep 1 && kill -0 "$$" 2>/dev/null; do
    if ((SECONDS - begin >= next)); then
      say "  ... $title: $((SECONDS - begin)) s, $(last_line "$log")"
      next=$((next + every))
    fi
  done
}
last_line() {
  local log=$1
  if [[ -d $log ]]; then log=$log/$(ls -t "$log" | sed -n 1p); fi
  tail -c 300 "$log" | tr '\r' '\n' | grep . | tail -n 1 | cut -c1-100
}

# note_time TITLE BEGAN: adds a step's duration to the file $TIMES, if a script has set that, for where_time_goes.py.
TIMES=''
note_time() {
  if [[ $TIMES ]]; then printf '%d\t%s\n' $((EPOCHSECONDS - $2)) "$1" >>"$TIMES"; fi
}
# timed TITLE COMMAND...: runs a command that prints its own progress, and notes its time for where_time_goes.py.
timed() {
  local title=$1 began=$EPOCHSECONDS
  shift
  "$@"
  note_time "$title" "$began"
}

# try_logged TITLE LOGFILE COMMAND...: runs a long command with its output in a log file; prints a line every 15 s. If
# the command fails, prints the log's end, sets `why` to the reason, and returns false. The command stays in the
# foreground, so that Ctrl-C reaches it.
try_logged() {
  local title=$1 log=$2 ticker code=0
  shift 2
  mkdir -p "$(dirname "$log")"
  say "$title"
  : >"$log"
  tick "$title" "$log" 15 >/dev/null &
  ticker=$!
  local began=$EPOCHSECONDS
  "$@" >"$log" 2>&1 </dev/null || code=$?
  kill "$ticker" 2>/dev/null || true
  wait "$ticker" 2>/dev/null || true
  note_time "$title" "$began"
  if ((code == 0)); then return 0; fi
  tail -n 60 "$log" >&2
  why="$title failed (exit $code); the whole output is in $log"
  if (($(df -k --output=avail "$log" | tail -n 1) < 1024)); then why="$title failed: the disk of '$BUILD' is full"; fi
  return 1
}

# run_logged TITLE LOGFILE COMMAND...: like try_logged, but ends the script if the command fails.
run_logged() {
  local why
  try_logged "$@" || die "$why"
}
