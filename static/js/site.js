// What every page has: "/" goes to the search box, buttons copy text, menus close on Escape or a click elsewhere.
"use strict";
(function () {
  document.addEventListener("keydown", (event) => {
    const box = document.querySelector(".search input");
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key === "/" && box && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      box.focus();
      box.select();
    }
    const menu = event.key === "Escape" && event.target.closest("details.menu[open], details.who[open]");
    if (menu) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });

  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.menu[open], details.who[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
    const button = event.target.closest("[data-copy]");
    if (button) copy(button);
  });

  // The tab of the section that is read: of those whose heads are in the upper part of the window or above, the last.
  const tabs = [...document.querySelectorAll(".tabs a")];
  const section = (tab) => document.getElementById(tab.hash.slice(1));
  let waiting = false; // for the next frame
  function markSoon() {
    if (!waiting) requestAnimationFrame(mark);
    waiting = true;
  }
  if (tabs.length) document.addEventListener("scroll", markSoon, { passive: true });
  function mark() {
    waiting = false;
    const tops = tabs.map((tab) => section(tab)?.getBoundingClientRect().top ?? Infinity);
    const at = tops.reduce((last, top, n) => (top < innerHeight * 0.3 && top >= tops[last] ? n : last), 0);
    tabs.forEach((tab, n) => (n === at ? tab.setAttribute("aria-current", "true") : tab.removeAttribute("aria-current")));
  }

  // data-copy holds the text, or is empty: then it is the text of the element before the button.
  async function copy(button) {
    const text = button.dataset.copy || button.previousElementSibling.textContent.trim();
    const words = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(button.previousElementSibling); // no clipboard without HTTPS: select it instead
      button.textContent = "Press Ctrl+C";
    }
    setTimeout(() => (button.textContent = words), 2000);
  }
})();
