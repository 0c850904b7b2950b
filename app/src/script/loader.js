// Starts the interactive parts of a page: `site.js` and the islands (a wasm module). It is inline in the
// HTML, so that it can retry and report failed downloads of these files.
//
// The wasm module is not preloaded: on a phone that delays the first paint by half a second per 100 KB. A
// pointer or focus event on an island starts it at once, otherwise the first idle moment does.

const { site, module, wasm } = document.querySelector("script[data-site]").dataset;
const root = document.documentElement;
const notice = document.getElementById("page-status");

/** All in milliseconds. */
const FIRST_RETRY = 500, LAST_RETRY = 30000, SLOW = 2500, STALLED = 30000, BACK = 5000;

const TEXTS = JSON.parse(root.dataset.texts ?? "{}");
const LOADING = "This page is not live yet. Still loading…";
const RETRYING = "This page is not live yet. Trying again…";
const OFFLINE = "You are offline. This page becomes live when the connection is back.";
const OUTDATED = "This hub runs a newer version than this page.";
const LIVE = "This page is live now.";
const BROKEN = "The interactive parts of this page did not start. Forms and links still work.";

/** The hub no longer has the file, because it runs another version than the page. */
class OutdatedError extends Error {}
/** The files were loaded but do not run. A retry would fail alike. */
class BrokenError extends Error {}

function tell(words) {
  notice.hidden = !words;
  notice.firstElementChild.textContent = TEXTS[words] ?? words;
}

/** Retries `load(attempt)` until it succeeds. `visible`: show the reader why it has not yet. */
function persist(load, visible) {
  let attempt = 0, running = false, finished = false, timer;
  const say = (words) => visible && tell(words);
  const slow = setTimeout(() => say(LOADING), Math.max(SLOW - performance.now(), 500));

  async function run() {
    clearTimeout(timer);
    if (running || finished) return;
    running = true;
    try {
      await load(attempt++);
      finished = true;
      if (!notice.hidden) {
        say(LIVE);
        setTimeout(say, BACK, "");
      }
    } catch (error) {
      finished = error instanceof BrokenError;
      say(reason(error));
      if (!finished) timer = setTimeout(run, delay(attempt));
      console.warn(`page script: ${finished ? "failed" : "retrying"}`, error);
    }
    clearTimeout(slow);
    running = false;
  }

  addEventListener("online", run);
  document.addEventListener("visibilitychange", () => document.hidden || run());
  return run();
}

function reason(error) {
  if (error instanceof BrokenError) return BROKEN;
  if (error instanceof OutdatedError) return OUTDATED;
  return navigator.onLine ? RETRYING : OFFLINE;
}

/** Exponential backoff up to 30 s with jitter, against a thundering herd after a hub restart. */
function delay(attempt) {
  return Math.min(FIRST_RETRY * 2 ** attempt, LAST_RETRY) * (0.5 + Math.random() / 2);
}

/** Browsers may cache a module that failed to load, so each retry has another URL. */
function address(path, attempt) {
  return attempt ? `${path}?attempt=${attempt}` : path;
}

async function fetched(path) {
  const response = await fetch(path);
  if (response.status === 404 || response.status === 410) throw new OutdatedError(path);
  if (!response.ok) throw new Error(`${path}: status ${response.status}`);
  return response;
}

/** A failed import does not report why, so this requests the file again for its status. */
async function imported(path, attempt) {
  try {
    return await import(address(path, attempt));
  } catch (error) {
    await fetched(`${path}?status=${attempt}`);
    throw error;
  }
}

async function startIslands(attempt) {
  const plexus = await beforeStalled(async () => {
    const plexus = await imported(module, attempt);
    await plexus.default({ module_or_path: await fetched(address(wasm, attempt)) });
    return plexus;
  });
  const islands = [...document.querySelectorAll("leptos-island")];
  if (islands.some((island) => !plexus[island.dataset.component])) throw new OutdatedError("an island is missing");
  try {
    plexus.hydrate();
    for (const island of islands) await plexus[island.dataset.component](island);
  } catch (error) {
    root.dataset.islands = "failed";
    throw new BrokenError("the islands did not start", { cause: error });
  }
  root.dataset.islands = "ready";
}

/** Fails when `load` takes too long (timeout); a late result is ignored. */
function beforeStalled(load) {
  const stalled = (_, reject) => setTimeout(reject, STALLED, new Error("no answer in time"));
  return Promise.race([load(), new Promise(stalled)]);
}

// `site.js` marks the page when it has run. Only pages that update live or query remote hubs show that they
// wait for it.
addEventListener("load", () => {
  if (root.dataset.site !== "ready") persist((attempt) => imported(site, attempt), document.querySelector("[data-live], [data-ask]"));
});

if (module) {
  let started = false;
  const start = () => {
    if (!started) persist(startIslands, true);
    started = true;
  };
  const startIfInside = ({ target }) => target.closest?.("leptos-island, [data-island]") && start();
  for (const kind of ["pointerdown", "focusin"]) addEventListener(kind, startIfInside, true);
  const whenIdle = () => "requestIdleCallback" in window ? requestIdleCallback(start, { timeout: 2000 }) : setTimeout(start, 200);
  if (document.readyState === "complete") whenIdle();
  else addEventListener("load", whenIdle);
}
