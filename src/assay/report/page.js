(function () {
  "use strict";
  var root = document.documentElement;
  var prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  var toggle = document.getElementById("theme");
  var places = Array.prototype.slice.call(document.querySelectorAll("[data-figure]"));

  function theme() {
    return root.dataset.theme || (prefersDark.matches ? "dark" : "light");
  }

  function name() {
    if (!toggle) return;
    toggle.hidden = false;
    toggle.textContent = theme() === "dark" ? "☀ Light" : "☾ Dark";
  }

  function read(id) {
    var block = document.getElementById(id);
    return block ? JSON.parse(block.textContent) : null;
  }

  // Figures are drawn in one theme; in the other each colour of the first becomes its twin.
  function triple(hex) {
    return [1, 3, 5].map(function (i) { return parseInt(hex.substr(i, 2), 16); }).join(",");
  }

  function twins(inks, to) {
    var from = inks[to === "dark" ? "light" : "dark"], map = {};
    Object.keys(from).forEach(function (key) {
      map[from[key].toLowerCase()] = inks[to][key];
      map[triple(from[key])] = triple(inks[to][key]);
    });
    return map;
  }

  function colour(text, map) {
    var found = map[text.toLowerCase()];
    if (found) return found;
    var parts = /^rgba?\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*(.*)$/.exec(text);
    found = parts && map[parts.slice(1, 4).join(",")];
    return found ? text.slice(0, text.indexOf("(") + 1) + found + parts[4] : text;
  }

  function recoloured(value, map) {
    if (typeof value === "string") return value.length < 40 ? colour(value, map) : value;
    if (Array.isArray(value)) {
      return value.map(function (part) { return recoloured(part, map); });
    }
    if (value === null || typeof value !== "object") return value;
    var copy = {};
    Object.keys(value).forEach(function (key) {
      copy[key] = key === "bdata" ? value[key] : recoloured(value[key], map);
    });
    return copy;
  }

  var inks = read("inks");

  function draw(side, width) {
    if (typeof Plotly === "undefined" || !inks) return;
    var map = twins(inks, side);
    places.forEach(function (place) {
      var figure = recoloured(read(place.dataset.figure), map);
      figure.layout.autosize = !width;
      if (width) {
        figure.layout.width = width;
        figure.layout.height = figure.layout.height || 340;
      }
      figure.config = {
        responsive: !width,
        staticPlot: Boolean(width),
        displaylogo: false,
        // plotly offers to upload a chart to its makers; a report stays where it is.
        showSendToCloud: false,
        plotlyServerURL: "",
        modeBarButtonsToRemove: ["sendChartToCloud", "lasso2d", "select2d", "autoScale2d"]
      };
      Plotly.purge(place);
      place.textContent = "";
      Plotly.newPlot(place, figure);
    });
  }

  function again() {
    name();
    draw(theme(), 0);
  }

  if (toggle) {
    toggle.addEventListener("click", function () {
      root.dataset.theme = theme() === "dark" ? "light" : "dark";
      again();
    });
  }
  prefersDark.addEventListener("change", again);
  // Paper is light, and narrower than most screens.
  var opened = [];
  window.addEventListener("beforeprint", function () {
    draw("light", 680);
    document.querySelectorAll("td details, th details, dd details").forEach(function (part) {
      if (part.open || part.textContent.length > 3000) return;
      part.open = true;
      opened.push(part);
    });
  });
  window.addEventListener("afterprint", function () {
    opened.splice(0).forEach(function (part) { part.open = false; });
    again();
  });
  again();
})();
