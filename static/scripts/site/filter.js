// For the published pages, which are also opened from a folder: a plain script, as browsers load no modules there.
// It narrows the list of a page down to what has all the words. Without it, the page is whole.
{
  const field = /** @type {HTMLInputElement | null} */ (document.querySelector("[data-filter]"));
  const found = document.querySelector("[data-found]");
  const rows = [...document.querySelectorAll("[data-filtered]")].map((row) => ({
    row: /** @type {HTMLElement} */ (row),
    text: (row.textContent ?? "").toLowerCase(),
  }));

  const narrow = () => {
    const words = (field?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { row, text } of rows) {
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) count += 1;
    }
    if (found) found.textContent = words.length ? `${count} of ${rows.length} on this page` : "";
  };

  if (field) {
    field.closest("[hidden]")?.removeAttribute("hidden");
    field.addEventListener("input", narrow);
    if (field.value) narrow(); // the browser kept it when it went back
  }
}
