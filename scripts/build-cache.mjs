#!/usr/bin/env node
// Shares the compiled dependencies of this project between its clones on one machine.
//   scripts/build-cache.mjs restore   into a clone without a target folder, before its first build
//   scripts/build-cache.mjs save      from this clone, after a build
// Only crates from the registry are shared: their hashes and their freshness do not depend on the clone's path. Crates of the
// workspace are not: cargo judges them by modification times, so one clone would take another's older build for its own.
// The cache is keyed by Cargo.lock, the toolchain and the build settings. Compiled crates are hard links, which rustc
// replaces and never writes into; cargo writes into fingerprints and outputs of build scripts in place, so those are copies.
// PLEXUS_BUILD_CACHE: folder of the cache, or "off". Default: ~/.cache/plexus/build.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, linkSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

// Folders of a target folder, one for each profile that the checks build.
const PROFILES = ["debug", "wasm32-unknown-unknown/wasm", "wasm32-unknown-unknown/debug", "wasm"];
const MAX_AGE_MILLIS = 14 * 24 * 3_600_000;

const root = join(import.meta.dirname, "..");
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const caches = process.env.PLEXUS_BUILD_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "plexus/build");
if (caches === "off") process.exit(0);
const cache = join(caches, key());

if (process.argv[2] === "restore") restore();
else if (process.argv[2] === "save") save();
else throw new Error("say restore or save");

function restore() {
    if (existsSync(target) || !existsSync(cache)) return;
    const now = new Date();
    utimesSync(cache, now, now);
    try {
        share(cache, target, () => true);
    } catch (error) {
        // Another file system: a build from nothing works as well.
        rmSync(target, { recursive: true, force: true });
        console.log(`build cache: not used (${error.message})`);
        return;
    }
    console.log(`build cache: restored compiled dependencies from ${cache}`);
}

function save() {
    if (existsSync(cache)) return;
    mkdirSync(caches, { recursive: true });
    for (const name of readdirSync(caches)) {
        const age = Date.now() - statSync(join(caches, name)).mtimeMs;
        if (age > MAX_AGE_MILLIS) rmSync(join(caches, name), { recursive: true, force: true });
    }
    const own = ownNames();
    const draft = `${cache}.${process.pid}`;
    try {
        share(target, draft, (name) => !own.has(name));
        renameSync(draft, cache);
        console.log(`build cache: saved compiled dependencies to ${cache}`);
    } catch (error) {
        rmSync(draft, { recursive: true, force: true });
        console.log(`build cache: not saved (${error.message})`);
    }
}

// Copies or links what belongs to crates whose name passes `wanted`, with modification times.
function share(from, to, wanted) {
    for (const profile of PROFILES) {
        for (const [folder, isLinked] of [["deps", true], ["build", false], [".fingerprint", false]]) {
            const source = join(from, profile, folder);
            if (!existsSync(source)) continue;
            const sink = join(to, profile, folder);
            mkdirSync(sink, { recursive: true });
            for (const name of readdirSync(source)) {
                const crate = name.match(/^(.+)-[0-9a-f]{16}(?:\.|$)/)?.[1];
                if (!crate || !wanted(normalize(crate))) continue;
                if (isLinked) linkSync(join(source, name), join(sink, name));
                else cpSync(join(source, name), join(sink, name), { recursive: true, preserveTimestamps: true });
            }
        }
    }
}

// The names of the workspace's packages and of what they build.
function ownNames() {
    const metadata = execFileSync("cargo", ["metadata", "--no-deps", "--format-version", "1"], { cwd: root, maxBuffer: 1 << 26 });
    const packages = JSON.parse(metadata).packages;
    return new Set(packages.flatMap((it) => [it.name, ...it.targets.map((made) => made.name)]).map(normalize));
}

function normalize(name) {
    return name.replaceAll("-", "_").replace(/^lib/, "");
}

function key() {
    const hash = createHash("sha256");
    for (const file of ["Cargo.lock", "Cargo.toml", ".cargo/config.toml"]) hash.update(readFileSync(join(root, file)));
    hash.update(execFileSync("rustc", ["-vV"], { cwd: root }));
    hash.update(process.env.RUSTFLAGS ?? "");
    return hash.digest("hex").slice(0, 16);
}
