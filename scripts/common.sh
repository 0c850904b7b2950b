# Shared functions and paths of the scripts beside it. Sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=$root/.cache
tools=$cache/tools/bin
# Packages and features of the hub. Each step names the same, so that nothing is compiled twice (`HUB` in the Makefile).
hub_crates=(--workspace --exclude plexus-frontend --features plexus-app/ssr)
PATH=$tools:$PATH

# A toolchain other than the one rust-toolchain.toml names is used only after `scripts/setup` chose it.
if [ -z "${RUSTUP_TOOLCHAIN:-}" ] && [ -s "$cache/toolchain" ]; then
    RUSTUP_TOOLCHAIN=$(cat "$cache/toolchain")
    export RUSTUP_TOOLCHAIN
fi

say() { printf '%s\n' "$@"; }

# Prints what went wrong and what to do next, and exits with 1.
fail() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# Runs a command that downloads something; retries once.
download() {
    "$@" || { say "  failed once, trying again: $*" && "$@"; }
}

# Background programs. A script sets $folder to a new folder and `started=()`, and runs `trap stop EXIT`.

# Starts a program in the background; its output goes to $folder/NAME.log.
launch() {
    local name=$1
    shift
    "$@" >"$folder/$name.log" 2>&1 &
    started+=($!)
}

# Prints the URL that a program logs when it listens; waits up to 60 s for it.
address() {
    local tries found
    for tries in {1..600}; do
        found=$(grep -som1 'http://127[^ ]*' "$folder/$1.log") && { echo "$found" && return; }
        sleep 0.1
    done
    cat "$folder/$1.log" >&2
    fail "$1 did not start; its output is above"
}

stop() {
    local child
    for child in "${started[@]}"; do kill "$child" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$folder"
}
