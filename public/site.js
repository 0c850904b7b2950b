// Small helpers for every page (progressive enhancement). Each page works without them.

// Texts in the language of the page, by their English text. English content of another page stays English.

const TEXTS = JSON.parse(document.documentElement.dataset.texts ?? "{}");
const contentLanguage = document.querySelector("main")?.lang || document.documentElement.lang;
const textOf = (english) => (contentLanguage === "en" ? english : TEXTS[english] ?? english);
/** Digits are Latin in every language, as on the pages of the hub. */
const contentLocale = `${contentLanguage}-u-nu-latn`;
/** English pages show the time of day as the browser does. */
const clockLocale = contentLanguage === "en" ? [] : contentLocale;

const MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR;

// Times: relative times are updated while a page is open; the time of day uses the reader's time zone.

function relative(at, now) {
  const ahead = at > now;
  // A time ahead is rounded to the nearest unit: a week that begins now is "in 7 days", not "in 6 days".
  const round = ahead ? Math.round : Math.floor;
  const seconds = (ahead ? Math.ceil : Math.floor)(Math.abs(now - at) / 1000);
  if (seconds < MINUTE) return textOf(ahead ? "in a moment" : "just now");
  if (seconds >= 31 * DAY) return dateOf(at);
  const [minutes, hours, days] = [MINUTE, HOUR, DAY].map((unit) => round(seconds / unit));
  if (contentLanguage !== "en") {
    const [amount, name] = minutes < 60 ? [minutes, "minute"] : hours < 24 ? [hours, "hour"] : [days, "day"];
    return new Intl.RelativeTimeFormat(contentLocale, { style: contentLanguage === "ar" ? "long" : "short" }).format(ahead ? amount : -amount, name);
  }
  const [count, unit] = minutes < 60 ? [minutes, "min"] : hours < 24 ? [hours, "h"] : [days, days === 1 ? "day" : "days"];
  return ahead ? `in ${count} ${unit}` : `${count} ${unit} ago`;
}

function dateOf(at) {
  const month = contentLanguage === "ar" ? "long" : "short";
  return at.toLocaleDateString(contentLanguage === "en" ? "en-GB" : contentLocale, { day: "numeric", month, year: "numeric" });
}

function showTimes(root) {
  const now = new Date();
  for (const time of root.querySelectorAll("time[data-ago]")) {
    time.textContent = relative(new Date(time.dateTime), now);
  }
  for (const time of root.querySelectorAll("time[data-clock]")) {
    const at = new Date(time.dateTime);
    time.textContent = at.toLocaleTimeString(clockLocale, { hour: "2-digit", minute: "2-digit" });
    time.title = at.toLocaleString(clockLocale, { dateStyle: "medium", timeStyle: "medium" });
  }
}

// Copy buttons: each copies the code beside it, or the Markdown of its message.

function textBeside(button) {
  const holder = button.closest(".code, .copyable, pre");
  return (holder?.querySelector("code") ?? holder)?.innerText.trim() ?? "";
}

/** Returns the Markdown of a message, or its text as shown if the hub cannot be reached. */
async function markdownOf(message) {
  const shown = message.querySelector(".body").innerText.trim();
  const answer = await fetch(`/api/v1/messages/${message.id.replace(/^m-/, "")}`).catch(() => undefined);
  if (!answer?.ok) return shown;
  const { parts } = await answer.json();
  const texts = parts.filter(({ kind }) => kind === "text").map(({ text }) => text);
  return texts.join("\n\n").trim() || shown;
}

/** A browser permits copying only while it handles the click, so the text is handed over as a promise. */
async function write(text) {
  if (typeof text === "string") return navigator.clipboard.writeText(text);
  const type = "text/plain";
  const blob = text.then((words) => new Blob([words], { type }));
  return navigator.clipboard.write([new ClipboardItem({ [type]: blob })]);
}

async function copy(button) {
  const label = button.querySelector("span");
  const before = label.textContent;
  const message = !button.closest(".code, .copyable, pre") && button.closest(".message");
  try {
    await write(message ? markdownOf(message) : textBeside(button));
    label.textContent = textOf("Copied");
  } catch {
    label.textContent = textOf("Select it and copy by hand");
  }
  setTimeout(() => (label.textContent = before), 2000);
}

// Code blocks in text: copy, wrap long lines, download.

function codeButton(text, action) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.dataset[action] = "";
  const label = document.createElement("span");
  label.textContent = text;
  button.append(label);
  return button;
}

/** Extensions of languages that are not their names. */
const EXTENSIONS = { bash: "sh", csharp: "cs", javascript: "js", markdown: "md", python: "py", ruby: "rb", rust: "rs", shell: "sh", typescript: "ts" };

function download(figure) {
  const code = figure.querySelector("code");
  const language = code.className.match(/language-([a-z0-9]{1,10})(?:\s|$)/)?.[1] ?? "txt";
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([code.textContent], { type: "text/plain" }));
  link.download = `code.${EXTENSIONS[language] ?? language}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function wrap(button) {
  const isWrapped = button.closest(".code").classList.toggle("wrapped");
  button.setAttribute("aria-pressed", String(isWrapped));
}

/** Adds buttons to the heads of code blocks, and shows those that the server rendered hidden. */
function addCopyButtons(root) {
  for (const figure of root.querySelectorAll(".prose .code:not(:has(.tools))")) {
    const head = figure.querySelector("figcaption") ?? document.createElement("figcaption");
    if (!head.isConnected) figure.prepend(head);
    const label = document.createElement("span");
    label.append(...head.childNodes);
    const tools = document.createElement("span");
    tools.className = "tools";
    const toggle = codeButton(textOf("Wrap"), "wrap");
    toggle.setAttribute("aria-pressed", "false");
    tools.append(toggle, codeButton(textOf("Download"), "download"), codeButton(textOf("Copy"), "copy"));
    head.append(label, tools);
  }
  for (const button of root.querySelectorAll(":is([data-copy], [data-reveal], [data-print])[hidden]")) button.hidden = false;
}

// Passwords: a button shows what was typed. They are hidden again before they are sent, so that browsers recognise them.

function reveal(button) {
  const input = button.parentElement.querySelector("input");
  const isShown = input.type === "password";
  input.type = isShown ? "text" : "password";
  button.firstElementChild.textContent = textOf(isShown ? "Hide" : "Show");
}

document.addEventListener("submit", ({ target: form }) => {
  for (const button of form.querySelectorAll("button[data-reveal]")) {
    if (button.parentElement.querySelector("input").type === "text") reveal(button);
  }
});

// Menus close on a click outside or on Esc.

function closeMenus(except) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(except)) menu.open = false;
  }
}

document.addEventListener("click", (event) => {
  closeMenus(event.target);
  const secret = event.target.closest("button[data-reveal]");
  if (secret) reveal(secret);
  if (event.target.closest("button[data-print]")) print();
  const button = event.target.closest("button.copy");
  if (!button) return;
  if ("wrap" in button.dataset) wrap(button);
  else if ("download" in button.dataset) download(button.closest(".code"));
  else copy(button);
});

// Confirmation dialogs. Their buttons open them as popovers; as modal dialogs they also keep the focus inside.

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("button[popovertarget]");
  const dialog = button && document.getElementById(button.getAttribute("popovertarget"));
  if (!(dialog instanceof HTMLDialogElement)) return;
  event.preventDefault();
  if (dialog.open) dialog.close();
  else dialog.showModal();
});

document.addEventListener("keydown", (event) => {
  // Esc closes only the dialog on top, so that the focus can return to the menu that opened it.
  if (event.key !== "Escape" || document.querySelector("dialog:modal")) return;
  const menu = event.target.closest?.("details.menu[open]");
  closeMenus(null);
  menu?.querySelector("summary").focus();
});

// The search dialog (Ctrl+K) and the lists of agents and commands in the composer. Their script is loaded when it is first needed.

const loadPickers = () => import("./pickers.js");

// Loaded before the first key, so that Enter chooses from a list instead of sending what was typed of a name.
document.addEventListener("focusin", ({ target }) => {
  if (target.id === "composer-text") loadPickers().catch(() => {});
});

function openSearch() {
  const link = document.querySelector("a[data-search]");
  // Visitors search agents in the box of the page.
  if (!link) return document.querySelector("#q, #header-q")?.focus();
  // The focus returns here when the dialog closes.
  document.activeElement?.closest("details.menu")?.querySelector("summary").focus();
  closeMenus(null);
  loadPickers().then((pickers) => pickers.openSearch(), () => location.assign(link.href));
}

document.addEventListener("click", (event) => {
  if (!event.target.closest?.("a[data-search]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  openSearch();
});

document.addEventListener("keydown", (event) => {
  const isShortcut = event.ctrlKey !== event.metaKey && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k";
  if (!isShortcut || document.querySelector("dialog:modal")) return;
  event.preventDefault();
  openSearch();
});

// Keyboard shortcuts. Their list is the page /shortcuts.

const SINGLE_KEYS = { "?": "list", n: "new", "/": "write", j: "next", k: "previous" };

/** Returns the action of a pressed key. Single keys act outside text fields, and if they are not turned off. */
function shortcutOf(event) {
  const { key, code, ctrlKey, metaKey, altKey, shiftKey, target } = event;
  if (key === "F6" && !ctrlKey && !metaKey && !altKey && document.getElementById("thread")) return shiftKey ? "regionBefore" : "region";
  if (code === "Semicolon" && (ctrlKey || metaKey) && shiftKey && !altKey) return "copyCode";
  const isText = target.isContentEditable || target.matches?.("input:not([type=checkbox], [type=radio], [type=button]), textarea, select");
  if (ctrlKey || metaKey || altKey || isText || document.documentElement.dataset.singleKeys === "off") return undefined;
  return Object.hasOwn(SINGLE_KEYS, key) ? SINGLE_KEYS[key] : undefined;
}

document.addEventListener("keydown", (event) => {
  const action = !event.defaultPrevented && !event.isComposing && !document.querySelector("dialog:modal") && shortcutOf(event);
  if (!action) return;
  event.preventDefault();
  import("./shortcuts.js").then((shortcuts) => shortcuts.run(action), () => {});
});

document.addEventListener("input", ({ target: field }) => {
  // The first message of a chat with a chosen agent goes to that agent, whatever it begins with.
  const isOffered = field.id === "composer-text" && field.value.trimStart().startsWith("@") && !field.form.elements.to;
  if (!isOffered || field.dataset.agents) return;
  field.dataset.agents = "offered";
  loadPickers().then((pickers) => pickers.offerAgents(field), () => delete field.dataset.agents);
});

document.addEventListener("input", ({ target: field }) => {
  const isOffered = field.id === "composer-text" && /^\//m.test(field.value) && document.getElementById("composer-commands");
  if (!isOffered || field.dataset.commands) return;
  field.dataset.commands = "offered";
  loadPickers().then((pickers) => pickers.offerCommands(field), () => delete field.dataset.commands);
});

// Ratings of answers are sent without a page. If that fails, the browser submits the form.

async function rate(form) {
  const sent = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) }).catch(() => undefined);
  if (!sent?.ok) return form.submit();
  const given = form.elements.rating.value;
  for (const each of form.parentElement.querySelectorAll("form.rating")) {
    const isGiven = each.dataset.rating === given;
    each.querySelector("button").setAttribute("aria-pressed", String(isGiven));
    each.elements.rating.value = isGiven ? "none" : each.dataset.rating;
  }
}

document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || !event.target.matches("form.rating")) return;
  event.preventDefault();
  rate(event.target);
});

// Files of the composer. Without the script, the form sends them with the message.

function loadAttachments() {
  import("./attachments.js").catch(() => addEventListener("online", loadAttachments, { once: true }));
}

if (document.getElementById("composer-files")) loadAttachments();

// Images of messages are shown over the page. Without this script, their links open them.

const lightbox = document.createElement("dialog");
lightbox.className = "lightbox";

function showImage(link) {
  const image = Object.assign(new Image(), { src: link.href, alt: link.dataset.lightbox });
  const close = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: textOf("Close image") });
  const save = Object.assign(document.createElement("a"), { href: link.href, download: link.dataset.lightbox, className: "button", textContent: textOf("Download") });
  const bar = document.createElement("p");
  bar.append(close, save);
  lightbox.setAttribute("aria-label", link.dataset.lightbox);
  lightbox.replaceChildren(image, bar);
  if (!lightbox.isConnected) document.body.append(lightbox);
  lightbox.showModal();
}

// A click on the image, beside it or on the button closes it.
lightbox.addEventListener("click", (event) => {
  if (!event.target.closest("a")) lightbox.close();
});

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-lightbox]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  showImage(link);
});

// Lists with checkboxes: "Select all" selects and clears all of them.

function showSelection(form) {
  const boxes = [...form.querySelectorAll('ul input[type="checkbox"]')];
  const chosen = boxes.filter((box) => box.checked).length;
  const all = form.querySelector("[data-select-all] input");
  all.checked = chosen > 0 && chosen === boxes.length;
  all.indeterminate = chosen > 0 && chosen < boxes.length;
}

for (const form of document.querySelectorAll("form[data-selection]")) {
  const label = form.querySelector("[data-select-all]");
  label.hidden = false;
  form.addEventListener("change", ({ target }) => {
    if (label.contains(target)) for (const box of form.querySelectorAll('ul input[type="checkbox"]')) box.checked = target.checked;
    showSelection(form);
  });
  showSelection(form);
}

// Prevents a second submit of a form. Returning to the page (back/forward cache) permits it again.

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "yes";
});

addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

// Live pages are refreshed when an event arrives, unless the user is filling in one of their forms.

const LIVE_EVENTS = ["team_updated", "subteam_state", "run_updated", "message_completed", "message_created", "block_html"];
/** Milliseconds. */
const LIVE_PAUSE = 300, LIVE_RETRY = 2000, LONGEST_RETRY = 30_000;

function retryDelay(failures) {
  return Math.min(LIVE_RETRY * 2 ** failures, LONGEST_RETRY) * (0.5 + Math.random() / 2);
}

// Says above the page when its stream is interrupted, and when it is back.

const pageStatus = document.getElementById("page-status");
const LOST = "The connection to the hub is lost. Trying again…";
const OFFLINE = "You are offline. This page may be out of date; it updates when you are back online.";
const BACK = "The connection to the hub is back.";

function tellStatus(words) {
  pageStatus.hidden = !words;
  pageStatus.firstElementChild.textContent = words && textOf(words);
}

/** Milliseconds without an event after which an open stream is lost, and until an attempt to open it is given up. */
const SILENT = 2300, SLOW_OPENING = 10_000;
/** Milliseconds until the page says that its stream failed or does not open, and for which it says that it is back. */
const NOTICE_DELAY = 600, OPENING_NOTICE = 2500, BACK_NOTICE = 5000;

/** Tells the reader about an interruption. Returns functions to call when the stream is opened, at each event, and when it fails. */
function watchConnection(lost) {
  let silence, notice, told = false;
  const tell = () => {
    told = true;
    tellStatus(navigator.onLine ? LOST : OFFLINE);
  };
  const noticeIn = (milliseconds) => {
    if (!told) notice ??= setTimeout(tell, navigator.onLine ? milliseconds : 0);
  };
  const opening = () => {
    clearTimeout(silence);
    noticeIn(OPENING_NOTICE);
    silence = setTimeout(lost, SLOW_OPENING);
  };
  const failed = () => {
    clearTimeout(silence);
    clearTimeout(notice);
    notice = undefined;
    noticeIn(NOTICE_DELAY);
  };
  const alive = () => {
    clearTimeout(notice);
    clearTimeout(silence);
    notice = undefined;
    silence = setTimeout(() => (failed(), lost()), SILENT);
    if (!told) return;
    told = false;
    tellStatus(BACK);
    setTimeout(() => told || tellStatus(""), BACK_NOTICE);
  };
  const stop = () => {
    clearTimeout(silence);
    clearTimeout(notice);
  };
  return { opening, alive, failed, stop };
}

function follow(chat) {
  let stream, reopen, refresh, late, failures = 0;
  const connection = watchConnection(() => open());
  const shown = () => document.querySelector("[data-live]");
  // Also no refresh during a press: the pressed element would be replaced before its release.
  const busy = () => shown()?.querySelector("textarea:focus, input:focus, :active") || filled(shown());
  const refreshSoon = (pause = LIVE_PAUSE) => (refresh ? (late = true) : (refresh = setTimeout(refreshNow, pause)));

  // The stream starts at event 0, so that a reconnect misses none. Events only trigger a refresh.
  const open = () => {
    clearTimeout(reopen);
    stream?.close();
    stream = new EventSource(`/api/v1/events?chat=${chat}&after=0&heartbeat=1`);
    connection.opening();
    stream.onopen = () => {
      failures = 0;
      connection.alive();
    };
    // The browser reconnects by itself, except after an error status.
    stream.onerror = () => {
      connection.failed();
      if (stream.readyState === EventSource.CLOSED) reopen = setTimeout(open, retryDelay(failures++));
    };
    stream.addEventListener("heartbeat", connection.alive);
    for (const kind of LIVE_EVENTS) {
      stream.addEventListener(kind, () => {
        connection.alive();
        refreshSoon();
      });
    }
  };
  const end = () => {
    connection.stop();
    stream.close();
  };

  // Only one refresh at a time, so that an older response never replaces a newer one (race).
  const refreshNow = async () => {
    late = false;
    const answer = busy() ? null : await fetch(location.href).catch(() => undefined);
    const page = answer?.ok ? await answer.text().catch(() => undefined) : undefined;
    refresh = undefined;
    if (busy()) return refreshSoon(LIVE_RETRY);
    if (answer && answer.status < 500 && !answer.ok) return end();
    const fresh = page && new DOMParser().parseFromString(page, "text/html").querySelector(".team");
    if (!fresh) return refreshSoon(retryDelay(failures++));
    // Sections that the reader has opened stay open.
    for (const { id } of shown().querySelectorAll("details[id][open]")) fresh.querySelector(`#${id}`)?.setAttribute("open", "");
    shown().replaceWith(fresh);
    careFor(fresh);
    if (!fresh.dataset.live) end();
    else if (late) refreshSoon();
  };

  addEventListener("online", open);
  addEventListener("offline", connection.failed);
  open();
}

function filled(root) {
  return [...(root ?? document).querySelectorAll("textarea, input:not([type=hidden])")].some((field) => field.value !== field.defaultValue);
}

const live = document.querySelector("[data-live]");
if (live) follow(live.dataset.live);

// Live search: queries remote hubs while the page is open, and appends results as they arrive.

function askOthers(section) {
  const [question, list, status] = ["p", "ul", "[role=status]"].map((part) => section.querySelector(part));
  const stream = new EventSource(section.dataset.ask);
  const nodes = (event) => new DOMParser().parseFromString(JSON.parse(event.data), "text/html").body.childNodes;
  question.hidden = true;
  status.textContent = textOf("Searching other hubs…");
  stream.addEventListener("found", (event) => {
    list.append(...nodes(event));
    list.hidden = false;
    careFor(list);
  });
  stream.addEventListener("done", (event) => {
    stream.close();
    status.replaceChildren(...nodes(event));
  });
  stream.addEventListener("error", () => {
    stream.close();
    status.textContent = textOf("Other hubs could not be searched. Try again in a moment.");
  });
}

const others = document.querySelector("[data-ask]");
others?.querySelector("a").addEventListener("click", (event) => {
  event.preventDefault();
  askOthers(others);
});
if (others && "few" in others.dataset) askOthers(others);

// Content that is added later gets the same processing.

function careFor(root) {
  showTimes(root);
  addCopyButtons(root);
}

careFor(document);
// The page's loader reads this.
document.documentElement.dataset.site = "ready";
setInterval(() => showTimes(document), 30_000);
document.addEventListener("plexus:added", (event) => careFor(event.target));
