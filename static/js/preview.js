// The preview without full reloads: each change posts the same form as its buttons do and puts the answer's board and text
// in place of the old ones. Runs can be dragged; what is pointed at is marked on both sides.
"use strict";
(function () {
  const form = document.querySelector("form[data-preview]");
  const PARTS = ["board", "lines", "savebar"];
  const paper = form.querySelector(".paper");
  let queue = Promise.resolve();
  let changed = false;
  let dragged = null;

  const part = (id, root = document) => root.getElementById(id);
  const find = (name, value) =>
    form.querySelector(`[name="${CSS.escape(name)}"]` + (value === undefined ? "" : `[value="${CSS.escape(value)}"]`));

  // One change after the other: each is made to the form that the one before it left.
  function send(values) {
    changed = true;
    queue = queue.then(() => post(values));
  }

  async function post(values) {
    const data = new FormData(form);
    for (const [name, value] of Object.entries(values)) data.set(name, value);
    try {
      const answer = await fetch(form.getAttribute("action"), { method: "POST", body: data });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!answer.ok || !part("board", page)) throw new Error(answer.status);
      swap(page);
      if (values.at && part(`L${values.at}`)) show(Number(values.at));
    } catch {
      part("savebar").querySelector(".said").textContent = "The server did not accept this change. Try again, or save what is shown.";
    }
  }

  function swap(page) {
    const open = Array.from(form.querySelectorAll("#board details[open][id]"), (each) => each.id);
    const at = document.activeElement;
    const top = form.querySelector(".sourcebox").scrollTop;
    const same = part("lines", page).innerHTML === part("lines").innerHTML;
    for (const id of same ? ["board", "savebar"] : PARTS) part(id).replaceWith(document.adoptNode(part(id, page)));
    for (const id of open) if (part(id)) part(id).open = true;
    form.querySelector(".sourcebox").scrollTop = top;
    const again = at.id ? part(at.id) : at.name && (find(at.name, at.value) || find(at.name));
    if (again && again !== at) {
      if (again.type === "text" && again.name === at.name) again.value = at.value; // what was typed meanwhile
      again.focus({ preventScroll: true });
    }
  }

  form.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (button && button.value === "save") {
      changed = false;
      return;
    }
    event.preventDefault();
    // Enter in a field: the field's change is sent already.
    if (button && button.value !== "update") send({ [button.name]: button.value });
  });
  form.addEventListener("change", (event) => {
    if (["pick", "to", "tags", "redact"].includes(event.target.name)) return;
    send({ action: "update" });
  });
  window.addEventListener("beforeunload", (event) => {
    if (changed) event.preventDefault();
  });

  // --- Both sides: the lines of a run, and the run of a line
  const owner = (node) => node.closest && node.closest("[data-lines]");

  function* linesOf(card) {
    for (const span of card.dataset.lines.split(" ")) {
      const [first, last] = span.split("-").map(Number);
      for (let n = first; n <= last; n += 1) {
        const line = part(`L${n}`);
        if (line) yield line;
        else if (n > first) break;
      }
    }
  }

  function show(n) {
    const box = form.querySelector(".sourcebox");
    const line = part(`L${n}`);
    if (line) box.scrollTo({ top: line.offsetTop - box.offsetTop - 40, behavior: "smooth" });
    return Boolean(line);
  }

  function mark(card) {
    for (const hot of form.querySelectorAll(".hot")) hot.classList.remove("hot");
    if (!card) return;
    for (const each of form.querySelectorAll(`[data-key="${CSS.escape(card.dataset.key)}"]`)) each.classList.add("hot");
    for (const line of linesOf(card)) line.classList.add("hot");
  }

  function cardOf(line) {
    const n = Number(line.id.slice(1));
    return Array.from(form.querySelectorAll("[data-lines]")).find((card) =>
      card.dataset.lines.split(" ").some((span) => {
        const [first, last] = span.split("-").map(Number);
        return first <= n && n <= last;
      }),
    );
  }

  form.addEventListener("mouseover", (event) => {
    const line = event.target.closest(".source li");
    mark(line ? cardOf(line) : owner(event.target));
  });
  form.addEventListener("click", (event) => {
    const card = event.target.closest(".run");
    if (!card || event.target.tagName !== "INPUT" || window.matchMedia("(max-width: 60rem)").matches) return;
    const first = Number(card.dataset.lines.split("-")[0]);
    if (!show(first)) send({ at: first });
  });

  // --- Drag and drop
  const zoneOf = (event) => dragged && event.target.closest("[data-config]");

  form.addEventListener("dragstart", (event) => {
    const card = owner(event.target);
    if (!card) return;
    dragged = card.dataset.key;
    card.classList.add("dragged");
    event.dataTransfer.setData("text/plain", dragged);
    event.dataTransfer.effectAllowed = "move";
    // Not at once: a page that changes under a drag that just began ends it.
    setTimeout(() => form.querySelectorAll(".drop-new").forEach((zone) => zone.classList.add("open")));
  });
  form.addEventListener("dragover", (event) => {
    const zone = zoneOf(event);
    for (const each of form.querySelectorAll(".over")) each.classList.toggle("over", each === zone);
    if (!zone) return;
    event.preventDefault();
    zone.classList.add("over");
  });
  form.addEventListener("drop", (event) => {
    const zone = zoneOf(event);
    if (!zone) return;
    event.preventDefault();
    const picked = find("pick", dragged);
    if (!picked.checked) for (const each of form.querySelectorAll("[name=pick]:checked")) each.checked = false;
    picked.checked = true;
    send({ action: "move", to: zone.dataset.config });
  });
  form.addEventListener("dragend", () => {
    dragged = null;
    for (const each of form.querySelectorAll(".over, .dragged, .open")) each.classList.remove("over", "dragged", "open");
  });

  // --- Keyboard: Alt and an arrow moves a run to the config above or below
  form.addEventListener("keydown", (event) => {
    const card = event.altKey && owner(event.target);
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!card || !step) return;
    event.preventDefault();
    const zones = Array.from(form.querySelectorAll("[data-config]"));
    const zone = zones[zones.indexOf(card.closest("[data-config]")) + step];
    if (!zone) return;
    for (const each of form.querySelectorAll("[name=pick]:checked")) each.checked = false;
    find("pick", card.dataset.key).checked = true;
    send({ action: "move", to: zone.dataset.config });
  });

  if (window.matchMedia("(max-width: 60rem)").matches) paper.open = false;
})();
