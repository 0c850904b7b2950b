// Keeps what is typed into a `textarea[data-draft]` until it is sent, also through a reload and before the page is live.
// Each account of the browser has its own drafts. A browser without storage keeps none.

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
// A form that the browser itself sends; its page has a script of its own when it comes back.
document.addEventListener("submit", ({ target: form, defaultPrevented }) => {
  if (defaultPrevented) return;
  for (const { dataset } of form.querySelectorAll("textarea[data-draft]")) {
    try {
      localStorage.removeItem(PREFIX + dataset.draft);
    } catch {}
  }
});
