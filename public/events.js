// A worker that all tabs of a browser share: it holds the one stream of events for all of them, since HTTP/1.1 gives a
// browser six connections to a hub.
//
// Tabs decide when something is tried, since they know what the person does; this holds the stream, and passes on what
// comes. A tab says `{ chat, after, wish }`: how far it has read, and whether it is just `here`, wants an `open` stream,
// or one that begins `anew` at its place. It hears `["here"]` at once, `["opened"]` or `["failed"]`, and events as
// `[kind, data, seq]`. A tab that leaves says `null`.

const KINDS = ["message", "ended", "run", "title", "member", "chats", "open", "text", "block", "status", "gone", "bye"];

/** The hub reads along in this many chats at once. */
const MOST_CHATS = 32;
/** A tab says every quarter of a minute that it is there; in the background browsers let it do so once a minute. */
const FORGOTTEN = 150_000;
/** Tabs that open together, as after a restart of the browser, are served by one opening. */
const TOGETHER = 50;

/** What each tab reads, by its port. */
const tabs = new Map();
let stream, due;

onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data }) => (data ? heard(port, data) : tabs.delete(port));
  port.addEventListener("close", () => tabs.delete(port));
};

function heard(port, { chat, after, wish }) {
  const known = tabs.get(port);
  tabs.set(port, { chat, after, at: Date.now(), served: known?.served && wish !== "anew" });
  if (chats().size > MOST_CHATS) {
    tabs.delete(port);
    return port.postMessage(["full"]);
  }
  port.postMessage(["here"]);
  if (!known || wish === "anew" || (wish === "open" && !stream)) due ??= setTimeout(open, stream ? TOGETHER : 0);
  else if (stream?.readyState === EventSource.OPEN) port.postMessage(["opened"]);
}

/** The chats that somebody reads, each with the earliest number that one of its tabs needs. */
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
  stream = new EventSource(`/api/v1/events?${wanted.join("&")}`);
  stream.onopen = () => tell(["opened"]);
  stream.onerror = () => end(["failed"]);
  for (const kind of KINDS) stream.addEventListener(kind, ({ data }) => pass(kind, data));
}

function close() {
  clearTimeout(due);
  due = undefined;
  stream?.close();
  stream = undefined;
}

function end(news) {
  close();
  tell(news);
}

function pass(kind, data) {
  if (data === undefined) return; // The browser's own event of that name.
  const { chat, seq } = JSON.parse(data);
  if (kind === "bye") return end([kind, data]);
  for (const [port, tab] of tabs) {
    // A tab that came after the stream began has missed something: it waits for the one that begins at its place.
    if (!tab.served || (chat && tab.chat !== chat)) continue;
    if (seq > tab.after) tab.after = seq;
    port.postMessage([kind, data, seq]);
    if (kind === "gone") tabs.delete(port);
  }
}

function tell(news) {
  for (const [port, { served }] of tabs) if (served) port.postMessage(news);
}
