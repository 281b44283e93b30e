#!/usr/bin/env bash
# Makes sure that the Debian packages named as arguments are there: installs them when
# root on a Debian-like system, otherwise names them with the command that does.
# An argument is `command:package` or `file:/path:package`.
set -euo pipefail

missing=()
for wanted in "$@"; do
  case "$wanted" in
    file:*) rest=${wanted#file:}; [ -e "${rest%%:*}" ] || missing+=("${rest##*:}") ;;
    *) command -v "${wanted%%:*}" >/dev/null 2>&1 || missing+=("${wanted##*:}") ;;
  esac
done
[ "${#missing[@]}" -eq 0 ] && exit 0

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing system packages: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
else
  echo "missing system packages; install them with:" >&2
  echo "  sudo apt-get install ${missing[*]}" >&2
  exit 1
fi
