// What htmx leaves open on pages that fill in by themselves: say what changed, keep the log at its end, and leave
// the page when the session has ended.
"use strict";
(function () {
  const said = document.getElementById("said");
  let atEnd = true;
  let leaving = false; // a second answer from the login page must not break off the reload that the first one began

  function log() {
    return document.querySelector("pre.log");
  }

  function tell() {
    const live = document.querySelector("[data-say]");
    if (!live) return;
    if (live.dataset.title) document.title = live.dataset.title;
    if (said && said.textContent !== live.dataset.say) said.textContent = live.dataset.say;
  }

  function toEnd() {
    const box = log();
    if (box && atEnd) box.scrollTop = box.scrollHeight;
  }

  document.addEventListener("htmx:beforeSwap", (event) => {
    const box = log();
    atEnd = !box || box.scrollTop + box.clientHeight > box.scrollHeight - 8;
    const asked = event.detail.pathInfo.finalRequestPath.split("?")[0];
    const came = event.detail.xhr.responseURL;
    if (came && new URL(came).pathname !== asked) {
      event.detail.shouldSwap = false;
      if (!leaving) window.location.reload();
      leaving = true;
    }
  });
  document.addEventListener("htmx:afterSettle", () => {
    tell();
    toEnd();
  });
  toEnd();
})();
