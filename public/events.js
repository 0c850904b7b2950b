// Shared worker: holds one event stream for all tabs of a browser, since HTTP/1.1 allows a browser six
// connections to a hub.
//
// The tabs decide when to connect or retry, because they know what the user does. This worker only holds the
// stream and forwards its events.
//
// A tab sends `{ chat, after, command }`: its chat, the last sequence number it has, and a command. The command
// is a `heartbeat`, or opens the stream if it is closed (`connect`), or opens it again at `after` (`reconnect`).
// A tab that leaves sends `null`.
//
// The worker replies `["alive"]` at once, then sends `["opened"]` or `["failed"]`, and events as `[kind, data,
// seq]`. `["full"]` rejects a tab.

const KINDS = [
  "message_created",
  "message_completed",
  "run_updated",
  "title_changed",
  "member_changed",
  "chat_list_changed",
  "part_snapshot",
  "text_delta",
  "block_html",
  "agent_status",
  "presence",
  "typing",
  "chat_unavailable",
  "stream_end",
];

/** Maximum number of chats per stream that the hub accepts. */
const MOST_CHATS = 32;
/**
 * Milliseconds without a heartbeat after which a tab is dropped. Tabs send one every 15 s; browsers slow that
 * down to once a minute in background tabs.
 */
const FORGOTTEN = 150_000;
/** Debounce in milliseconds: tabs that open together, as after a browser restart, share one reconnect. */
const TOGETHER = 50;
/** Seconds between the heartbeats that the hub is asked for. */
const HEARTBEAT = 1;
/**
 * Milliseconds without an event after which an open stream is lost, and until an attempt to open it is given up. A
 * network that drops everything reports no error.
 */
const SILENT = 2_300, SLOW_OPENING = 10_000;

/** State of each tab, by its port. */
const tabs = new Map();
let stream, due, watchdog;

onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data }) => (data ? heard(port, data) : tabs.delete(port));
  port.addEventListener("close", () => tabs.delete(port));
};

function heard(port, { chat, after, command }) {
  const known = tabs.get(port);
  tabs.set(port, { chat, after, at: Date.now(), served: known?.served && command !== "reconnect" });
  if (chats().size > MOST_CHATS) {
    tabs.delete(port);
    return port.postMessage(["full"]);
  }
  port.postMessage(["alive"]);
  const mustOpen = !known || command === "reconnect" || (command === "connect" && !stream);
  if (mustOpen) due ??= setTimeout(open, stream ? TOGETHER : 0);
  else if (stream?.readyState === EventSource.OPEN) port.postMessage(["opened"]);
}

/** Returns the chats that tabs read, each with the earliest sequence number that a tab needs. */
function chats() {
  const earliest = new Map();
  for (const { chat, after } of tabs.values()) earliest.set(chat, Math.min(after, earliest.get(chat) ?? after));
  return earliest;
}

function open() {
  close();
  for (const [port, { at }] of tabs) if (Date.now() - at > FORGOTTEN) tabs.delete(port);
  const wanted = Array.from(chats(), ([chat, after]) => `chat=${chat}:${after}`);
  if (wanted.length === 0) return;
  for (const tab of tabs.values()) tab.served = true;
  stream = new EventSource(`/api/v1/events?${wanted.join("&")}&heartbeat=${HEARTBEAT}`);
  failAfter(SLOW_OPENING);
  stream.onopen = () => {
    failAfter(SILENT);
    tell(["opened"]);
  };
  stream.onerror = () => end(["failed"]);
  stream.addEventListener("heartbeat", () => failAfter(SILENT));
  for (const kind of KINDS) stream.addEventListener(kind, ({ data }) => pass(kind, data));
}

function failAfter(milliseconds) {
  clearTimeout(watchdog);
  watchdog = setTimeout(() => end(["failed"]), milliseconds);
}

function close() {
  clearTimeout(due);
  clearTimeout(watchdog);
  due = undefined;
  stream?.close();
  stream = undefined;
}

function end(news) {
  close();
  tell(news);
}

function pass(kind, data) {
  failAfter(SILENT);
  const { chat, seq } = JSON.parse(data);
  if (kind === "stream_end") return end([kind, data]);
  for (const [port, tab] of tabs) {
    // A tab that joined after the stream began has missed events. It waits until the stream is reopened for
    // it.
    if (!tab.served || (chat && tab.chat !== chat)) continue;
    if (seq > tab.after) tab.after = seq;
    port.postMessage([kind, data, seq]);
    if (kind === "chat_unavailable") tabs.delete(port);
  }
}

function tell(news) {
  for (const [port, { served }] of tabs) if (served) port.postMessage(news);
}
