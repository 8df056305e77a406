# Clean roots of Debian for scripts/test-package and scripts/test-portable, which source this file:
# a minimal system in a folder, programs run in it by bubblewrap, without a network.

mirror=${DEBIAN_MIRROR:-http://deb.debian.org}

# why_no_clean_root ARCHIVE...: says what this machine lacks for clean roots, or nothing. Where all
# the archives are there already, it needs no network.
why_no_clean_root() {
  local program archive answer
  for program in apt-get mmdebstrap bwrap; do
    command -v "$program" >/dev/null || { echo "no $program here"; return; }
  done
  bwrap --unshare-all --uid 0 --gid 0 --ro-bind / / --proc /proc --dev /dev true 2>/dev/null ||
    { echo "bubblewrap may not make namespaces here"; return; }
  if [ "$(id -u)" -ne 0 ]; then
    command -v newuidmap >/dev/null || { echo "no newuidmap here, which others than root need"; return; }
    grep -q "^$(id -un):" /etc/subuid || { echo "no user ids for $(id -un) in /etc/subuid"; return; }
  else
    # A container's root may own too few of the ids that Debian's files have.
    awk '{ n += $3 } END { exit n < 65535 }' /proc/self/uid_map || { echo "root has too few user ids here"; return; }
  fi
  for archive in "$@"; do
    [ ! -e "$archive" ] || continue
    answer=$(mktemp)
    /usr/lib/apt/apt-helper download-file "$mirror/debian/dists/stable/InRelease" "$answer" >/dev/null 2>&1 ||
      echo "no answer from $mirror"
    rm -f "$answer"
    return
  done
}

# make_clean_root SUITE ARCHIVE PACKAGE...: the essential packages of Debian SUITE and those, unless
# the archive is there already.
make_clean_root() {
  local suite=$1 archive=$2 packages log
  [ ! -e "$archive" ] || return 0
  shift 2
  packages=$(IFS=,; echo "$*")
  log=$archive.log
  mkdir -p "$(dirname "$archive")"
  mmdebstrap --variant=essential ${packages:+"--include=$packages"} --format=tar \
    --components=main "$suite" "$archive.part" "$mirror/debian" >"$log" 2>&1 || {
    cat "$log" >&2
    echo "clean-root: mmdebstrap made no root of $suite" >&2
    return 1
  }
  mv "$archive.part" "$archive"
  rm -f "$log"
}

# unpack_clean_root ARCHIVE FOLDER: everything belongs to who calls, and there are no devices.
unpack_clean_root() {
  mkdir -p "$2"
  tar --extract --file "$1" --directory "$2" --no-same-owner --exclude './dev/*'
}

# in_root FOLDER [--share-net] COMMAND...: as root of that system, with an empty home and no network.
in_root() {
  local folder=$1 network=()
  shift
  if [ "$1" = --share-net ]; then
    network=(--share-net)
    shift
  fi
  bwrap --unshare-all "${network[@]}" --uid 0 --gid 0 --die-with-parent --bind "$folder" / --proc /proc --dev /dev \
    --tmpfs /tmp --clearenv --setenv PATH /usr/sbin:/usr/bin:/sbin:/bin --setenv HOME /tmp \
    --setenv DEBIAN_FRONTEND noninteractive --setenv LC_ALL C.UTF-8 --chdir / "$@"
}

# counts_to_five TEXT: whether it holds 1, 2, 3, 4 and 5, in this order and with no other number.
counts_to_five() {
  [ "$(grep -o '[0-9]\+' <<<"$1" | tr '\n' ' ')" = "1 2 3 4 5 " ]
}
