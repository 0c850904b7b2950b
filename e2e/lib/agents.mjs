// Starts third-party agents and models as separate processes.

import { resolve } from "node:path";
import { start } from "./process.mjs";

const ROOT = resolve(import.meta.dirname, "../..");
const PYTHON = resolve(ROOT, ".cache/venv/bin/python");
const READY = /listening on (http\S+)/;

/** Agent on a2a-sdk of PyPI. */
export const startLighthouse = (...args) => launch(PYTHON, "tests/agents/python/agent.py", args);
/** Agent on @a2a-js/sdk of npm. */
export const startWeaver = (...args) => launch(process.execPath, "tests/agents/js/agent.mjs", args);
/** SmolLM2, a real small model. */
export const startModel = (...args) => launch(PYTHON, "tests/agents/model/serve.py", args);
/** An MCP server with a few tools. */
export const startTools = (...args) => launch(PYTHON, "tests/agents/python/tools.py", args);
/** OpenAI-compatible model that answers from a script. */
export const startScripted = (...args) => launch(process.execPath, "tests/agents/model/scripted.mjs", args);

async function launch(command, script, args) {
  const program = await start({ command, args: [resolve(ROOT, script), ...args], ready: READY });
  return { url: program.match[1], stop: () => program.stop() };
}
