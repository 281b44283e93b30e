#!/bin/sh
# Give the Docker tests an engine and a base image, unattended, on Debian or Ubuntu.
#
#   scripts/docker_for_tests.sh [FOLDER]     FOLDER (default .cache/docker) keeps the
#                                            engine's data and the base as a tarball
#
# Does what is missing and nothing else: installs docker.io and debootstrap (as root),
# starts dockerd if none answers, imports envplatform/base:bookworm (Debian with its
# Python and git). A second run takes seconds. An engine that this script started is
# stopped with:  kill "$(cat FOLDER/dockerd.pid)"
set -eu

folder=${1:-.cache/docker}
image=envplatform/base:bookworm
suite=bookworm
packages=python3,git,ca-certificates
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
tarball=$folder/base-$suite.tar

say() { echo "docker_for_tests: $*" >&2; }
fail() { say "$*"; exit 1; }
answers() { docker version >/dev/null 2>&1; }

need() { # need COMMAND PACKAGE
  command -v "$1" >/dev/null 2>&1 && return
  [ "$(id -u)" = 0 ] || fail "$1 is missing: run 'apt-get install $2' as root"
  command -v apt-get >/dev/null 2>&1 || fail "$1 is missing, and this is no Debian"
  say "installing $2"
  # With a policy that starts nothing: the engine is started below, with our options.
  policy=/usr/sbin/policy-rc.d
  [ -e $policy ] || { printf '#!/bin/sh\nexit 101\n' >$policy && chmod +x $policy && ours=1; }
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$2" >&2 ||
    { apt-get update >&2 && DEBIAN_FRONTEND=noninteractive \
      apt-get install -y --no-install-recommends "$2" >&2; }
  [ "${ours:-}" ] && rm -f $policy
  command -v "$1" >/dev/null 2>&1 || fail "$2 was installed, $1 is still missing"
}

start() { # start STORAGE-DRIVER: no bridge and no firewall rules, as sandboxes have no network
  say "starting dockerd ($1)"
  # In a session of its own, with nothing of ours open: it outlives this script.
  # Its sockets lie in /run: paths of sockets must be short.
  setsid dockerd --data-root "$folder/data" --exec-root /run/envplatform-docker \
    --pidfile "$folder/dockerd.pid" --storage-driver "$1" \
    --iptables=false --ip6tables=false --bridge=none \
    >"$folder/dockerd.log" 2>&1 </dev/null &
  pid=$!
  for _ in $(seq 60); do
    answers && return 0
    kill -0 $pid 2>/dev/null || return 1
    sleep 0.5
  done
  kill $pid
  return 1
}

mirror() { # the Debian mirror that apt uses here
  sed -n -e 's/^URIs:[[:space:]]*\([^ ]*\/debian\/\{0,1\}\)\([[:space:]].*\)\{0,1\}$/\1/p' \
    -e 's/^deb[[:space:]]\(\[[^]]*\][[:space:]]*\)\{0,1\}\([^ ]*\/debian\/\{0,1\}\)[[:space:]].*$/\2/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/*.sources \
    /etc/apt/sources.list.d/*.list 2>/dev/null | head -n 1
}

bootstrap() {
  need debootstrap debootstrap
  [ "$(id -u)" = 0 ] || fail "debootstrap must run as root"
  from=$(mirror)
  from=${from:-http://deb.debian.org/debian}
  say "unpacking Debian $suite from $from"
  rm -rf "$folder/root" "$tarball.part"
  debootstrap --variant=minbase --include="$packages" "$suite" "$folder/root" "$from" \
    >"$folder/debootstrap.log" 2>&1 || { tail -n 20 "$folder/debootstrap.log" >&2; exit 1; }
  rm -rf "$folder/root/var/cache/apt" "$folder/root/var/lib/apt/lists" \
    "$folder/root/usr/share/doc" "$folder/root/usr/share/man" "$folder/root/usr/share/locale"
  tar --numeric-owner --exclude='./dev/*' -C "$folder/root" -cf "$tarball.part" .
  rm -rf "$folder/root"
  mv "$tarball.part" "$tarball"
}

need docker docker.io
if ! answers; then
  need dockerd docker.io
  [ "$(id -u)" = 0 ] || fail "no engine answers: start it (systemctl start docker)"
  start overlay2 || start fuse-overlayfs || start vfs || {
    tail -n 20 "$folder/dockerd.log" >&2
    fail "dockerd does not start; its log is $folder/dockerd.log"
  }
fi
if ! docker image inspect "$image" >/dev/null 2>&1; then
  [ -s "$tarball" ] || bootstrap
  say "importing $image"
  docker import "$tarball" "$image" >/dev/null
fi
docker run --rm --network none "$image" python3 --version >&2
say "ready: $image on Docker $(docker version --format '{{.Server.Version}}')"
