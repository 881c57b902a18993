// The guideline beside each step: shown or hidden everywhere at once, and remembered in this browser.
"use strict";

function guides() {
  return [...document.querySelectorAll("[data-guide]")];
}

function toggleGuides(isOpen = !guides()[0].open) {
  for (const guide of guides()) guide.open = isOpen;
  try {
    localStorage.setItem("desk-guideline", isOpen ? "open" : "closed");
  } catch { /* then it is not remembered */ }
}

// Open from the start only where that takes no room from what is read or written.
function prepareGuides(hasRoom = document.querySelector(".desk-work").clientWidth > 700) {
  let kept = null;
  try {
    kept = localStorage.getItem("desk-guideline");
  } catch { /* nothing is remembered here */ }
  for (const guide of guides()) {
    guide.open = kept ? kept === "open" : hasRoom;
    guide.querySelector("summary").addEventListener("click", (event) => {
      event.preventDefault();
      toggleGuides(!guide.open);
    });
  }
}
