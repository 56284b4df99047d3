// The panel at the right: a node, the passes, generated code, findings, hits and help.

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function button(text, title, act) {
  const element = make("button", { type: "button", textContent: text, title });
  element.setAttribute("aria-label", title);
  element.addEventListener("click", act);
  return element;
}

function link(text, act) {
  const element = make("button", { type: "button", className: "link", textContent: visible(text.slice(0, 300)) });
  element.addEventListener("click", act);
  return element;
}

function bytesText(n) {
  for (const [size, unit] of [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]]) if (n >= 0.9995 * size) return `${(n / size).toPrecision(3)} ${unit}`;
  return `${n} bytes`;
}

function secondsText(s) {
  for (const [size, unit] of [[1, "s"], [1e-3, "ms"], [1e-6, "us"]]) if (s >= size) return `${(s / size).toPrecision(3)} ${unit}`;
  return `${(s * 1e9).toPrecision(3)} ns`;
}

const share = (x) => `${(x * 100).toFixed(1)} %`;

/** A list of lines of which only those in sight are in the document. */
class VirtualList {
  constructor(count, line) {
    this.count = count;
    this.line = line;
    this.inside = make("div");
    this.inside.style.height = `${count * 20 + 8}px`;
    this.element = make("div", { className: "list", tabIndex: 0 }, this.inside);
    this.element.addEventListener("scroll", () => this.show());
    new ResizeObserver(() => this.show()).observe(this.element);
  }

  show() {
    const from = Math.max(0, Math.floor(this.element.scrollTop / 20) - 5);
    const to = Math.min(this.count, from + Math.ceil(this.element.clientHeight / 20) + 10);
    const lines = [];
    for (let k = from; k < to; k++) {
      const element = this.line(k);
      element.classList.add("line");
      element.style.top = `${k * 20}px`;
      lines.push(element);
    }
    this.inside.replaceChildren(...lines);
  }

  scrollTo(k) {
    const top = k * 20, { scrollTop, clientHeight } = this.element;
    if (top < scrollTop || top > scrollTop + clientHeight - 40) this.element.scrollTop = Math.max(0, top - clientHeight / 3);
    this.show();
  }
}

const PANELS = {
  node(app, pane) {
    const i = pane.selected, p = pane.picture;
    if (i < 0) return overview(app, pane);
    const out = [make("h2", { textContent: visible(p.titleOf(i).slice(0, 400)) })];
    const scope = p.foldersOf(p.folder[i]).map((f) => p.folders[f][0]).join(" / ");
    const facts = [["op", p.opOf(i)], ["name", p.pathOf(i).slice(0, 2000)], ["scope", scope], ["type", p.typeOf(i)],
      ["bytes", p.bytes[i] < 0 ? "depend on sizes" : bytesText(p.bytes[i])], ["role", p.roleOf(i)],
      ["result", (p.outputs[i] ?? []).join(", ")], ...(p.attrs[i] < 0 ? [] : p.attributes[p.attrs[i]])];
    out.push(facts_(facts.filter(([, text]) => text !== "")));
    out.push(...stateOf(pane, i), ...valueOf(p, i), ...sourceOf(p, i), ...timesOf(p, i), ...savedOf(p, i));
    out.push(...linksOf(app, pane, i), ...rulesOf(p, i));
    return out;
  },
  passes(app, pane) {
    const { stages } = pane.picture, body = make("tbody");
    stages.forEach((data, k) => {
      const stage = pane.picture.stage(k), removed = stage.order.length - stage.live;
      const row = make("tr", {}, make("td", {}, link(data.name, () => app.showStage(k))));
      row.setAttribute("aria-current", String(k === pane.stageNumber));
      for (const text of [stage.live, removed ? `−${removed}` : "", k && data.new.length ? `+${data.new.length}` : "", data.note])
        row.append(make("td", { textContent: text }));
      body.append(row);
    });
    const head = make("tr", {}, ...["stage", "nodes", "gone", "new", ""].map((t) => make("th", { textContent: t })));
    return [make("p", { textContent: "Slide with [ and ]. Removed nodes are dashed with −, new ones have +, fused ones ⊞." }),
      make("table", {}, make("thead", {}, head), body)];
  },
  code(app, pane) {
    const { listings } = pane.picture;
    if (!listings.length) return [make("p", { textContent: "No generated code: inspect an executable, sg.compile(...).inspect(...), to see it." })];
    const [title, lines, owners] = listings[Math.min(app.listing, listings.length - 1)];
    const choice = make("select", { ariaLabel: "Code" });
    listings.forEach(([name], k) => choice.append(make("option", { textContent: name, value: k, selected: k === app.listing })));
    choice.addEventListener("change", () => { app.listing = Number(choice.value); app.showPanel(); });
    const list = new VirtualList(lines.length, (k) => {
      const element = make("button", { type: "button", disabled: !(owners[k] >= 0), tabIndex: -1 },
        make("span", { className: "number", textContent: k + 1 }), lines[k]);
      element.setAttribute("aria-current", String(owners[k] >= 0 && pane.computesWith(owners[k])));
      if (owners[k] >= 0) element.addEventListener("click", () => app.select(pane, owners[k], { show: true, keepPanel: true }));
      return element;
    });
    list.element.setAttribute("aria-label", title);
    list.element.addEventListener("keydown", (event) => walkCode(app, pane, owners, event));
    app.codeList = list;
    requestAnimationFrame(() => app.followCode());
    return [choice, list.element];
  },
  memory: memoryPanel,
  findings(app, pane) {
    const { lints } = pane.picture;
    if (!lints.length) return [make("p", { textContent: "Nothing to look at." })];
    return lints.slice(0, 500).map(([kind, text, nodes]) => make("p", {}, make("strong", { textContent: `${kind} ` }), `${visible(text)} `,
      ...nodes.map((i) => link(pane.picture.titleOf(i), () => app.select(pane, i, { show: true })))));
  },
  hits(app, pane) {
    const hits = [...pane.hits], p = pane.picture;
    if (!hits.length) return [make("p", { textContent: app.query ? "Nothing is found." : "Type into the search box, or press /." }), ...searchHelp()];
    const list = new VirtualList(hits.length, (k) => {
      const element = make("button", { type: "button", tabIndex: -1, textContent: `${visible(p.pathOf(hits[k]).slice(0, 120))}  ${p.typeOf(hits[k])}` });
      element.setAttribute("aria-current", String(hits[k] === pane.selected));
      element.addEventListener("click", () => app.select(pane, hits[k], { show: true, keepPanel: true }));
      return element;
    });
    list.element.setAttribute("aria-label", "Hits: n and N go through them");
    return [list.element];
  },
  help() {
    const keys = KEYS.map(([keys, , text]) => [make("dt", {}, ...keys.split(" ").map((k) => make("kbd", { textContent: k }))), make("dd", { textContent: text })]);
    return [make("h3", { textContent: "Keys" }), make("dl", {}, ...keys.flat()), ...searchHelp()];
  },
};

function facts_(pairs) {
  return make("dl", {}, ...pairs.flatMap(([name, text]) => [make("dt", { textContent: name }), make("dd", {}, text instanceof Node ? text : visible(String(text)))]));
}

function heading(text) { return make("h3", { textContent: text }); }

function overview(app, pane) {
  const p = pane.picture, s = pane.stage, counts = new Map();
  let bytes = 0;
  for (const i of s.order.subarray(0, s.live)) {
    counts.set(p.roleOf(i), (counts.get(p.roleOf(i)) ?? 0) + 1);
    if (p.roleOf(i) === "parameter" && p.bytes[i] > 0) bytes += p.bytes[i];
  }
  const outputs = Object.entries(p.outputs).filter(([i]) => s.isAlive(Number(i)) && !p.paths[i]);
  const out = [make("h2", { textContent: visible(p.title) }), facts_([["nodes", s.live], ...counts, ...(bytes ? [["parameters", bytesText(bytes)]] : [])])];
  if (outputs.length) out.push(heading("Results"), ...outputs.slice(0, 60).map(([i, labels]) => make("p", {}, link(labels.join(", "), () => app.select(pane, Number(i), { show: true })), ` ${p.typeOf(i)}`)));
  if (p.lints.length) out.push(heading("Findings"), make("p", {}, link(`${p.lints.length} to look at`, () => app.showPanel("findings"))));
  out.push(heading("Shapes"), legend(app));
  out.push(make("p", { textContent: "Select a node to see its facts and its partner on the other side. Press ? for the keys." }));
  return out;
}

/** A card of each role. */
function legend(app) {
  const canvas = make("canvas", { width: 660, height: 330 }), c = canvas.getContext("2d");
  canvas.className = "legend";
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `shapes of ${ROLE_COLORS.join(", ")}`);
  c.setTransform(2, 0, 0, 2, 0, 0);
  const painter = new Painter(c, app.colors), picture = { roleOf: (k) => ROLE_COLORS[k], isLeaf: () => false,
    titleOf: (k) => ROLE_COLORS[k], opOf: (k) => ROLE_COLORS[k], shortTypeOf: () => "", values: {}, outputs: {} };
  const items = ROLE_COLORS.map((_, k) => ({ node: k, band: 0, x: 8 + (k % 2) * 166, y: 8 + Math.floor(k / 2) * 54 }));
  const arrangement = { items, picture, ownsFolders: new Map(), open: new Set() };
  painter.scale = 1;
  items.forEach((_, k) => painter.item(arrangement, k, { of: () => ({}) }));
  return canvas;
}

function stateOf(pane, i) {
  const s = pane.stage, p = pane.picture, out = [];
  if (s.isRemoved(i)) out.push(`removed by ${s.name}`);
  if (s.isNew.has(i)) out.push(i in s.replaces ? `new: replaces ${p.opOf(s.replaces[i])} ${p.names[s.replaces[i]]}` : `new in ${s.name}`);
  return out.map((text) => make("p", {}, make("strong", { textContent: visible(text) })));
}

function valueOf(p, i) {
  const out = [], facts = p.statistics[i];
  if (p.values[i]) out.push(heading("Value"), make("pre", { textContent: visible(p.values[i]) }));
  if (!facts) return out;
  const [count, mean, std, low, high, bad, histogram] = facts, number = (x) => (x === null ? "not finite" : x.toPrecision(4));
  const shown = make("details", {}, make("summary", { textContent: `Statistics of ${count} entries` }),
    facts_([["mean", number(mean)], ["std", number(std)], ["range", `${number(low)} to ${number(high)}`], ...(bad ? [["not finite", bad]] : [])]), bars(histogram));
  return [...out, shown];
}

/** An element of SVG. */
function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function bars(histogram) {
  const most = Math.max(...histogram, 1), w = 320 / histogram.length;
  const rects = histogram.map((n, k) => svg("rect", { x: k * w + 1, y: 63 - (n / most) * 62, width: w - 2, height: (n / most) * 62 + 1 }));
  return svg("svg", { class: "histogram", viewBox: "0 0 320 64", role: "img", "aria-label": `histogram: ${histogram.join(", ")}` }, ...rects);
}

function sourceOf(p, i) {
  return p.placesOf(i).slice(0, 8).flatMap(({ file, line, inside, text }, k) => [...(k ? [] : [heading("Source")]),
    make("p", { textContent: visible(`${file}:${line}${inside ? `, ${inside}` : ""}`) }), ...(text ? [make("pre", { textContent: visible(text) })] : [])]);
}

function timesOf(p, i) {
  const out = [], time = p.times[i], life = p.timeline?.allocations.find(([, node]) => node === i);
  if (time) {
    const bar = make("i");
    bar.style.width = share(time[1]).replace(" ", "");
    out.push(heading("Time of a run"), make("p", { textContent: `${secondsText(time[0])}, ${share(time[1])}${time[2] > 1 ? `, ${time[2]} times` : ""}` }), make("div", { className: "bar" }, bar));
  }
  if (life) {
    const [, , bytes, first, last, reason] = life, count = p.timeline.steps.length, bar = make("i");
    bar.style.left = `${(first / count) * 100}%`;
    bar.style.width = `${((last - first + 1) / count) * 100}%`;
    out.push(heading("In memory"), make("p", { textContent: `${bytesText(bytes)}, steps ${first + 1} to ${last + 1} of ${count}: ${p.timeline.reasons[reason]}` }), make("div", { className: "bar life" }, bar));
  }
  return out;
}

function savedOf(p, i) {
  const saved = p.saved[i];
  if (!saved) return [];
  const total = saved.reduce((sum, [, n]) => sum + n, 0);
  return [heading(`Saved for backward: ${bytesText(total)}`), facts_(saved.map(([name, n]) => [visible(name), bytesText(n)]))];
}

function linksOf(app, pane, i) {
  const s = pane.stage, p = pane.picture;
  const rows = [["Partners", s.partnersOf(i)], ["Computed in one loop with", (s.groupOf.get(i) ?? []).filter((x) => x !== i)], ["Operands", s.operandsOf(i)], ["Readers", s.readersOf(i)], ["Path to the loss", pane.path]];
  return rows.filter(([, nodes]) => nodes.length).flatMap(([title, nodes]) => [heading(title),
    ...nodes.slice(0, 24).map((x) => make("p", {}, link(p.titleOf(x), () => app.select(pane, x, { show: true })), ` ${p.typeOf(x)}`)),
    ...(nodes.length > 24 ? [make("p", { textContent: `and ${nodes.length - 24} more` })] : [])]);
}

function rulesOf(p, i) {
  const cause = p.cause[i], rules = p.rules[p.opOf(cause >= 0 ? cause : i)];
  if (!rules) return [];
  const [formula, text] = rules, title = cause >= 0 ? `Gradient of ${p.opOf(cause)}` : "Gradient";
  return [heading(title), ...(formula ? [make("pre", { textContent: formula })] : []),
    ...(text ? [make("details", {}, make("summary", { textContent: "Source of the rule" }), make("pre", { textContent: text }))] : [])];
}

function searchHelp() {
  const terms = [["word", "in the name or the op"], ["op:conv*", "the op; also name: dtype: role: output:"], ["shape:*,10", "sizes; * is any, ... any number of them"],
    ["scope:layers", "a scope and those in it"], ["line:model.py:12", "the user's line"], ["time>5%", "also bytes>=1MB operands<3 readers=0"], ["-term", "not the term"]];
  return [heading("Search"), facts_(terms)];
}

/** Arrows in a listing go from line to line that computes a node. */
function walkCode(app, pane, owners, event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  let k = owners.indexOf(pane.selected);
  if (step > 0 && k >= 0) k = owners.lastIndexOf(pane.selected);
  for (k += step; k >= 0 && k < owners.length && !(owners[k] >= 0); k += step);
  if (owners[k] >= 0) app.select(pane, owners[k], { show: true, keepPanel: true });
}
