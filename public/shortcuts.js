// Actions of keyboard shortcuts. `site.js` loads this file when one of them is first pressed. The list of them is the
// page /shortcuts.

// Texts in the language of the page, by their English text.
const TEXTS = JSON.parse(document.documentElement.dataset.texts ?? "{}");
const textOf = (english) => TEXTS[english] ?? english;

const visible = (element) => element?.checkVisibility?.({ visibilityProperty: true }) ?? false;

/** Focuses an element that is no control, such as a message. */
function focus(element) {
  if (!element.hasAttribute("tabindex")) element.tabIndex = -1;
  element.focus();
}

/** Focuses the message after or before the one that has the focus; without one, the last message. */
function moveToMessage(step) {
  const messages = [...document.querySelectorAll("#thread article.message")];
  if (messages.length === 0) return;
  const current = messages.indexOf(document.activeElement?.closest?.("article.message"));
  const next = current < 0 ? messages.length - 1 : Math.min(Math.max(current + step, 0), messages.length - 1);
  focus(messages[next]);
}

/** Focuses the next region of a chat: its messages, the composer, the list of chats. */
function moveToRegion(step) {
  const found = ["#thread", "#composer-text", "#chats"].map((selector) => document.querySelector(selector)).filter(visible);
  if (found.length === 0) return;
  const current = found.findIndex((region) => region.contains(document.activeElement));
  const from = current < 0 && step < 0 ? 0 : current;
  focus(found[(from + step + found.length) % found.length]);
}

/** Shows the list of shortcuts over the page. If it cannot be loaded, the browser opens its page. */
async function showList() {
  const answer = await fetch("/shortcuts").catch(() => undefined);
  if (!answer?.ok) return location.assign("/shortcuts");
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const dialog = document.createElement("dialog");
  dialog.className = "shortcuts";
  dialog.setAttribute("aria-label", textOf("Keyboard shortcuts"));
  const close = Object.assign(document.createElement("button"), { className: "button", textContent: textOf("Close list") });
  const form = Object.assign(document.createElement("form"), { method: "dialog" });
  form.append(close);
  dialog.append(...page.querySelectorAll("main h1, main section"), form);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

const ACTIONS = {
  list: showList,
  new: () => location.assign("/chat"),
  write: () => ["#composer-text", "main [type=search]", "#header-q"].map((it) => document.querySelector(it)).find(visible)?.focus(),
  next: () => moveToMessage(1),
  previous: () => moveToMessage(-1),
  region: () => moveToRegion(1),
  regionBefore: () => moveToRegion(-1),
  copyCode: () => [...document.querySelectorAll("#thread .code button.copy:not([data-wrap], [data-download])")].at(-1)?.click(),
};

export const run = (action) => ACTIONS[action]();
