#!/usr/bin/env node
// Shares compiled third-party crates between the clones of this project on one machine.
//   scripts/build-cache.mjs restore   links them into a clone without a target folder, before its first build
//   scripts/build-cache.mjs save      adds those of this clone that the cache lacks, after a build
//
// The cache is keyed by Cargo.lock, the toolchain and the build settings. Only crates of the registry are shared: cargo judges
// them by a hash that does not depend on the clone's path. It judges crates of the workspace by modification times, so a shared
// target folder would take the build of one clone for another's.
//
// Compiled crates are hard links: rustc replaces files and never writes into them. Cargo writes into fingerprints and into
// outputs of build scripts, so those are copies. All keep their modification times: cargo compiles a crate again that is older
// than one it depends on.
//
// PLEXUS_BUILD_CACHE names the folder of the cache, or is "off". Default: ~/.cache/plexus/build.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

// Folders of a target folder, one for each profile and target that the checks build. `wasm` has the macros and build scripts of
// the profile of that name.
const PROFILES = ["debug", "release", "wasm", "wasm32-unknown-unknown/wasm", "wasm32-unknown-unknown/debug"];
const KINDS = [
    { folder: "deps", add: link },
    { folder: "build", add: copy },
    { folder: ".fingerprint", add: copy },
];
const PATCHES = "crates/stand-ins";
// A cache that no clone used for so long is deleted.
const MAX_AGE_MILLIS = 14 * 24 * 3_600_000;

const root = join(import.meta.dirname, "..");
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const home = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
const caches = process.env.PLEXUS_BUILD_CACHE ?? join(home, "plexus/build");

function main() {
    if (caches === "off") return;
    const cache = join(caches, key());
    const command = process.argv[2];
    if (command === "restore") restore(cache);
    else if (command === "save") save(cache);
    else throw new Error("say restore or save");
}

function restore(cache) {
    if (fs.existsSync(target) || !fs.existsSync(cache)) return;
    const now = new Date();
    fs.utimesSync(cache, now, now);
    try {
        const added = share(cache, target, new Set());
        // Their contents are part of the key; cargo goes by times, and a new clone's are later than the build.
        for (const file of patchFiles()) fs.utimesSync(file, 0, 0);
        console.log(`build cache: ${added} files of compiled crates from ${cache}`);
    } catch (error) {
        // Cargo can build everything.
        fs.rmSync(target, { recursive: true, force: true });
        console.log(`build cache: not used: ${error.message}`);
    }
}

function save(cache) {
    try {
        fs.mkdirSync(cache, { recursive: true });
        deleteUnused();
        const added = share(target, cache, ownPackages());
        if (added > 0) console.log(`build cache: ${added} files of compiled crates added to ${cache}`);
    } catch (error) {
        console.log(`build cache: not saved: ${error.message}`);
    }
}

function deleteUnused() {
    for (const name of fs.readdirSync(caches)) {
        const folder = join(caches, name);
        if (Date.now() - fs.statSync(folder).mtimeMs > MAX_AGE_MILLIS) fs.rmSync(folder, { recursive: true, force: true });
    }
}

// Adds the files and folders of crates that `to` lacks or has of an earlier build, but for those of the packages `own`. Returns
// how many. A fingerprint comes after what it stands for, so that an interrupted run leaves no crate that seems complete.
function share(from, to, own) {
    let added = 0;
    for (const profile of PROFILES) {
        const ownHashes = hashesOf(own, join(from, profile, ".fingerprint"));
        for (const { folder, add } of KINDS) {
            const source = join(from, profile, folder);
            if (!fs.existsSync(source)) continue;
            const sink = join(to, profile, folder);
            fs.mkdirSync(sink, { recursive: true });
            const present = new Set(fs.readdirSync(sink));
            for (const name of fs.readdirSync(source)) {
                const hash = name.match(/-([0-9a-f]{16})(?:\.|$)/)?.[1];
                if (!hash || ownHashes.has(hash)) continue;
                const built = join(source, name);
                const kept = join(sink, name);
                if (present.has(name) && newest(kept) >= newest(built)) continue;
                fs.rmSync(kept, { recursive: true, force: true });
                add(built, kept);
                added += 1;
            }
        }
    }
    return added;
}

// Latest modification time of a file, or of the files in a folder, in milliseconds.
function newest(path) {
    const stat = fs.statSync(path);
    if (!stat.isDirectory()) return stat.mtimeMs;
    return Math.max(0, ...fs.readdirSync(path).map((name) => newest(join(path, name))));
}

// Hashes in the names of what was compiled from these packages.
function hashesOf(packages, fingerprints) {
    if (!fs.existsSync(fingerprints)) return new Set();
    const parts = fs.readdirSync(fingerprints).map((name) => name.match(/^(.+)-([0-9a-f]{16})$/));
    return new Set(parts.filter((part) => part && packages.has(part[1])).map((part) => part[2]));
}

// Links a file, or copies it to another file system.
function link(from, to) {
    try {
        fs.linkSync(from, to);
    } catch (error) {
        if (error.code !== "EXDEV") throw error;
        copy(from, to);
    }
}

// Copies a file or folder with its modification times, by which cargo judges outputs of build scripts. It appears when it is
// complete.
function copy(from, to) {
    const draft = `${to}.${process.pid}`;
    fs.cpSync(from, draft, { recursive: true, preserveTimestamps: true });
    fs.renameSync(draft, to);
}

// Names of the workspace's packages.
function ownPackages() {
    const metadata = execFileSync("cargo", ["metadata", "--no-deps", "--format-version", "1"], { cwd: root, maxBuffer: 1 << 26 });
    return new Set(JSON.parse(metadata).packages.map((it) => it.name));
}

// Files of the crates that replace a crate of the registry. Others depend on them, so they are shared as well.
function patchFiles() {
    const files = fs.readdirSync(join(root, PATCHES), { recursive: true, withFileTypes: true });
    return files.filter((it) => it.isFile()).map((it) => join(it.parentPath, it.name)).sort();
}

function key() {
    const hash = createHash("sha256");
    const files = ["Cargo.lock", "Cargo.toml", ".cargo/config.toml"].map((file) => join(root, file));
    for (const file of [...files, ...patchFiles()]) hash.update(fs.readFileSync(file));
    hash.update(execFileSync("rustc", ["-vV"], { cwd: root }));
    hash.update(process.env.RUSTFLAGS ?? "");
    return hash.digest("hex").slice(0, 16);
}

main();
