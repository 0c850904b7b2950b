// Brings the islands of a page to life, after the page itself is shown and the browser has nothing better to do.
//
// The wasm module is not preloaded: on a phone that costs half a second of first paint for each 100 KB. Whoever
// reaches for an island earlier (pointer or focus) starts it at once.

const { module, wasm } = document.querySelector("script[data-module]").dataset;

let started;

function start() {
  started ??= load().catch((error) => {
    document.documentElement.dataset.islands = "failed";
    console.warn("The interactive parts of this page did not start; forms and links still work.", error);
  });
}

async function load() {
  const plexus = await import(module);
  await plexus.default({ module_or_path: wasm });
  plexus.hydrate();
  for (const island of document.querySelectorAll("leptos-island")) {
    await plexus[island.dataset.component]?.(island);
  }
  document.documentElement.dataset.islands = "ready";
}

function startIfInside(event) {
  if (event.target.closest?.("leptos-island, [data-island]")) start();
}

for (const kind of ["pointerdown", "focusin"]) {
  addEventListener(kind, startIfInside, { capture: true, passive: true });
}

function whenIdle() {
  if ("requestIdleCallback" in window) requestIdleCallback(start, { timeout: 2000 });
  else setTimeout(start, 200);
}

if (document.readyState === "complete") whenIdle();
else addEventListener("load", whenIdle, { once: true });
