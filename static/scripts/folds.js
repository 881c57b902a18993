// Passages that are folded to a few lines. A fold never cuts a marked span: it goes down to the line behind it, so that
// neither the fold nor its ellipsis hides a part of what contradicts.
import { all } from "./dom.js";
import { linesToShow } from "./text/lines.js";

const FOLDED = ".judge-passage p";

/** Gives each folded passage as many lines as its marks need. Call it when passages were put in. */
export function fitFolds() {
  for (const text of all(FOLDED)) {
    text.classList.remove("is-fitted");
    const least = Number(getComputedStyle(text).webkitLineClamp);
    if (!least) continue; // it is unfolded
    text.classList.add("is-measured");
    const height = parseFloat(getComputedStyle(text).lineHeight);
    const { top, height: whole } = text.getBoundingClientRect();
    /** @type {[number, number][]} */
    const marks = all("mark", text).map((mark) => {
      const box = mark.getBoundingClientRect();
      return [Math.floor((box.top - top) / height), Math.ceil((box.bottom - top) / height - 0.25)];
    });
    text.classList.remove("is-measured");
    const lines = linesToShow(marks, { least, all: Math.round(whole / height) });
    text.style.setProperty("--lines", String(lines));
    text.classList.add("is-fitted");
  }
}

new ResizeObserver(() => fitFolds()).observe(document.documentElement);
// Unfolding changes what the page's style says of a passage; nothing else does.
document.addEventListener("change", fitFolds);
