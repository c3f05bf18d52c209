// Files that are too large to be previewed are sent as they are, one after the other, while the page shows how far they
// are; then comes the upload's own page. Without this script the form does the same, but shows nothing meanwhile.
"use strict";
(function () {
  const form = document.querySelector("form[data-send]");
  if (!form) return;
  const box = form.querySelector("[data-sending]");
  const list = box.querySelector("ul");
  const status = box.querySelector("[role=status]");
  const LOST = "the connection was lost while it was being kept. It may be there: look under Uploads, or send it again.";
  const UNITS = ["bytes", "KB", "MB", "GB"];
  let waiting = [];
  let current = null;

  function size(bytes) {
    let power = 0;
    while (bytes >= 1024 && power < UNITS.length - 1) {
      bytes /= 1024;
      power += 1;
    }
    return `${power ? bytes.toFixed(1) : bytes} ${UNITS[power]}`;
  }

  function made(tag, attributes, parent) {
    const element = Object.assign(document.createElement(tag), attributes);
    parent.append(element);
    return element;
  }

  function link(parent, href, textContent, more = {}) {
    parent.append(" ");
    made("a", { href, textContent, ...more }, parent);
  }

  // A login in another window changes the token: the cookie has it as it is now.
  function token() {
    const cookie = /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie);
    return cookie ? cookie[1] : form.elements.csrfmiddlewaretoken.value;
  }

  class Row {
    constructor(file, redact) {
      this.file = file;
      this.redact = redact;
      this.url = "";
      const item = made("li", {}, list);
      made("strong", { textContent: file.name }, item);
      this.bar = made("progress", { className: "share", max: file.size || 1, value: 0 }, item);
      this.bar.setAttribute("aria-label", `Share of ${file.name} that is sent`);
      const below = made("div", { className: "row small" }, item);
      this.said = made("span", {}, below);
      this.button = made("button", { type: "button", className: "second" }, below);
      this.wait();
    }

    wait() {
      this.over = false;
      this.offer("Cancel", () => this.cancel());
      this.say("waits for its turn", "");
    }

    offer(name, act) {
      this.button.hidden = !name;
      this.button.textContent = name;
      this.button.setAttribute("aria-label", `${name} ${this.file.name}`);
      this.button.onclick = act;
    }

    say(words, aloud = words) {
      this.said.textContent = words;
      if (aloud) status.textContent = `${this.file.name}: ${aloud}`;
    }

    send() {
      const most = Number(form.dataset.mostBytes);
      if (this.file.size > most) {
        this.fail(`too large: ${size(this.file.size)}, at most ${size(most)} are allowed. Send it in parts.`);
        return;
      }
      const name = encodeURIComponent(this.file.name);
      const request = new XMLHttpRequest();
      this.request = request;
      this.tenth = 0;
      this.isSent = false;
      request.open("POST", `${form.dataset.send}?name=${name}&redact_all=${this.redact}`);
      request.responseType = "json";
      request.setRequestHeader("Accept", "application/json");
      request.setRequestHeader("Content-Type", "application/octet-stream");
      request.setRequestHeader("X-CSRFToken", token());
      request.upload.onprogress = (event) => this.progress(event.loaded);
      request.onload = () => this.answered(request);
      request.onerror = () => this.fail(this.isSent ? LOST : "the connection was lost, or the file changed. Nothing was stored.");
      request.onabort = () => this.fail("cancelled. Nothing was stored.");
      request.send(this.file);
    }

    progress(sent) {
      this.bar.value = sent;
      const tenth = Math.floor((sent / this.file.size) * 10);
      const words = `${size(sent)} of ${size(this.file.size)} sent`;
      this.isSent = sent >= this.file.size;
      this.say(this.isSent ? "all of it is sent; it is being checked and kept" : words, tenth > this.tenth && words);
      this.tenth = tenth;
      if (this.isSent) this.offer(""); // what is being kept can be cancelled on the upload's page
    }

    cancel() {
      if (this.request) this.request.abort();
      else this.fail("cancelled. Nothing was stored.");
    }

    answered(request) {
      const answer = request.response || {};
      if (request.status < 300 && answer.url) {
        this.bar.value = this.bar.max;
        this.url = answer.url;
        this.offer("");
        this.say("stored;", "stored");
        link(this.said, answer.url, "see its page");
        this.end();
        return;
      }
      const errors = (answer.errors || []).map((error) => (error.line > 1 ? `line ${error.line}: ` : "") + error.message);
      this.fail(errors.join(" ") || this.unexplained(request.status));
      if (request.status === 401) link(this.said, form.dataset.login, "Log in", { target: "_blank", rel: "noopener" });
      if (answer.url) link(this.said, answer.url, "It is kept for inspection.");
    }

    unexplained(code) {
      if (code === 403) return "the server takes this page for a stranger’s. Load it again and choose the file anew.";
      if (code === 413) return "too large for the server, or for the proxy before it.";
      return `the server answered with an error (${code}). Nothing was stored.`;
    }

    fail(words) {
      this.offer("Send again", () => {
        this.wait();
        waiting.push(this);
        next();
      });
      this.say(words);
      this.said.setAttribute("class", "bad");
      this.end();
    }

    end() {
      this.request = null;
      this.over = true;
      if (current === this) current = null;
      waiting = waiting.filter((row) => row !== this);
      next();
    }
  }

  let rows = [];

  function next() {
    if (current) return;
    current = waiting.shift() || null;
    if (current) {
      current.said.removeAttribute("class");
      current.send();
    } else if (rows.length === 1 && rows[0].url && !form.elements.text.value.trim()) {
      window.location.assign(rows[0].url);
    }
  }

  function begin(files) {
    rows = rows.filter((row) => !row.over);
    list.replaceChildren(...rows.map((row) => row.bar.parentNode));
    const redact = form.querySelector("input[type=checkbox][name=redact_all]").checked ? "yes" : "no";
    const added = files.map((file) => new Row(file, redact));
    rows.push(...added);
    waiting.push(...added);
    box.hidden = false;
    box.scrollIntoView({ block: "nearest" });
    next();
  }

  form.addEventListener("submit", (event) => {
    const files = Array.from(form.elements.files.files).filter((file) => file.size);
    if (!files.some((file) => file.size > Number(form.dataset.previewBytes))) return;
    event.preventDefault();
    form.elements.files.value = "";
    form.querySelector("[data-dropped]").textContent = "";
    begin(files);
  });
  window.addEventListener("beforeunload", (event) => {
    if (current) event.preventDefault();
  });
})();
