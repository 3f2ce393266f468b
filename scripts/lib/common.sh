# SPDX-License-Identifier: MIT
# Sourced by the shell scripts: where the project lies, progress lines, errors.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUILD=${AEROGPU_BUILD:-$ROOT/build}

# One progress line, with the seconds since the script began.
say() {
  printf '[%4ds] %s\n' "$SECONDS" "$*" >&2
}

# Ends the script with a message that names what went wrong.
die() {
  printf '%s: error: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# Runs a long command with its output in a log file; shows a line every 15 s and the log's end on failure.
# run_logged TITLE LOGFILE COMMAND...
run_logged() {
  local title=$1 log=$2 pid begin=$SECONDS next=15
  shift 2
  mkdir -p "$(dirname "$log")"
  say "$title"
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.2
    if ((SECONDS - begin >= next)); then
      say "  ... $title: $((SECONDS - begin)) s, $(tail -c 300 "$log" | tr '\r' '\n' | tail -n 1 | cut -c1-100)"
      next=$((next + 15))
    fi
  done
  if ! wait "$pid"; then
    tail -n 60 "$log" >&2
    die "$title failed; the whole output is in $log"
  fi
}
