// A2A agent process built with @a2a-js/sdk (npm) and express: `node agent.mjs --port 0`.
// Prints `listening on http://127.0.0.1:PORT/` when it is ready. Speaks A2A 1.0, 0.3, or both.

import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { AgentCard } from "@a2a-js/sdk";
import { DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import { agentCardHandler, jsonRpcHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import express from "express";
import { Weaver } from "./weaver.mjs";

const CARD_PATH = "/.well-known/agent-card.json";

const { values: options } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    delay: { type: "string", default: "20" },
    protocol: { type: "string", default: "1.0" },
    plain: { type: "boolean", default: false },
    token: { type: "string" },
  },
});

const app = express();
const server = createServer(app).listen(Number(options.port), "127.0.0.1", () => {
  const url = `http://127.0.0.1:${server.address().port}/`;
  mount(app, url);
  console.log(`listening on ${url}`);
});
process.on("SIGTERM", () => process.exit(0));

function mount(app, url) {
  const described = AgentCard.fromJSON(card(url));
  const requestHandler = new DefaultRequestHandler(described, new InMemoryTaskStore(), new Weaver(Number(options.delay)));
  const legacyCompat = { enabled: options.protocol !== "1.0" };
  app.use(CARD_PATH, agentCardHandler({ agentCardProvider: requestHandler, legacyCompat }));
  if (options.token) app.use(demand(options.token));
  app.use("/", jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat }));
}

/** Returns the agent card in wire format. */
function card(url) {
  const versions = options.protocol === "both" ? ["1.0", "0.3"] : [options.protocol];
  const bearer = { bearer: { httpAuthSecurityScheme: { scheme: "bearer" } } };
  return {
    name: "Weaver",
    description: "Weaves your words into cloth: works row by row at a wooden loom, asks for a colour, drafts patterns.",
    version: "0.9.2",
    provider: { organization: "Loom and Thread", url: "https://loom.example/" },
    supportedInterfaces: versions.map((protocolVersion) => ({ url, protocolBinding: "JSONRPC", protocolVersion })),
    capabilities: { streaming: !options.plain },
    securitySchemes: options.token ? bearer : {},
    securityRequirements: options.token ? [{ schemes: { bearer: { list: [] } } }] : [],
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain", "application/json"],
    skills: [
      skill("weave", "Weave", "Weaves as many rows of cloth as you name, one after another.", "weave 12 rows"),
      skill("draft", "Draft a pattern", "Answers with a weaving pattern as data.", "draft a border"),
    ],
  };
}

function skill(id, name, description, example) {
  return { id, name, description, tags: ["textile", id], examples: [example] };
}

/** Middleware that requires the token for everything except the card. */
function demand(token) {
  return (request, response, next) => {
    if (request.get("authorization") === `Bearer ${token}`) return next();
    response.set("WWW-Authenticate", "Bearer").status(401).json({ error: "a bearer token is needed" });
  };
}
