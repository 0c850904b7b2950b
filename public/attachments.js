// Files of the composer: chosen, pasted or dropped files are uploaded at once, and the message names them.
// `site.js` loads this file on pages with a composer.

const form = document.getElementById("composer");
const list = document.getElementById("composer-files");
const template = document.getElementById("composer-file-template");
const error = document.getElementById("composer-error");
const unread = document.getElementById("composer-unread");
const text = document.getElementById("composer-text");

// Texts in the language of the page, by their English text.
const TEXTS = JSON.parse(document.documentElement.dataset.texts ?? "{}");
const textOf = (english) => TEXTS[english] ?? english;
const fill = (text, ...values) => text.replace(/\{(\d)\}/g, (_, at) => values[at]);
const { lang } = document.documentElement;
const SEPARATOR = { "zh-Hans": "、", ar: "، " }[lang] ?? ", ";

const maxFiles = Number(form.dataset.maxFiles), maxBytes = Number(form.dataset.maxBytes);
/** Bytes of each chip's file. */
const sizes = new WeakMap(), types = new WeakMap(), requests = new WeakMap();

/** As `format::size` of the pages. */
function formatSize(bytes) {
  if (bytes < 1000) return bytes === 1 ? textOf("1 byte") : fill(textOf("{0} bytes"), bytes);
  const units = [textOf("{0} KB"), textOf("{0} MB"), textOf("{0} GB")];
  let value = bytes / 1000, unit = 0;
  while (value >= 1000 && unit + 1 < units.length) [value, unit] = [value / 1000, unit + 1];
  const number = value < 10 ? (Math.floor(value * 10) / 10).toFixed(1) : String(Math.floor(value));
  return fill(units[unit], lang === "de" ? number.replace(".", ",") : number);
}

function fail(words) {
  error.textContent = words;
  error.hidden = !words;
}

const chips = () => [...list.children];

/** As `media_type::is_covered` of the server. */
function isCovered(mode, type) {
  if (mode === "*" || mode === "*/*" || mode === type) return true;
  const kind = mode === "text" || mode === "text/plain" ? "text" : mode.endsWith("/*") ? mode.slice(0, -2) : undefined;
  return kind !== undefined && type.split("/")[0] === kind;
}

/** Names the files that the agent does not read. */
function showUnread() {
  const { reads, agent } = form.dataset;
  const modes = reads === undefined ? undefined : reads.toLowerCase().split(" ").filter(Boolean);
  const isRead = (chip) => modes === undefined || modes.some((mode) => isCovered(mode, (types.get(chip) || "application/octet-stream").toLowerCase()));
  const names = chips().filter((chip) => types.has(chip) && !isRead(chip)).map((chip) => chip.querySelector(".name").textContent);
  unread.hidden = names.length === 0;
  if (names.length === 0) unread.textContent = "";
  else if (modes.length === 0) unread.textContent = fill(textOf("{0} reads no files. It gets only the name of {1}."), agent, names.join(SEPARATOR));
  else unread.textContent = fill(textOf("{0} reads {1}. It may ignore {2}."), agent, modes.join(SEPARATOR), names.join(SEPARATOR));
}

function showState() {
  const uploading = chips().filter((chip) => requests.has(chip)).length;
  if (uploading) form.dataset.uploading = uploading;
  else delete form.dataset.uploading;
  showUnread();
}

function remove(chip) {
  const id = chip.querySelector("input[name=upload]")?.value;
  const next = chip.nextElementSibling ?? chip.previousElementSibling;
  requests.get(chip)?.abort();
  requests.delete(chip);
  chip.remove();
  fail("");
  showState();
  // The focus must not be lost with the button.
  (next?.querySelector("button") ?? text).focus();
  if (id) fetch(`/api/v1/uploads/${id}`, { method: "DELETE", headers: { accept: "application/json" } }).catch(() => undefined);
}

function refusal(request) {
  try {
    return JSON.parse(request.responseText).error.message;
  } catch {
    return undefined;
  }
}

function stored(chip, upload) {
  const field = Object.assign(document.createElement("input"), { type: "hidden", name: "upload", value: upload.id });
  chip.prepend(field);
  chip.querySelector("progress").remove();
  chip.querySelector(".name").textContent = upload.name;
  chip.querySelector(".size").textContent = formatSize(upload.size);
  sizes.set(chip, upload.size);
  types.set(chip, upload.media_type);
  if (upload.image) {
    const image = Object.assign(new Image(), { src: `/blobs/${upload.blob}`, alt: "" });
    chip.querySelector(".icon").replaceWith(image);
  }
}

function upload(file) {
  const chip = template.content.firstElementChild.cloneNode(true);
  const name = file.name || textOf("pasted file");
  chip.querySelector(".name").textContent = name;
  chip.querySelector(".size").textContent = formatSize(file.size);
  chip.querySelector("button span").textContent = fill(textOf("Remove {0}"), name);
  const progress = chip.querySelector("progress");
  progress.setAttribute("aria-label", fill(textOf("Upload of {0}"), name));
  sizes.set(chip, file.size);
  const request = new XMLHttpRequest();
  requests.set(chip, request);
  request.open("POST", `/api/v1/uploads?name=${encodeURIComponent(name)}`);
  request.setRequestHeader("accept", "application/json");
  request.setRequestHeader("content-type", file.type || "application/octet-stream");
  request.upload.onprogress = ({ loaded, total }) => (progress.value = total ? loaded / total : 0);
  // The hub still reads the file, and encodes an image again.
  request.upload.onload = () => progress.removeAttribute("value");
  request.onloadend = () => {
    if (!requests.delete(chip)) return;
    if (request.status === 201) stored(chip, JSON.parse(request.responseText));
    else {
      chip.remove();
      fail(refusal(request) ?? fill(textOf("{0} could not be uploaded. Add it again."), name));
    }
    showState();
  };
  list.append(chip);
  request.send(file);
}

function add(files) {
  if (files.length === 0) return;
  fail("");
  for (const file of files) {
    const total = chips().reduce((sum, chip) => sum + (sizes.get(chip) ?? 0), 0);
    if (list.children.length >= maxFiles) {
      fail(fill(textOf("A message has at most {0} files. Send the rest in another."), maxFiles));
      break;
    }
    if (file.size === 0) fail(fill(textOf("{0} is empty. Choose another file."), file.name));
    else if (total + file.size > maxBytes) fail(fill(textOf("{0} does not fit: the files of a message have at most {1} in all."), file.name, formatSize(maxBytes)));
    else upload(file);
  }
  showState();
}

form.classList.add("uploads");
for (const input of form.querySelectorAll("input[type=file]")) {
  input.addEventListener("change", () => {
    const files = [...input.files];
    // The form must not send them again.
    input.value = "";
    add(files);
    text.focus();
  });
  // Chosen before this script was loaded.
  if (input.files.length) input.dispatchEvent(new Event("change"));
}

list.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  event.preventDefault();
  remove(button.closest("li"));
});

text.addEventListener("paste", (event) => {
  const files = [...(event.clipboardData?.files ?? [])];
  // Text from an office program comes with a picture of itself.
  if (files.length === 0 || event.clipboardData.types.includes("text/plain")) return;
  event.preventDefault();
  add(files);
});

// Files may be dropped anywhere in the chat.
const room = form.closest(".room");
const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
room.addEventListener("dragover", (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  form.classList.add("dropping");
});
room.addEventListener("dragleave", (event) => {
  if (!room.contains(event.relatedTarget)) form.classList.remove("dropping");
});
room.addEventListener("drop", (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  form.classList.remove("dropping");
  add([...event.dataTransfer.files]);
});

// The chat island takes sent files out of the list, and puts them back if the message is refused.
new MutationObserver(showState).observe(list, { childList: true });
form.dataset.attachments = "ready";
