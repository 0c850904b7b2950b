// Stores the text of each `textarea[data-draft]` in localStorage until it is sent. Drafts survive a reload,
// and are stored before the islands run. Each account of the browser has its own drafts. Without storage
// there are none.

const PREFIX = `plexus:draft:${document.querySelector("script[data-site]").dataset.account}:`;

function storeDraft({ target: field }) {
  if (field.dataset?.draft === undefined) return;
  try {
    if (field.value.trim()) localStorage.setItem(PREFIX + field.dataset.draft, field.value);
    else localStorage.removeItem(PREFIX + field.dataset.draft);
  } catch {}
}

function restoreDraft(field) {
  try {
    field.value ||= localStorage.getItem(PREFIX + field.dataset.draft) ?? "";
  } catch {}
}

for (const field of document.querySelectorAll("textarea[data-draft]")) {
  restoreDraft(field);
  if (field.value) storeDraft({ target: field });
}
document.addEventListener("input", storeDraft);
// The browser submits this form itself. If the hub rejects it, the page that is returned stores its text
// again.
document.addEventListener("submit", ({ target: form, defaultPrevented }) => {
  if (defaultPrevented) return;
  for (const { dataset } of form.querySelectorAll("textarea[data-draft]")) {
    try {
      localStorage.removeItem(PREFIX + dataset.draft);
    } catch {}
  }
});
