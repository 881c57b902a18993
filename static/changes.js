// What was changed from one text to another, word by word: the longest common run of words, found the plain way.
"use strict";

const WORDS = /[\p{L}\p{N}_]+\s*|[^\p{L}\p{N}_\s]\s*|\s+/gu;
const MOST_WORDS = 1_500; // beyond, the time of comparing would be felt while typing

// Pieces [kind, text]; kind is "kept", "added" or "removed".
function wordChanges(before, after) {
  const [old, now] = [before.match(WORDS) ?? [], after.match(WORDS) ?? []];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const [a, b] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const pieces = [["kept", old.slice(0, start).join("")], ...middle(a, b), ["kept", old.slice(old.length - end).join("")]];
  return pieces.filter(([, text]) => text);
}

function middle(a, b) {
  if (!a.length || !b.length || a.length > MOST_WORDS || b.length > MOST_WORDS) {
    return [["removed", a.join("")], ["added", b.join("")]];
  }
  const key = (word) => word.trim();
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i][j] = key(a[i]) === key(b[j]) ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  const pieces = [];
  const add = (kind, text) => {
    if (pieces.at(-1)?.[0] === kind) pieces.at(-1)[1] += text;
    else pieces.push([kind, text]);
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && key(a[i]) === key(b[j])) {
      add("kept", b[j]);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && common[i + 1][j] >= common[i][j + 1])) {
      add("removed", a[i]);
      i += 1;
    } else {
      add("added", b[j]);
      j += 1;
    }
  }
  return pieces;
}

// Shows the changes within an element; returns how many changes there are.
function showChanges(element, before, after) {
  const pieces = wordChanges(before, after);
  element.replaceChildren(...pieces.map(([kind, text]) => {
    if (kind === "kept") return document.createTextNode(text);
    const mark = document.createElement(kind === "added" ? "ins" : "del");
    mark.textContent = text;
    return mark;
  }));
  return pieces.filter(([kind], at) => kind !== "kept" && (at === 0 || pieces[at - 1][0] === "kept")).length;
}
