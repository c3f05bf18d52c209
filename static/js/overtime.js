// Draws charts over time: puts the points of a light figure back (see runs/charts/overtime/lean.py), and asks for finer ones
// when the reader zooms in, by dragging or by the buttons. All charts of a page show the same time. What is there stays until the finer figure has come.
"use strict";
(function () {
  const WAIT_MS = 150; // after the last of several zooms
  const MOST_KEPT = 50; // figures of earlier zooms
  const fetched = new Map(); // address -> promise of its JSON
  const coarse = window.matchMedia("(pointer: coarse)").matches;
  const boxes = [...document.querySelectorAll(".plot[data-over]")];
  const drawn = new Set();
  const following = new WeakSet(); // boxes that are moved by this script and not by the reader
  const seconds = new WeakMap(); // box -> how much of its x axis a second is
  const zoom = document.querySelector(".zoom");
  let range = fromQuery() || fromPage();
  let whole; // the ends of all that there is, known with the first figure
  let clock = false; // whether they are on a clock
  let restoring = false;
  let timer;
  let turn = 0;

  function fromQuery() {
    const query = new URLSearchParams(location.search);
    const ends = ["from", "to"].map((name) => parseFloat(query.get(name)));
    return ends.every(Number.isFinite) && ends[0] < ends[1] ? ends : null;
  }

  // Where the monitors saw far more than the run that the page is about.
  function fromPage() {
    const { from, to } = boxes.length ? boxes[0].dataset : {};
    return from ? [parseFloat(from), parseFloat(to)] : null;
  }

  function intoQuery() {
    const here = new URL(location.href);
    ["from", "to"].forEach((name, at) => {
      if (range) here.searchParams.set(name, range[at].toFixed(1));
      else here.searchParams.delete(name);
    });
    history.replaceState(history.state, "", here);
  }

  function address(box) {
    const asked = new URL(box.dataset.over, location.href);
    asked.searchParams.set("points", Math.max(200, Math.ceil(box.clientWidth / 100) * 100));
    if (range) {
      asked.searchParams.set("from", range[0].toFixed(1));
      asked.searchParams.set("to", range[1].toFixed(1));
    }
    return asked.pathname + asked.search;
  }

  function summed(first, differences) {
    let sum = first;
    return [sum, ...differences.map((difference) => (sum += difference))];
  }

  function points(axis) {
    return axis.d ? summed(axis.at, axis.d) : Array.from({ length: axis.n }, (_, at) => axis.at + at * axis.by);
  }

  function trace({ lean, ...told }, light) {
    const x = points(light.axes[lean.x]).map((tick) => tick * light.tick);
    const y = lean.y.length ? summed(lean.y[0], lean.y.slice(1)).map((figure) => figure * light.unit) : [];
    for (const place of [...(lean.breaks || [])].reverse()) {
      x.splice(place, 0, x[place - 1]);
      y.splice(place, 0, null);
    }
    return { ...told, x, y };
  }

  function figure(light, box) {
    const panel = light.panels[box.dataset.panel] || { data: [], layout: structuredClone(light.panels[0].layout) };
    seconds.set(box, light.second);
    whole = light.ends;
    clock = light.second === 1000;
    tell();
    const made = { data: panel.data.map((one) => trace(one, light)), layout: structuredClone(panel.layout) };
    if (coarse) {
      made.layout.dragmode = false; // a finger that goes down the page must not be caught
      made.layout.xaxis.fixedrange = true;
    }
    return made;
  }

  async function request(address) {
    const response = await fetch(address, { headers: { Accept: "application/json" } });
    if (!response.ok || response.redirected) throw new Error(`${address} was answered with ${response.status}`);
    return response.json();
  }

  // Boxes of one chart have one address, which is fetched once for all of them.
  function fetchJson(address) {
    if (!fetched.has(address)) {
      if (fetched.size >= MOST_KEPT) fetched.delete(fetched.keys().next().value);
      fetched.set(address, request(address));
      fetched.get(address).catch(() => fetched.delete(address));
    }
    return fetched.get(address);
  }

  function load(box) {
    return fetchJson(address(box)).then((light) => figure(light, box));
  }

  function told(box, value) {
    const at = typeof value === "string" ? Date.parse(value.trim().replace(" ", "T") + "Z") : value;
    return at / seconds.get(box);
  }

  function moved(box, event) {
    if (following.has(box)) return;
    const ends = event["xaxis.range"] || [event["xaxis.range[0]"], event["xaxis.range[1]"]];
    if (restoring || event["xaxis.autorange"]) range = null;
    else if (ends[0] !== undefined) range = ends.map((end) => told(box, end));
    else return;
    restoring = false;
    show(box);
  }

  function show(mover) {
    if (range) for (const other of drawn) if (other !== mover) follow(other);
    intoQuery();
    tell();
    clearTimeout(timer);
    timer = setTimeout(refine, WAIT_MS);
  }

  function follow(box) {
    following.add(box);
    const ends = range.map((end) => end * seconds.get(box));
    Plotly.relayout(box, { "xaxis.range": ends }).finally(() => following.delete(box));
  }

  function refine() {
    const mine = ++turn;
    for (const box of drawn) {
      load(box).then(
        (made) => mine === turn && benchdash.draw(box, made),
        () => {}, // what is shown stays
      );
    }
  }

  // What a button makes of the time that is shown; null where it makes nothing of it.
  function asked(button) {
    if (!whole) return null;
    const [low, high] = range || whole;
    const length = high - low;
    const step = { earlier: -length / 2, later: length / 2 }[button];
    const grown = { in: length / 2, out: length * 2 }[button];
    let ends = whole;
    if (step) ends = [low + step, high + step];
    else if (grown) ends = [low + (length - grown) / 2, low + (length + grown) / 2];
    const inside = Math.min(ends[1] - ends[0], whole[1] - whole[0]);
    const first = Math.min(Math.max(ends[0], whole[0]), whole[1] - inside);
    const same = Math.abs(first - low) < 0.05 && Math.abs(inside - length) < 0.05;
    return same || (grown < length && inside < 2) ? null : [first, first + inside];
  }

  function time(second) {
    if (!clock) return second.toFixed(0);
    return new Date(second * 1000).toISOString().slice(11, 19);
  }

  function tell() {
    if (!zoom || !whole) return;
    for (const button of zoom.querySelectorAll("button")) {
      button.toggleAttribute("aria-disabled", !asked(button.dataset.zoom));
      if (button.hasAttribute("aria-disabled")) button.setAttribute("aria-disabled", "true");
    }
    const said = `${clock ? "" : "from "}${(range || whole).map(time).join(" to ")}`;
    const output = zoom.querySelector("output");
    if (output.textContent !== said) output.textContent = said;
  }

  function pressed(event) {
    const button = event.target.closest("button");
    const ends = button && asked(button.dataset.zoom);
    if (!ends) return;
    const all = ends[0] <= whole[0] && ends[1] >= whole[1];
    range = all && !fromPage() ? null : ends; // of a page that begins with a part, all is a part that a link must name
    show();
  }

  if (zoom) zoom.addEventListener("click", pressed);

  for (const box of boxes) {
    benchdash.lazy(box, () => load(box)).then(() => {
      drawn.add(box);
      box.on("plotly_relayout", (event) => moved(box, event));
      box.on("plotly_doubleclick", () => (restoring = true));
    });
  }
})();
