// Client of one agent, built with @a2a-js/sdk (npm): `client.mjs AGENT_URL [TOKEN]`. Prints its results as
// one JSON object.
import { randomUUID } from "node:crypto";
import { Role, TaskState, taskStateToJSON, verifyAgentCardSignature } from "@a2a-js/sdk";
import { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from "@a2a-js/sdk/client";

const [url, token] = process.argv.slice(2);
const withToken = (input, init = {}) => {
    const headers = new Headers(init.headers);
    if (token) headers.set("Authorization", `Bearer ${token}`);
    return fetch(input, { ...init, headers });
};

const ask = (text, returnImmediately = false) => ({
    tenant: "",
    message: {
        messageId: randomUUID(),
        contextId: "",
        taskId: "",
        role: Role.ROLE_USER,
        parts: [{ content: { $case: "text", value: text }, metadata: undefined, filename: "", mediaType: "" }],
        metadata: undefined,
        extensions: [],
        referenceTaskIds: [],
    },
    configuration: { acceptedOutputModes: [], returnImmediately },
    metadata: undefined,
});

/** Fetches the key of a signature from the key set (JWKS) that it names. */
async function keyOf(kid, jku) {
    const { keys } = await (await fetch(jku)).json();
    const key = keys.find((key) => key.kid === kid);
    if (!key) throw new Error(`no key ${kid} at ${jku}`);
    return key;
}

const textOf = (parts) => parts.map((part) => (part.content?.$case === "text" ? part.content.value : "")).join("");

/** Collects a stream: the kinds of its events, its last state, its text and the id of its task. */
async function told(events) {
    const seen = { kinds: [], state: null, task: null, text: "" };
    for await (const { payload } of events) {
        seen.kinds.push(payload.$case);
        const value = payload.value;
        if (payload.$case === "task") seen.task = value.id;
        if (value.status) seen.state = taskStateToJSON(value.status.state);
        if (payload.$case === "artifactUpdate") seen.text += textOf(value.artifact.parts);
    }
    return seen;
}

async function tour(transport) {
    const factory = new ClientFactory({ transports: [transport] });
    const client = await factory.createFromUrl(url);
    // Fetch the raw card: this version of the SDK drops the security schemes when it parses a card.
    const card = await (await fetch(`${url}.well-known/agent-card.json`)).json();
    await verifyAgentCardSignature(keyOf)(card);
    const sent = await client.sendMessage(ask("2 + 3"));
    const streamed = await told(client.sendMessageStream(ask("4 * 5")));
    const got = await client.getTask({ tenant: "", id: sent.id });
    const listed = await client.listTasks({ tenant: "", contextId: "", status: TaskState.TASK_STATE_UNSPECIFIED, pageSize: 1, pageToken: "" });
    const long = Array.from({ length: 20_000 }, (_, line) => `${line} * 3 km in m`).join("\n");
    const followed = await told(client.resubscribeTask({ tenant: "", id: (await client.sendMessage(ask(long, true))).id }));
    const canceled = await client.cancelTask({ tenant: "", id: (await client.sendMessage(ask(long, true))).id });
    return {
        sent: taskStateToJSON(sent.status.state),
        streamed,
        got: textOf(got.artifacts[0].parts),
        listed: [listed.totalSize, listed.tasks.length],
        followed,
        canceled: taskStateToJSON(canceled.status.state),
    };
}

const transports = {
    JSONRPC: new JsonRpcTransportFactory({ fetchImpl: withToken }),
    "HTTP+JSON": new RestTransportFactory({ fetchImpl: withToken }),
};
const report = {};
for (const [name, transport] of Object.entries(transports)) report[name] = await tour(transport);
console.log(JSON.stringify(report));
