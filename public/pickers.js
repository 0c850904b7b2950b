// Lists to choose from by keyboard or pointer: the search dialog, the agents that a message begins with, and commands.
// `site.js` loads this file when one of them is first needed.

/** Milliseconds without input before a search starts (debounce). */
const PAUSE = 150;
const MAX_CHATS = 5, MAX_MESSAGES = 6, MAX_AGENTS = 6;

// Texts in the language of the page, by their English text.
const TEXTS = JSON.parse(document.documentElement.dataset.texts ?? "{}");
const textOf = (english) => TEXTS[english] ?? english;

function resultCount(count) {
  if (count < 2) return textOf(count === 0 ? "No results" : "1 result");
  return textOf("{0} results").replace("{0}", count);
}

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** List box of a text field that keeps the focus (ARIA combobox pattern). */
class OptionList {
  #active = -1;

  constructor(field, id, label, choose) {
    this.field = field;
    this.choose = choose;
    this.chooseKeys = ["Enter"];
    this.list = element("div", { id, role: "listbox", "aria-label": label, class: "options", hidden: "" });
    this.status = element("p", { class: "hidden", role: "status" });
    field.setAttribute("aria-autocomplete", "list");
    // The field keeps the focus.
    this.list.addEventListener("pointerdown", (event) => event.preventDefault());
    this.list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option && !option.href) this.choose(option);
    });
  }

  get isOpen() {
    return !this.list.hidden;
  }

  #options() {
    return [...this.list.querySelectorAll("[role=option]")];
  }

  /** Shows groups of options: `{ label, options: [{ title, detail, href or value }] }`. Keeps a selection that was moved, or selects the first. */
  show(groups) {
    this.field.setAttribute("aria-controls", this.list.id);
    const target = (option) => option?.getAttribute("href") ?? option?.dataset.value;
    const selected = this.#active > 0 ? target(this.#options()[this.#active]) : undefined;
    const filled = groups.filter(({ options }) => options.length > 0);
    this.list.replaceChildren(...filled.map((group, at) => this.#group(group, at)));
    const options = this.#options();
    options.forEach((option, at) => (option.id = `${this.list.id}-${at}`));
    this.list.hidden = options.length === 0;
    this.status.textContent = resultCount(options.length);
    this.#setExpanded();
    this.#select(Math.max(0, options.findIndex((option) => target(option) === selected)));
  }

  close() {
    this.status.textContent = "";
    // Another list of the field may be open.
    if (!this.isOpen) return;
    this.list.hidden = true;
    this.#setExpanded();
    this.#select(-1);
  }

  #group({ label, options }, at) {
    const id = `${this.list.id}-label-${at}`;
    const rows = options.map(({ title, detail, href, value }) => {
      const target = href ? { href, tabindex: "-1" } : { "data-value": value };
      const name = element("span", { class: "name", dir: "auto" }, title);
      const row = element(href ? "a" : "div", { role: "option", "aria-selected": "false", ...target }, name);
      if (detail?.length) row.append(" ", element("span", { class: "detail", dir: "auto" }, ...detail));
      return row;
    });
    const heading = element("p", { id, class: "label", role: "presentation" }, label);
    return element("div", { role: "group", "aria-labelledby": id }, heading, ...rows);
  }

  #setExpanded() {
    // A text area has no such state.
    if (this.field.role === "combobox") this.field.setAttribute("aria-expanded", String(this.isOpen));
  }

  #select(at) {
    const options = this.#options();
    options.forEach((option) => option.setAttribute("aria-selected", "false"));
    this.#active = options.length && at >= 0 ? (at + options.length) % options.length : -1;
    const option = options[this.#active];
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    if (option) this.field.setAttribute("aria-activedescendant", option.id);
    else this.field.removeAttribute("aria-activedescendant");
  }

  /** Handles a key of the field. Returns whether it was one of the list. */
  handleKey(event) {
    if (!this.isOpen || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    if (event.key === "ArrowDown") this.#select(this.#active + 1);
    else if (event.key === "ArrowUp") this.#select(this.#active - 1);
    else if (this.chooseKeys.includes(event.key) && this.#active >= 0) this.choose(this.#options()[this.#active]);
    else return false;
    event.preventDefault();
    return true;
  }
}

/** Returns a function that calls `search(words, signal)` after a pause, and `show` with the result of the latest call only. */
function debounced(search, show, fail) {
  let timer, controller;
  const cancel = () => {
    clearTimeout(timer);
    controller?.abort();
  };
  const start = (words, pause = PAUSE) => {
    cancel();
    const { signal } = (controller = new AbortController());
    timer = setTimeout(async () => {
      try {
        const found = await search(words, signal);
        if (!signal.aborted) show(found);
      } catch {
        if (!signal.aborted) fail();
      }
    }, pause);
  };
  return Object.assign(start, { cancel });
}

async function read(path, signal) {
  const answer = await fetch(path, { signal });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}

const agentOption = ({ title, address, summary }) => ({ title, detail: [address, summary && ` · ${summary}`].filter(Boolean), address });

// Search dialog.

const chatOption = ({ id, title }) => ({ title, href: `/chat/${id}` });

function messageOption({ chat, message, title, snippet }) {
  const detail = snippet.map(({ text, match }) => (match ? element("mark", {}, text) : text));
  return { title, detail, href: `/chat/${chat}?m=${message}#m-${message}` };
}

async function searchAll(words, signal) {
  if (!words) {
    const { items } = await read("/api/v1/chats", signal);
    return [{ label: textOf("Recent chats"), options: items.slice(0, MAX_CHATS + MAX_MESSAGES).map(chatOption) }];
  }
  const q = encodeURIComponent(words);
  const paths = [`/api/v1/chats/search?q=${q}`, `/api/v1/agents?q=${q}&limit=${MAX_AGENTS}`];
  const [chats, agents] = await Promise.all(paths.map((path) => read(path, signal)));
  return [
    { label: textOf("Chats"), options: chats.chats.slice(0, MAX_CHATS).map(chatOption) },
    { label: textOf("Messages"), options: chats.items.slice(0, MAX_MESSAGES).map(messageOption) },
    { label: textOf("Agents"), options: agents.items.map(agentOption).map((agent) => ({ ...agent, href: `/${agent.address}` })) },
  ];
}

function buildDialog() {
  const field = element("input", { type: "search", role: "combobox", "aria-label": textOf("Search chats and agents"), "aria-expanded": "false", placeholder: textOf("Search chats and agents"), maxlength: "200", autocomplete: "off" });
  const options = new OptionList(field, "search-options", textOf("Results"), (option) => location.assign(option.href));
  const note = element("p", { class: "quiet small" });
  const all = element("a", { href: "/chat/search" }, textOf("All results in chats"));
  const dialog = element("dialog", { class: "dialog quick-search", "aria-label": textOf("Search chats and agents"), closedby: "any" }, field, options.status, options.list, note, all);
  const show = (groups) => {
    options.show(groups);
    note.textContent = options.isOpen ? "" : field.value.trim() ? textOf("Nothing found.") : textOf("Your chats will be listed here.");
  };
  const fail = () => {
    options.close();
    note.textContent = textOf("The search failed. Try again in a moment.");
  };
  const search = debounced(searchAll, show, fail);
  const refresh = (pause) => {
    const words = field.value.trim();
    all.href = `/chat/search?q=${encodeURIComponent(words)}`;
    search(words, pause);
  };
  field.addEventListener("input", () => refresh());
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing) return options.handleKey(event);
    // A search field would only empty itself.
    event.preventDefault();
    dialog.close();
  });
  document.body.append(dialog);
  return { dialog, field, refresh };
}

let search;

/** Opens the search dialog, with the words of the last search selected. */
export function openSearch() {
  search ??= buildDialog();
  if (!search.dialog.open) search.dialog.showModal();
  search.field.select();
  search.refresh(0);
}

// Agents that a message begins with.

/** Mentions count only at the beginning of a message: `@one/agent @two/age`. */
const MENTION = /^(?:\s*@\S+\s+)*\s*@(\S*)$/u;

const GROUPS = [["own", textOf("Your agents")], ["recent", textOf("Recently used")], ["starred", textOf("Starred")], ["hub", textOf("Agents of this hub")]];

let suggested;

async function searchAgents(words, signal) {
  suggested ??= read("/api/v1/agents/suggested").catch((error) => {
    suggested = undefined;
    throw error;
  });
  const lists = await suggested;
  const has = ({ title, address }) => `${title} ${address}`.toLowerCase().includes(words.toLowerCase());
  const groups = GROUPS.map(([name, label]) => ({ label, options: lists[name].filter(has).map(agentOption) }));
  const query = words.replace(/[@/]+/g, " ").trim();
  if (query) {
    const { items } = await read(`/api/v1/agents?q=${encodeURIComponent(query)}&limit=${MAX_AGENTS}`, signal);
    const shown = new Set(groups.flatMap(({ options }) => options.map(({ address }) => address)));
    const others = items.filter(({ address }) => !shown.has(address));
    groups.push({ label: textOf("Other agents"), options: others.map(agentOption) });
  }
  return groups.map(({ label, options }) => ({ label, options: options.map((agent) => ({ ...agent, value: agent.address })) }));
}

/**
 * Offers options while the text before the cursor ends with a match of `pattern`, whose group is what was typed. `refresh(words, options)`
 * shows them, and `choose(option, begin)` replaces the text from `begin` to the cursor.
 */
function offer(field, { id, label, pattern, refresh, cancel, choose }) {
  const typed = () => field.value.slice(0, field.selectionEnd).match(pattern)?.[1];
  const options = new OptionList(field, id, label, (option) => {
    const begin = field.selectionEnd - (typed() ?? "").length - 1;
    options.close();
    choose(option, begin);
  });
  options.chooseKeys.push("Tab");
  field.setAttribute("aria-haspopup", "listbox");
  // A list that scrolls must be reachable by keyboard.
  options.list.tabIndex = 0;
  field.before(options.status, options.list);
  const leave = () => {
    cancel?.();
    options.close();
  };
  const update = () => {
    const words = typed();
    if (words === undefined) leave();
    else refresh(words, options);
  };
  field.addEventListener("input", update);
  field.addEventListener("blur", leave);
  // Before the handlers of the composer, where Enter sends the message and Esc stops the answer.
  document.addEventListener("keydown", (event) => {
    if (event.target !== field || !options.isOpen) return;
    if (event.key === "Escape") leave();
    else if (!options.handleKey(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
  update();
}

/** Replaces the text from `begin` to the cursor. */
function replaceTyped(field, begin, text) {
  field.setRangeText(text, begin, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Offers agents while a message begins with `@`. */
export function offerAgents(field) {
  let list;
  const search = debounced(searchAgents, (groups) => list.show(groups), () => list.close());
  const refresh = (words, options) => {
    list = options;
    search(words);
  };
  const choose = ({ dataset }, begin) => replaceTyped(field, begin, `${dataset.value} `);
  offer(field, { id: "agent-options", label: textOf("Agents"), pattern: MENTION, refresh, cancel: search.cancel, choose });
}

// Commands, and example messages of the agent that answers.

/** A command begins a line that is empty otherwise. */
const COMMAND = /(?:^|\n)\/([^\s/]*)$/u;

/** Returns whether a word of the text begins with these words. Scripts without spaces have no such words. */
function hasWord(text, words) {
  const plain = text.toLowerCase();
  return /[^\0-\x7f]/.test(words) ? plain.includes(words) : plain.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(words));
}

/** Returns the control that a command presses: the last one, since that is the newest. */
const targetOf = ({ dataset: { target } }) => [...document.querySelectorAll(target)].at(-1);

/** Returns the options for what was typed after `/`: commands that apply at the moment, and messages. */
function commandGroups(source, typed) {
  const words = typed.toLowerCase();
  const items = [...source.content.children].map((item, at) => ({ item, title: item.textContent, name: item.dataset.name, value: String(at) }));
  const applies = ({ item, name }) => name && (!item.dataset.target || targetOf(item));
  const isMeant = ({ name, title }) => name.startsWith(words) || hasWord(title, words);
  const commands = items.filter((one) => applies(one) && isMeant(one)).map((one) => ({ ...one, detail: [`/${one.name}`] }));
  // The command whose name was typed comes first.
  commands.sort((one, other) => other.name.startsWith(words) - one.name.startsWith(words));
  const messages = items.filter(({ name, title }) => !name && hasWord(title, words));
  return [{ label: source.dataset.label, options: commands }, { label: source.dataset.messages, options: messages }];
}

function runCommand(item) {
  if (item.dataset.target) targetOf(item)?.click();
  else import("./shortcuts.js").then((shortcuts) => shortcuts.run("list"), () => location.assign("/shortcuts"));
}

/** Offers commands while a line has only `/` and the beginning of a name. Any other text is sent as it is. */
export function offerCommands(field) {
  const source = document.getElementById("composer-commands");
  const refresh = (words, options) => {
    // What follows the cursor is part of the line.
    const rest = field.value.slice(field.selectionEnd).split("\n", 1)[0];
    const groups = rest.trim() ? [] : commandGroups(source, words);
    if (groups.some(({ options: found }) => found.length > 0)) options.show(groups);
    else options.close();
  };
  const choose = ({ dataset }, begin) => {
    const item = source.content.children[dataset.value];
    replaceTyped(field, begin, item.dataset.name ? "" : item.textContent);
    if (item.dataset.name) runCommand(item);
  };
  offer(field, { id: "command-options", label: source.dataset.label, pattern: COMMAND, refresh, choose });
}
