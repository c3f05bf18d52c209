// Draws charts over time. Each is a picture, made by the server, until the reader points at one, comes to the buttons by keyboard
// or taps: then Plotly draws them. The points of its figures are delta-encoded (see runs/charts/time_series.py), and finer ones
// are requested when the reader zooms in, by dragging or by the buttons. All charts of a page show the same time and one cursor;
// each stays as it is until its finer figure has come. Back undoes a zoom. Legends toggle.
"use strict";
(function () {
  const WAIT_MS = 150; // after the last of several zooms
  const MOST_KEPT = 50; // figures of earlier zooms
  const coarse = window.matchMedia("(pointer: coarse)").matches;
  const boxes = [...document.querySelectorAll(".plot[data-over]")];
  const section = document.querySelector(".linked");
  const zoom = document.querySelector(".zoom");
  const drawn = new Set();
  const following = new WeakSet(); // boxes that this script moves, not the reader
  const seconds = new WeakMap(); // box -> the length of a second on its x axis
  const hidden = new WeakMap(); // box -> the names that its legend has switched off
  const fetched = new Map(); // address -> promise of its JSON or HTML
  let started; // promise of the first figure, once Plotly draws
  let range = rangeInQuery() || rangeOfPage();
  let whole; // the ends of all samples, known with the first figure
  let clock = false; // whether they are times of the day
  let restoring = false;
  let timer;
  let turn = 0;

  function rangeInQuery() {
    const query = new URLSearchParams(location.search);
    const ends = ["from", "to"].map((name) => parseFloat(query.get(name)));
    return ends.every(Number.isFinite) && ends[0] < ends[1] ? ends : null;
  }

  // Set where the monitors ran much longer than the run that the page is about.
  function rangeOfPage() {
    const { from, to } = boxes.length ? boxes[0].dataset : {};
    return from ? [parseFloat(from), parseFloat(to)] : null;
  }

  function pushQuery() {
    const here = new URL(location.href);
    ["from", "to"].forEach((name, at) => {
      if (range) here.searchParams.set(name, range[at].toFixed(1));
      else here.searchParams.delete(name);
    });
    if (here.href !== location.href) history.pushState({ zoom: true }, "", here);
  }

  function addressOf(box, path) {
    const url = new URL(path, location.href);
    url.searchParams.set("points", Math.max(200, Math.ceil(box.clientWidth / 100) * 100));
    if (range) {
      url.searchParams.set("from", range[0].toFixed(1));
      url.searchParams.set("to", range[1].toFixed(1));
    }
    return url.pathname + url.search;
  }

  async function request(address, kind) {
    const response = await fetch(address);
    if (!response.ok || response.redirected) throw new Error(`${address} was answered with ${response.status}`);
    return response[kind]();
  }

  // The boxes of one chart have one address, which is fetched once for all of them.
  function fetchOnce(address, kind) {
    if (!fetched.has(address)) {
      if (fetched.size >= MOST_KEPT) fetched.delete(fetched.keys().next().value);
      fetched.set(address, request(address, kind));
      fetched.get(address).catch(() => fetched.delete(address));
    }
    return fetched.get(address);
  }

  function load(box) {
    return fetchOnce(addressOf(box, box.dataset.over), "json").then((encoded) => decode(encoded, box));
  }

  async function showPicture(box) {
    const html = await fetchOnce(addressOf(box, box.dataset.drawing), "text");
    if (!started) placePicture(box, html);
  }

  function placePicture(box, html) {
    const picture = new DOMParser().parseFromString(html, "text/html").querySelector(".fig");
    const panels = [...picture.querySelectorAll(".plots > div")];
    panels.forEach((panel, at) => at !== Number(box.dataset.panel) && panel.remove());
    box.replaceChildren(picture);
  }

  // Of charts that were not yet scrolled to. A browser that prints waits for no promise.
  function showPicturesAtOnce() {
    for (const box of boxes.filter((each) => !drawn.has(each) && !each.querySelector(".fig"))) {
      const sent = new XMLHttpRequest();
      sent.open("GET", addressOf(box, box.dataset.drawing), false);
      sent.send();
      if (sent.status === 200) placePicture(box, sent.responseText);
    }
  }

  function addUp(differences, unit) {
    let sum = 0;
    return differences.map((difference) => (sum += difference) * unit);
  }

  function decodeTrace({ delta, ...rest }, encoded, off) {
    const x = addUp(delta.x, encoded.tick);
    const y = addUp(delta.y, encoded.unit);
    for (const place of [...(delta.gaps || [])].reverse()) {
      x.splice(place, 0, x[place - 1]);
      y.splice(place, 0, null);
    }
    return { ...rest, x, y, visible: off.has(rest.name) ? "legendonly" : true };
  }

  function decode(encoded, box) {
    const panel = encoded.panels[box.dataset.panel] || { data: [], layout: encoded.panels[0].layout };
    const off = hidden.get(box) || new Set();
    seconds.set(box, encoded.second);
    whole = encoded.ends;
    clock = encoded.second === 1000;
    updateButtons();
    const layout = structuredClone(panel.layout);
    const figure = { data: panel.data.map((trace) => decodeTrace(trace, encoded, off)), layout };
    if (coarse) {
      layout.dragmode = false; // a finger that scrolls the page must not be caught
      layout.xaxis.fixedrange = true;
    }
    return figure;
  }

  // --- legends ---

  // The page's own legend becomes buttons; a panel of single processes gets one of its traces.
  function makeLegend(box) {
    hidden.set(box, new Set());
    let legend = box.parentNode.querySelector(".chart-key");
    if (!legend) {
      legend = document.createElement("p");
      legend.className = "chart-key";
      for (const { name, line } of box.data) legend.append(entry(name, line.color));
      box.before(legend);
    }
    for (const item of legend.querySelectorAll("[data-name]")) legend.replaceChild(toggle(item, box), item);
  }

  function entry(name, color) {
    const item = document.createElement("span");
    const swatch = document.createElement("i");
    swatch.className = "swatch";
    swatch.style.background = color;
    item.dataset.name = name;
    item.append(swatch, new DOMParser().parseFromString(name, "text/html").documentElement.textContent);
    return item;
  }

  function toggle(item, box) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain";
    button.dataset.name = item.dataset.name;
    button.append(...item.childNodes);
    button.setAttribute("aria-pressed", "true");
    button.onclick = () => {
      const off = hidden.get(box);
      const name = button.dataset.name;
      if (!off.delete(name)) off.add(name);
      button.setAttribute("aria-pressed", String(!off.has(name)));
      const places = [...box.data.keys()].filter((at) => box.data[at].name === name);
      if (places.length) Plotly.restyle(box, { visible: off.has(name) ? "legendonly" : true }, places);
    };
    return button;
  }

  // --- one cursor ---

  function moveCursor(x) {
    for (const box of drawn) {
      const { l, w, t, h } = box._fullLayout._size;
      const [low, high] = box._fullLayout.xaxis.range.map((end) => toSeconds(box, end));
      const share = (x - low) / (high - low);
      let line = box.querySelector(":scope > .cursor");
      if (!line) {
        line = document.createElement("i");
        line.className = "cursor";
        box.append(line);
      }
      line.hidden = !(share >= 0 && share <= 1);
      Object.assign(line.style, { left: `${l + share * w}px`, top: `${t}px`, height: `${h}px` });
    }
  }

  function hideCursor() {
    document.querySelectorAll(".cursor").forEach((line) => (line.hidden = true));
  }

  // --- zoom ---

  function toSeconds(box, value) {
    const at = typeof value === "string" ? Date.parse(value.trim().replace(" ", "T") + "Z") : Number(value);
    return at / seconds.get(box);
  }

  function relayouted(box, event) {
    if (following.has(box)) return;
    const ends = event["xaxis.range"] || [event["xaxis.range[0]"], event["xaxis.range[1]"]];
    if (restoring || event["xaxis.autorange"]) range = null;
    else if (ends[0] !== undefined) range = ends.map((end) => toSeconds(box, end));
    else return;
    restoring = false;
    show(box);
    pushQuery();
  }

  function show(mover) {
    for (const other of drawn) if (other !== mover) follow(other);
    updateButtons();
    clearTimeout(timer);
    timer = setTimeout(refine, WAIT_MS);
  }

  function follow(box) {
    following.add(box);
    const ends = (range || whole).map((end) => end * seconds.get(box));
    Plotly.relayout(box, { "xaxis.range": ends }).finally(() => following.delete(box));
  }

  function refine() {
    const mine = ++turn;
    for (const box of drawn) {
      load(box).then(
        (figure) => mine === turn && benchdash.draw(box, figure),
        () => {}, // what is shown stays
      );
    }
  }

  // The range that a button leads to; null where it would change nothing.
  function rangeAfter(button) {
    if (!whole) return null;
    const [low, high] = range || whole;
    const length = high - low;
    const step = { earlier: -length / 2, later: length / 2 }[button];
    const wanted = { in: length / 2, out: length * 2 }[button];
    let ends = whole;
    if (step) ends = [low + step, high + step];
    else if (wanted) ends = [low + (length - wanted) / 2, low + (length + wanted) / 2];
    const shown = Math.min(ends[1] - ends[0], whole[1] - whole[0]);
    const first = Math.min(Math.max(ends[0], whole[0]), whole[1] - shown);
    const same = Math.abs(first - low) < 0.05 && Math.abs(shown - length) < 0.05;
    return same || (wanted < length && shown < 2) ? null : [first, first + shown];
  }

  function writeTime(second) {
    if (!clock) return second.toFixed(0);
    return new Date(second * 1000).toISOString().slice(11, 19);
  }

  function updateButtons() {
    if (!zoom || !whole) return;
    for (const button of zoom.querySelectorAll("button")) {
      if (rangeAfter(button.dataset.zoom)) button.removeAttribute("aria-disabled");
      else button.setAttribute("aria-disabled", "true");
    }
    const words = `${clock ? "" : "from "}${(range || whole).map(writeTime).join(" to ")}`;
    const output = zoom.querySelector("output");
    if (output.textContent !== words) output.textContent = words;
  }

  async function pressed(event) {
    const button = event.target.closest("button");
    await start();
    const ends = button && rangeAfter(button.dataset.zoom);
    if (!ends) return;
    const all = ends[0] <= whole[0] && ends[1] >= whole[1];
    range = all && !rangeOfPage() ? null : ends; // of a page that begins with a part, a link must name the whole
    show();
    pushQuery();
  }

  async function drawFigure(box) {
    await benchdash.lazy(box, () => benchdash.draw(box, load(box)));
    drawn.add(box);
    makeLegend(box);
    box.on("plotly_relayout", (event) => relayouted(box, event));
    box.on("plotly_doubleclick", () => (restoring = true));
    box.on("plotly_hover", ({ points }) => moveCursor(toSeconds(box, points[0].x)));
    box.on("plotly_unhover", hideCursor);
  }

  function start() {
    started ||= Promise.race(boxes.map(drawFigure));
    return started;
  }

  if (zoom) zoom.addEventListener("click", pressed);
  window.addEventListener("beforeprint", showPicturesAtOnce);
  window.addEventListener("popstate", () => {
    range = rangeInQuery() || rangeOfPage();
    if (whole) show();
  });
  for (const box of boxes) benchdash.lazy(box, () => showPicture(box));
  for (const sign of ["pointermove", "pointerdown", "focusin"]) {
    if (section) section.addEventListener(sign, start, { once: true });
  }
})();
