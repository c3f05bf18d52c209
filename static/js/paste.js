// Dropping files anywhere on the page is the same as choosing them; leaving a changed preview is asked about.
"use strict";
(function () {
  const form = document.querySelector("form[data-drop]");
  if (form) {
    const files = form.querySelector("input[type=file]");
    const note = form.querySelector("[data-dropped]");
    const say = () => {
      const names = Array.from(files.files, (file) => file.name);
      if (names.length) note.textContent = names.join(", ") + (names.length > 1 ? ": each becomes a part under its name" : "");
    };
    files.addEventListener("change", say);
    document.addEventListener("dragover", (event) => {
      event.preventDefault();
      form.classList.add("over");
    });
    document.addEventListener("dragleave", () => form.classList.remove("over"));
    document.addEventListener("drop", (event) => {
      form.classList.remove("over");
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      files.files = event.dataTransfer.files;
      say();
      form.requestSubmit();
    });
  }

  // A line far down stands on another part of the text: go there.
  const wanted = /^#L(\d+)$/.exec(location.hash);
  if (wanted && document.querySelector(".source") && !document.getElementById("L" + wanted[1]) && document.querySelector(".pager")) {
    location.replace("?line=" + wanted[1] + location.hash);
  }
})();
