#!/usr/bin/env node
// Compresses the static files with brotli for the release binary: `name.br` beside each `name`.

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

const PUBLIC = fileURLToPath(new URL("../public", import.meta.url));
const PACKED = /\.(css|js|svg|txt|wasm|webmanifest)$/;
const BEST = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };

const names = readdirSync(PUBLIC, { recursive: true });
for (const name of names.filter((name) => name.endsWith(".br"))) rmSync(join(PUBLIC, name));
for (const name of names.filter((name) => PACKED.test(name))) {
  const plain = readFileSync(join(PUBLIC, name));
  const packed = brotliCompressSync(plain, BEST);
  writeFileSync(join(PUBLIC, `${name}.br`), packed);
  console.log(`${name}: ${kilobytes(plain)} KB, ${kilobytes(packed)} KB packed`);
}

function kilobytes(bytes) {
  return Math.ceil(bytes.length / 1000);
}
