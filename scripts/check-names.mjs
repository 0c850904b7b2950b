#!/usr/bin/env node
// Checks names and comments against the style rule of CONTRIBUTING.md ("Words"). Part of `make lint`.
//   1. No two `pub` types of one crate share a name, outside CONVENTIONAL.
//   2. No word of DENIED in a comment, no word of DENIED_IN_NAMES in an identifier.
// Exit status 1: each violation is printed as file:line.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

// Names whose module says which one is meant, by convention of the ecosystem.
const CONVENTIONAL = new Set(["Error", "Result", "Config", "Event", "State", "Kind", "Item", "Output", "Future"]);
const DENIED = ["whoever", "nobody", "somebody", "everybody", "anybody", "whom", "anew", "leash", "veil"];
// Older names of terms in docs/glossary.md are among them.
const DENIED_IN_NAMES = ["whoever", "nobody", "somebody", "anybody", "leash", "veil", "asker", "conductor", "decider", "door", "doors", "telling", "wish"];
const TEST_CODE = /(^|\/)(tests|benches|fuzz|examples|stand-ins|conformance)\/|(^|\/)tests?\.rs$|_tests\.rs$|crates\/testing\//;

// Tests are named by sentences of at least four words.
const IN_TEST_NAMES = /^([a-z0-9]+_){3,}/;

const violations = [];
const types = new Map();
const files = execFileSync("git", ["ls-files", "*.rs"], { encoding: "utf8" }).split("\n").filter(Boolean);
for (const file of files) check(file, readFileSync(file, "utf8"));
for (const [name, places] of types) {
    if (places.length > 1) violations.push(`${places.join(", ")}: ${places.length} pub types are called ${name.split(" ")[1]}`);
}
if (violations.length > 0) {
    console.error(`${violations.join("\n")}\n${violations.length} names or words to change; CONTRIBUTING.md says how to choose.`);
    process.exitCode = 1;
}

function check(file, source) {
    const code = blank(source);
    for (const { text, line, comment } of tokens(source, code)) {
        if (!comment && (TEST_CODE.test(file) || IN_TEST_NAMES.test(text))) continue;
        const words = comment ? text.toLowerCase().match(/[a-z]+/g) ?? [] : text.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase().split("_");
        const denied = words.find((word) => (comment ? DENIED : DENIED_IN_NAMES).includes(word));
        if (denied) violations.push(`${file}:${line}: "${denied}" in ${comment ? "a comment" : `the name ${text}`}`);
    }
    if (TEST_CODE.test(file)) return;
    // The versions of one wire protocol name the same messages.
    const crate = file.match(/^(crates\/[^/]+|[^/]+)/)[0] + (file.match(/\/wire\/v\d+\//)?.[0] ?? "");
    for (const { 1: name, index } of code.matchAll(/^[ \t]*pub (?:struct|enum|trait|union|type) ([A-Za-z0-9_]+)/gm)) {
        if (CONVENTIONAL.has(name)) continue;
        const key = `${crate} ${name}`;
        types.set(key, [...(types.get(key) ?? []), `${file}:${code.slice(0, index).split("\n").length}`]);
    }
}

// Comments, strings and characters, so that the text of one is not taken for another.
function lexer() {
    return /\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<![A-Za-z0-9_])(?:br|cr|r)(#*)"[\s\S]*?"\1|"(?:\\[\s\S]|[^"\\])*"|'(?:\\[^\n]{1,9}?|[^\\'\n])'/g;
}

// The source with comments and strings replaced by spaces.
function blank(source) {
    return source.replace(lexer(), (text) => text.replace(/[^\n]/g, " "));
}

function* tokens(source, code) {
    const starts = [0];
    for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
    const lineOf = (index) => {
        let low = 0, high = starts.length;
        while (high - low > 1) {
            const middle = (low + high) >> 1;
            if (starts[middle] <= index) low = middle;
            else high = middle;
        }
        return low + 1;
    };
    for (const { 0: text, index } of source.matchAll(lexer())) {
        if (text.startsWith("//") || text.startsWith("/*")) yield { text, line: lineOf(index), comment: true };
    }
    for (const { 0: text, index } of code.matchAll(/[A-Za-z_][A-Za-z0-9_]*/g)) yield { text, line: lineOf(index), comment: false };
}
