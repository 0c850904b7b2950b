// The container files match the hub's settings, and their setup works: Postgres, an unprivileged user, an
// empty volume, a restart. No container engine is needed: the same settings are given to the same binary.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { before, test } from "node:test";
import { DockerfileParser } from "dockerfile-ast";
import { parse } from "yaml";
import { launch, openTab } from "../lib/browser.mjs";
import { binary, emptyDatabase, run, startHub } from "../lib/hub.mjs";
import { answered, go, send, signIn, signUp } from "../lib/walk.mjs";

const ROOT = resolve(import.meta.dirname, "../..");

/** Variables read by Postgres; they are part of the hub's DATABASE_URL. */
const FOR_POSTGRES = new Set(["POSTGRES_PASSWORD"]);

let settings, docker, compose, publicCompose;
before(async () => {
  settings = new Map(JSON.parse((await run(binary, ["config", "--json"])).stdout).map((row) => [row.variable, row]));
  docker = DockerfileParser.parse(await readFile(resolve(ROOT, "Dockerfile"), "utf8"));
  compose = parse(await readFile(resolve(ROOT, "docker-compose.yml"), "utf8"));
  publicCompose = parse(await readFile(resolve(ROOT, "deploy/docker-compose.public.yml"), "utf8"));
});

const instructions = (name) => docker.getInstructions().filter((it) => it.getInstruction() === name);
const words = (name) => instructions(name).map((it) => it.getArgumentsContent());
const image = () => Object.fromEntries(words("ENV").map((text) => text.split("=")));

test("every variable is one that the hub knows", () => {
  const hub = compose.services.hub.environment;
  for (const name of [...Object.keys(image()), ...Object.keys(hub)]) assert.ok(settings.has(name), name);
  const asked = Array.from(JSON.stringify(hub).matchAll(/\$\{(\w+)/g), ([, name]) => name);
  for (const name of asked) assert.ok(settings.has(name) || FOR_POSTGRES.has(name), name);
});

test("paths and ports agree with each other and with the defaults", () => {
  const port = settings.get("PLEXUS_LISTEN").default.split(":").at(-1);
  assert.equal(image().PLEXUS_LISTEN, `0.0.0.0:${port}`);
  assert.deepEqual(words("EXPOSE"), [port]);
  assert.deepEqual(compose.services.hub.ports, [`127.0.0.1:${port}:${port}`]);
  const data = image().PLEXUS_DATA_DIR;
  assert.equal(resolve("/", settings.get("PLEXUS_DATA_DIR").default), data);
  assert.deepEqual(words("VOLUME"), [data]);
  assert.deepEqual(compose.services.hub.volumes, [`hub-data:${data}`]);
  assert.deepEqual(Object.keys(compose.volumes).sort(), ["hub-data", "postgres-data"]);
});

test("at a public name the hub trusts Caddy's address, and Caddy has the hub's name and place", async () => {
  const { hub, caddy } = publicCompose.services;
  for (const name of Object.keys(hub.environment)) assert.ok(settings.has(name), name);
  assert.equal(hub.environment.PLEXUS_ALLOW_INSECURE_HTTP, "false");
  assert.equal(hub.environment.PLEXUS_TRUSTED_PROXIES, caddy.networks.default.ipv4_address);
  assert.equal(hub.environment.PLEXUS_PUBLIC_URL, `https://${caddy.environment.HUB_DOMAIN}`);
  const port = settings.get("PLEXUS_LISTEN").default.split(":").at(-1);
  assert.equal(caddy.environment.HUB_UPSTREAM, `hub:${port}`);
  const caddyfile = await readFile(resolve(ROOT, "deploy/Caddyfile"), "utf8");
  for (const name of Object.keys(caddy.environment)) assert.ok(caddyfile.includes(`{$${name}:`), name);
  assert.ok(caddy.volumes.includes("./deploy/Caddyfile:/etc/caddy/Caddyfile:ro"));
});

test("the build steps are targets of the Makefile", async () => {
  const { stdout: help } = await run("make", ["help"], { cwd: ROOT });
  const steps = words("RUN").filter((text) => !text.startsWith("apt-get"));
  assert.ok(steps.length > 0);
  for (const step of steps) assert.match(help, new RegExp(`^  ${step} `, "m"));
});

test("the hub runs as an ordinary user, and asks itself whether it is well", async () => {
  assert.deepEqual(words("USER"), ["plexus"]);
  const [health] = words("HEALTHCHECK");
  const [program, ...args] = JSON.parse(health.slice(health.indexOf("[")));
  assert.equal(program, "plexus");
  const { stdout: help } = await run(binary, [args[0], "--help"]);
  for (const flag of args.slice(1)) assert.ok(help.includes(flag), flag);
  assert.equal(compose.services.hub.depends_on.postgres.condition, "service_healthy");
});

test("the walk: Postgres, an ordinary user, an empty volume, a restart", async () => {
  const database = await emptyDatabase();
  const env = { ...image(), ...defaults(compose.services.hub.environment), DATABASE_URL: database };
  delete env.PLEXUS_DATA_DIR;
  const port = settings.get("PLEXUS_LISTEN").default.split(":").at(-1);
  for (const name of ["PLEXUS_LISTEN", "PLEXUS_PUBLIC_URL"]) env[name] = env[name].replace(port, "PORT");
  const hub = await startHub(env, process.getuid() === 0 ? "nobody" : undefined);
  const browser = await launch();
  try {
    const tab = await openTab(browser);
    await signUp(tab, hub.adminLink, "ada");
    await go(tab, `${hub.url}/chat?to=@plexus/calc`);
    await tab.islands();
    await send(tab, "6 * 7");
    assert.match(await answered(tab), /42/);
    const chat = tab.page.url();
    await tab.close();

    await hub.command("doctor", "--liveness");
    await hub.restart();
    const later = await openTab(browser);
    await signIn(later, hub, "ada");
    await go(later, chat);
    assert.match(await answered(later), /42/);
    await later.close();
  } finally {
    await browser.close();
    await hub.stop();
  }
});

/** Returns the default values of a compose file. Empty ones are omitted, as in compose itself. */
function defaults(environment) {
  const entries = Object.entries(environment).map(([name, value]) => [name, value.replace(/\$\{\w+:[-?](.*?)\}/g, "$1")]);
  return Object.fromEntries(entries);
}
