#!/usr/bin/env bash
# Makes `cargo xtask aarch64` possible on a Debian x86-64 machine: emulator, linker, standard library.
#
# Uses Debian's packages and crates alone, no rustup download: the standard library is compiled from
# the sources that Debian ships for the very compiler named in rust-toolchain.toml. Where rustup may
# download, `rustup target add aarch64-unknown-linux-gnu` replaces the second half of this script.
#
# What is already there is left as it is, so a second run costs a second. Exit 1 with one line that
# names the missing part if something cannot be had.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=aarch64-unknown-linux-gnu
packages=(qemu-user-static gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
# Debian's suite with newer compilers; the release itself stays several versions behind.
source_suite=trixie-backports

main() {
    version=$(sed -n 's/^channel *= *"\(.*\)"$/\1/p' rust-toolchain.toml)
    [[ -n $version ]] || give_up "rust-toolchain.toml names no channel"
    sysroot=$(rustc "+$version" --print sysroot 2>/dev/null) || give_up "Rust $version is not installed"
    scratch=$(mktemp --directory)
    trap 'rm -rf "$scratch"' EXIT
    # apt drops its rights while downloading and must still reach the folder.
    chmod 755 "$scratch"

    have_emulator_and_linker || install_emulator_and_linker
    have_standard_library || { have_sources || install_sources; build_standard_library; }
    echo "setup-aarch64: ready"
}

have_emulator_and_linker() {
    command -v qemu-aarch64-static >/dev/null &&
        command -v aarch64-linux-gnu-gcc >/dev/null &&
        [[ -e /usr/aarch64-linux-gnu/lib/libc.so ]]
}

install_emulator_and_linker() {
    echo "setup-aarch64: installing ${packages[*]}"
    command -v apt-get >/dev/null || give_up "apt-get is missing; only Debian is supported"
    [[ $(id --user) -eq 0 ]] || give_up "installing ${packages[*]} needs root"
    export DEBIAN_FRONTEND=noninteractive
    { apt-get -qq update && apt-get -qq install --yes --no-install-recommends "${packages[@]}"; } \
        >"$scratch/install.log" 2>&1 ||
        give_up "cannot install ${packages[*]}: $(tail -n 1 "$scratch/install.log")"
}

have_standard_library() {
    compgen -G "$sysroot/lib/rustlib/$target/lib/libstd-*.rlib" >/dev/null
}

have_sources() {
    [[ -e $sysroot/lib/rustlib/src/rust/library/Cargo.lock ]]
}

# Downloads the sources without touching the machine's own package lists: apt is pointed at lists,
# cache and sources of its own, on whichever mirror this machine already uses.
install_sources() {
    echo "setup-aarch64: fetching the standard library's sources, version $version"
    local mirror found apt_options
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 2>/dev/null |
        sed -n 1p)
    [[ -n $mirror ]] || give_up "apt knows no Debian mirror"

    mkdir -p "$scratch"/apt/{lists/partial,cache/archives/partial,sources,preferences} "$scratch/download"
    cat >"$scratch/apt/sources/only.sources" <<END
Types: deb
URIs: $mirror
Suites: $source_suite
Components: main
Architectures: amd64
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
    apt_options=(
        -o "Dir::State::lists=$scratch/apt/lists"
        -o "Dir::State::status=/dev/null"
        -o "Dir::Cache=$scratch/apt/cache"
        -o "Dir::Etc::sourcelist=/dev/null"
        -o "Dir::Etc::sourceparts=$scratch/apt/sources"
        -o "Dir::Etc::preferencesparts=$scratch/apt/preferences"
    )
    apt-get "${apt_options[@]}" -qq update >"$scratch/update.log" 2>&1 ||
        give_up "cannot read $source_suite: $(tail -n 1 "$scratch/update.log")"
    # Debian appends "+dfsg..." to the upstream version.
    found=$(apt-cache "${apt_options[@]}" madison rust-src |
        awk -F '[ |]+' -v wanted="$version+" 'index($3, wanted) == 1 { print $3; exit }')
    [[ -n $found ]] || give_up "$source_suite has no rust-src $version"

    (cd "$scratch/download" && apt-get "${apt_options[@]}" -qq download "rust-src=$found" &&
        dpkg-deb --extract rust-src_*.deb unpacked) >"$scratch/download.log" 2>&1 ||
        give_up "cannot fetch rust-src $found: $(tail -n 1 "$scratch/download.log")"

    # Renamed into place last, so that an interrupted run leaves nothing half copied behind.
    mkdir -p "$sysroot/lib/rustlib/src/rust"
    cp -r "$scratch"/download/unpacked/usr/src/rustc-*/library "$sysroot/lib/rustlib/src/rust/library.partial"
    mv "$sysroot/lib/rustlib/src/rust/library.partial" "$sysroot/lib/rustlib/src/rust/library"
}

# Builds an empty crate with its own standard library and keeps only the latter.
build_standard_library() {
    echo "setup-aarch64: building the standard library for $target (about two minutes)"
    local seed=$scratch/seed libraries=$sysroot/lib/rustlib/$target/lib
    mkdir -p "$seed/src" "$libraries.partial"
    echo '#![no_std]' >"$seed/src/lib.rs"
    printf '[package]\nname = "seed"\nversion = "0.0.0"\nedition = "2024"\n' >"$seed/Cargo.toml"
    # RUSTC_BOOTSTRAP lets the stable cargo build a standard library, which is nightly-only otherwise.
    (cd "$seed" && env -u RUSTFLAGS RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$scratch/target" \
        cargo "+$version" build --quiet --release --target "$target" \
        -Z build-std=std,panic_unwind,test,proc_macro) >"$scratch/build.log" 2>&1 ||
        give_up "the standard library does not build: $(tail -n 1 "$scratch/build.log")"

    cp "$scratch/target/$target"/release/deps/*.rlib "$libraries.partial/"
    rm -f "$libraries.partial"/libseed-*.rlib
    rm -rf "$libraries"
    mv "$libraries.partial" "$libraries"
}

give_up() {
    echo "setup-aarch64: $1" >&2
    exit 1
}

main
