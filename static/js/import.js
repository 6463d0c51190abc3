/* Dropping files on the form, and a progress bar while they travel. The plain form does the same. */
"use strict";
(() => {
  const { $ } = JG;
  const form = $("[data-drop]");
  const input = form && $("input[type=file]", form);
  if (!input) return;
  const bar = $("[data-upload]", form), said = $("[data-chosen]", form);

  function tell() {
    const files = [...input.files], bytes = files.reduce((sum, file) => sum + file.size, 0);
    said.textContent = files.length ? `${files.length} ${files.length === 1 ? "file" : "files"}, ${(bytes / 1e6).toFixed(1)} MB: ${files.slice(0, 4).map((file) => file.name).join(", ")}${files.length > 4 ? " …" : ""}` : "The format is recognised by content.";
  }
  input.addEventListener("change", tell);
  for (const name of ["dragover", "dragenter"]) form.addEventListener(name, (event) => { event.preventDefault(); form.classList.add("is-over"); });
  for (const name of ["dragleave", "drop"]) form.addEventListener(name, () => form.classList.remove("is-over"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) { input.files = event.dataTransfer.files; tell(); }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    bar.hidden = false;
    $("[data-send]", form).disabled = true;
    request.upload.addEventListener("progress", (at) => {
      bar.value = at.lengthComputable ? (100 * at.loaded) / at.total : 0;
      said.textContent = at.loaded === at.total ? "Sent. The server stores and sorts the files." : `${Math.round(bar.value)} % sent`;
    });
    request.addEventListener("load", () => {
      if (request.status < 400) { location.assign(request.responseURL || location.href); return; }
      said.textContent = `Not imported: the server answered ${request.status}. Nothing of it was stored.`;
      $("[data-send]", form).disabled = false;
    });
    request.addEventListener("error", () => {
      said.textContent = "Not imported: the connection broke. Files that were stored already are told as “here already” the next time.";
      $("[data-send]", form).disabled = false;
    });
    request.send(new FormData(form));
  });
})();
