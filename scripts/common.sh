# Shared by the scripts beside it: where things are, and how they speak. Sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=$root/.cache
tools=$cache/tools/bin
PATH=$tools:$PATH

# A toolchain other than the one rust-toolchain.toml names is used only after `scripts/setup` chose it.
if [ -z "${RUSTUP_TOOLCHAIN:-}" ] && [ -s "$cache/toolchain" ]; then
    RUSTUP_TOOLCHAIN=$(cat "$cache/toolchain")
    export RUSTUP_TOOLCHAIN
fi

say() { printf '%s\n' "$@"; }

# Ends the script with what went wrong and what to do next.
fail() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# Runs a command that downloads something, once more if it fails.
download() {
    "$@" || { say "  failed once, trying again: $*" && "$@"; }
}
