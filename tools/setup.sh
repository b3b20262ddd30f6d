# Set-up that ./run, ./test and .ci/run share: install what is missing, configure, build. POSIX sh, to be sourced with
# $root set. Everything it says goes to stderr: stdout belongs to the program.

say()
{
    echo "$*" >&2
}

have()
{
    command -v "$1" >/dev/null 2>&1
}

# The library `$1` (or `$2`) can be compiled against.
have_library()
{
    have pkg-config && { pkg-config --exists "$1" || pkg-config --exists "${2:-$1}"; }
}

# Debian packages that the program needs and the machine lacks. What counts is what is there, not which package it is from.
missing_for_program()
{
    have cmake || echo cmake
    have ninja || echo ninja-build
    have cc || echo gcc
    [ -e /usr/include/stdlib.h ] || echo libc6-dev
    have pkg-config || echo pkg-config
    have_library yaml-0.1 || echo libyaml-dev
    have_library hdf5-serial hdf5 || echo libhdf5-dev
    have_library zlib || echo zlib1g-dev
    have_library expat || echo libexpat1-dev
}

# And what the tests need beyond that: a locale with a decimal comma is made from its source; the Python package is built
# and tested in a virtual environment; completions are loaded by the shells they are for.
missing_for_tests()
{
    [ -e /usr/share/i18n/locales/de_DE ] || echo locales
    python3 -c 'import ensurepip, venv' 2>/dev/null || echo python3-venv
    python3 -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null || echo python3-dev
    [ -e /etc/ssl/certs/ca-certificates.crt ] || echo ca-certificates
    have zsh || echo zsh
    have fish || echo fish
}

# install PACKAGE...: with apt, as root or by sudo. Ends with status 77 when neither is possible.
install()
{
    [ $# -gt 0 ] || return 0
    line="apt-get update && apt-get install -y --no-install-recommends $*"
    if ! have apt-get; then
        say "This machine has no apt-get. Please install what these Debian packages hold: $*"
        exit 77
    elif [ "$(id -u)" -eq 0 ]; then
        as_root=
    elif have sudo && sudo -n true 2>/dev/null; then
        as_root="sudo -n"
    else
        say "Packages are missing, and installing them needs root. Please run this as root, then try again:"
        say ""
        say "    $line"
        say ""
        exit 77
    fi
    say "Installing $*"
    $as_root apt-get update -q >&2 </dev/null || say "apt-get update failed; trying with the lists that are there"
    if ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@" >&2 </dev/null; then
        say "Installing failed: $line"
        exit 1
    fi
}

# What decides whether a build of another day still fits: the place of the sources, whether warnings are errors (in CI),
# whether Python can be built against, and, as the release build is tuned for the machine, its processor.
fingerprint()
{
    echo "$root${CI:+, CI}"
    command -v python3-config
    grep -m 1 -E '^(flags|Features)' /proc/cpuinfo 2>/dev/null | cksum
}

# configure PRESET: when needed.
configure()
{
    dir="$root/build/$1"
    mkdir -p "$dir" || exit 1
    if [ ! -f "$dir/build.ninja" ] || [ "$(fingerprint)" != "$(cat "$dir/.fingerprint" 2>/dev/null)" ]; then
        native=OFF
        [ "$1" != release ] || native=ON
        werror=OFF
        [ "${CI:-}" != true ] || werror=ON
        (cd "$root" && cmake --fresh --preset "$1" -DPOLHODE_NATIVE=$native -DPOLHODE_WERROR=$werror) >&2 9>&- || exit 1
        fingerprint >"$dir/.fingerprint"
    fi
}

# build PRESET [TARGET...]: configures when needed and builds. Says nothing when there is nothing to do.
build()
{
    mkdir -p "$root/build/$1" || exit 1
    if have flock; then # two calls at once build one after the other
        exec 9>"$root/build/$1/.lock"
        flock 9
    fi
    configure "$1"
    shift
    rm -f "$dir/.failed"
    { cmake --build "$dir" ${1:+--target "$@"} 2>&1 9>&- || : >"$dir/.failed"; } |
        grep -v -e 'no work to do' -e 'Re-checking globbed' >&2
    [ ! -e "$dir/.failed" ] || exit 1
    exec 9>&-
}
