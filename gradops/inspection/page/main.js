// The page: header, panes, panel, stages and keys.

const KEYS = [ // what is shown, the keys of events, what they do, and the function
  ["↑ ↓ ← →", ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"], "select the next node that way", (app, event) => app.pane.step(...{ ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key])],
  ["Space", [" "], "go to the partner on the other side", (app) => app.goToPartner()],
  ["Enter", ["Enter"], "open or close a folder, a loop or a branch", (app) => app.pane.enter()],
  ["Backspace", ["Backspace"], "close the folder around the node", (app) => app.closeAround()],
  ["o O", ["o", "O"], "open or close all folders", (app, event) => app.pane.openAll(event.key === "o")],
  ["/", ["/"], "search", (app) => app.search.focus()],
  ["n N", ["n", "N"], "next or previous hit", (app, event) => app.nextHit(event.key === "n" ? 1 : -1)],
  ["[ ]", ["[", "]"], "previous or next stage of the compiler", (app, event) => app.showStage(app.pane.stageNumber + (event.key === "]" ? 1 : -1))],
  ["+ - 0", ["+", "=", "-", "0"], "zoom in, out, fit", (app, event) => (event.key === "0" ? app.pane.fit() : app.pane.zoom(event.key === "-" ? 1 / 1.25 : 1.25))],
  ["c", ["c"], "color by role, time or bytes", (app) => app.nextColor()],
  ["v", ["v"], "the next picture; the graph beside the tape", (app) => app.nextView()],
  ["1 … 7", ["1", "2", "3", "4", "5", "6", "7"], "the tabs of the panel", (app, event) => app.showPanel(Object.keys(PANELS)[event.key - 1])],
  ["t", ["t"], "light or dark", (app) => app.setTheme()],
  ["?", ["?"], "this help", (app) => app.showPanel("help")],
  ["Esc", ["Escape"], "clear the search, then the selection", (app) => app.clear()],
];

class App {
  constructor(data) {
    this.pictures = data.pictures.map((p) => new Picture(p, data.roles, data.rules));
    this.query = "";
    this.listing = 0;
    this.colorBy = "role";
    this.panel = "node";
    this.showsChanges = false; // from when somebody asks for another stage
    this.panes = [];
    for (const id of ["search", "found", "tabs", "panel", "stages", "slider", "stage", "live", "view", "color", "theme", "panes"]) this[id + "Element"] = document.getElementById(id);
    this.search = this.searchElement;
    this.setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    this.listen();
    this.showView(0);
    this.followHash();
  }

  get pane() { return this.active ?? this.panes[0]; }

  listen() {
    const click = (id, act) => document.getElementById(id).addEventListener("click", act);
    click("theme", () => this.setTheme());
    click("color", () => this.nextColor());
    click("view", () => this.nextView());
    click("help", () => this.showPanel("help"));
    click("print", () => window.print());
    this.viewElement.hidden = this.pictures.length < 2;
    this.search.addEventListener("input", () => this.find(this.search.value));
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") { this.nextHit(event.shiftKey ? -1 : 1); this.pane.canvas.focus(); }
      if (event.key === "Escape") { this.clear(); this.pane.canvas.focus(); }
      event.stopPropagation();
    });
    this.sliderElement.addEventListener("input", () => this.showStage(Number(this.sliderElement.value)));
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("hashchange", () => this.followHash());
    window.addEventListener("beforeprint", () => printSheets(this));
    window.addEventListener("afterprint", () => document.getElementById("sheets").replaceChildren());
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isControl = event.target.matches("button, input, select, summary");
    if (event.target.matches("svg")) return;
    if (isControl && ["Enter", " ", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) return;
    if (event.target.matches(".list") && event.key.startsWith("Arrow")) return;
    const found = KEYS.find(([, keys]) => keys.includes(event.key));
    if (!found) return;
    event.preventDefault();
    found[3](this, event);
  }

  /** Show one picture, or with a number beyond the last two side by side. */
  showView(number) {
    this.view = number;
    const isSplit = number === this.pictures.length;
    this.panes = (isSplit ? [0, 1] : [number]).map((k) => new Pane(this, k));
    this.panesElement.replaceChildren(...this.panes.map((p) => p.element));
    this.active = this.panes[0];
    this.viewElement.textContent = isSplit ? "side by side" : this.pictures[number].title;
    this.showStages();
    this.showPanel();
    if (this.query) this.find(this.query);
  }

  nextView() {
    if (this.pictures.length > 1) this.showView((this.view + 1) % (this.pictures.length + 1));
  }

  activate(pane) {
    if (this.active === pane) return;
    this.active = pane;
    this.showStages();
    this.showPanel();
  }

  select(pane, node, { show = false, keepPanel = false } = {}) {
    if (node >= 0 && pane.arrangement.itemOf[node] < 0) this.showStage(pane.picture.stages.findLastIndex((_, k) => pane.picture.stage(k).isAlive(node)));
    pane.select(node, { show });
    for (const other of this.panes) {
      if (other === pane || node < 0) continue;
      other.select(this.counterpart(pane, other, node), { show: true });
    }
    if (!keepPanel && this.panel !== "node" && this.panel !== "code") this.panel = "node";
    this.showPanel();
    if (node < 0) return this.setHash("");
    this.setHash(`node=${encodeURIComponent(pane.picture.pathOf(node).slice(0, 2000))}`);
    this.say(`${visible(pane.picture.titleOf(node).slice(0, 200))}, ${pane.picture.roleOf(node)}, ${pane.picture.typeOf(node)}, ${pane.partners.size} partners`);
  }

  /** The node of another picture that does the same: the k-th forward node of its op and type. */
  counterpart(pane, other, node) {
    const keys = (p) => {
      const s = p.stage, q = p.picture, result = [];
      for (const i of s.order.subarray(0, s.live)) if (s.band[s.at[i]] === 0) result.push([i, q.isLeaf(i) ? `leaf ${q.typeOf(i)}` : `${q.opOf(i)} ${q.typeOf(i)}`]);
      return result;
    };
    const mine = keys(pane), own = mine.find(([i]) => i === node);
    if (!own) return -1;
    const place = mine.filter(([, key]) => key === own[1]).findIndex(([i]) => i === node);
    return keys(other).filter(([, key]) => key === own[1])[place]?.[0] ?? -1;
  }

  find(text) {
    this.query = text.trim();
    let message = "";
    this.search.setAttribute("aria-invalid", "false");
    for (const pane of this.panes) {
      try {
        pane.hits = new Set(this.query ? search(pane.stage, this.query) : []);
      } catch (error) {
        pane.hits = new Set();
        message = error.message;
        this.search.setAttribute("aria-invalid", "true");
      }
      pane.draw();
    }
    const count = this.pane.hits.size;
    this.foundElement.textContent = message || (this.query ? `${count} node${count === 1 ? "" : "s"}` : "");
    if (this.panel === "hits") this.showPanel();
  }

  nextHit(step) {
    const hits = [...this.pane.hits];
    if (!hits.length) return;
    const now = hits.indexOf(this.pane.selected);
    const next = now < 0 ? (step > 0 ? 0 : hits.length - 1) : (now + step + hits.length) % hits.length;
    this.select(this.pane, hits[next], { show: true, keepPanel: true });
    this.foundElement.textContent = `${next + 1} of ${hits.length}`;
  }

  goToPartner() {
    const [partner] = this.pane.stage.partnersOf(this.pane.selected);
    if (partner !== undefined) this.select(this.pane, partner, { show: true });
  }

  closeAround() {
    const { pane } = this, folder = pane.selected >= 0 ? pane.picture.folder[pane.selected] : -1;
    if (folder < 0) return;
    const owner = pane.picture.folders[folder][2];
    pane.toggle(folder, false);
    if (owner >= 0) return this.select(pane, owner, { show: true });
    const box = pane.arrangement.items.find((x) => x.folder === folder);
    if (box) pane.goTo(box);
  }

  clear() {
    if (this.query) {
      this.search.value = "";
      this.find("");
    } else this.select(this.pane, -1);
  }

  showStages() {
    const { stages } = this.pane.picture;
    this.stagesElement.hidden = stages.length < 2;
    this.sliderElement.max = stages.length - 1;
    this.sliderElement.value = this.pane.stageNumber;
    const stage = this.pane.stage, removed = stage.order.length - stage.live;
    this.sliderElement.setAttribute("aria-valuetext", `${stage.name}, ${stage.live} nodes`);
    this.stageElement.replaceChildren(make("strong", { textContent: visible(stage.name) }), ` ${stage.live} nodes `,
      make("span", { className: "removed", textContent: removed ? `−${removed} removed ` : "" }),
      make("span", { className: "new", textContent: stage.isNew.size ? `+${stage.isNew.size} new ` : "" }),
      make("span", { className: "fused", textContent: stage.isFused.size ? `⊞ ${stage.isFused.size} fused ` : "" }), stage.note);
  }

  showStage(k) {
    const { pane } = this;
    if (k < 0 || k >= pane.picture.stages.length) return;
    pane.stageNumber = k;
    this.showsChanges = true;
    if (pane.selected >= 0 && pane.stage.at[pane.selected] < 0) pane.selected = -1; // it is not in this stage
    pane.arrange();
    this.showStages();
    if (this.query) this.find(this.query);
    this.showPanel();
    this.say(`${pane.stage.name}, ${pane.stage.live} nodes`);
  }

  showPanel(name = this.panel) {
    this.panel = name;
    const tabs = Object.keys(PANELS).map((key) => {
      const tab = button(key, `Panel: ${key}`, () => this.showPanel(key));
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-selected", String(key === name));
      return tab;
    });
    const focused = document.activeElement?.textContent, hadFocus = this.tabsElement.contains(document.activeElement);
    this.tabsElement.replaceChildren(...tabs);
    if (hadFocus) tabs.find((tab) => tab.textContent === focused)?.focus();
    const isSameCode = name === "code" && this.codeList && this.codeFor === this.pane && this.panelElement.contains(this.codeList.element);
    if (isSameCode && this.codeShown === this.listing) return this.followCode();
    this.codeFor = this.pane;
    this.codeShown = this.listing;
    this.panelElement.replaceChildren(...PANELS[name](this, this.pane));
    this.panelElement.scrollTop = 0;
  }

  followCode() {
    const owners = this.pane.picture.listings[this.listing]?.[2] ?? [], at = owners.findIndex((i) => i >= 0 && this.pane.computesWith(i));
    if (at >= 0) this.codeList.scrollTo(at);
    else this.codeList.show();
  }

  /** How nodes are colored by time or bytes, or null. */
  heat(picture) {
    if (this.colorBy === "role") return null;
    const amount = this.colorBy === "time" ? (i) => picture.times[i]?.[1] ?? 0 : (i) => Math.max(picture.bytes[i], 0);
    const total = new Map();
    let most = 0;
    for (let i = 0; i < picture.count; i++) most = Math.max(most, amount(i));
    return (a, k, item, mark) => {
      let sum = item.node >= 0 ? amount(item.node) : total.get(k);
      if (sum === undefined) {
        sum = 0;
        for (let i = 0; i < picture.count; i++) if (a.itemOf[i] === k) sum += amount(i);
        total.set(k, sum);
      }
      const part = most ? Math.min(sum / most, 1) : 0;
      return Object.assign(mark, { heat: part * 0.8 || 0.0001, share: part, note: sum ? (this.colorBy === "time" ? share(sum) : bytesText(sum)) : "" });
    };
  }

  nextColor() {
    const kinds = ["role", ...(this.pictures.some((p) => Object.keys(p.times).length) ? ["time"] : []), "bytes"];
    this.colorBy = kinds[(kinds.indexOf(this.colorBy) + 1) % kinds.length];
    this.colorElement.textContent = `color: ${this.colorBy}`;
    for (const pane of this.panes) pane.draw();
    this.say(`colored by ${this.colorBy}`);
  }

  setTheme(theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark") {
    document.documentElement.dataset.theme = theme;
    this.colors = palette(document.documentElement);
    this.themeElement.textContent = theme === "dark" ? "☀" : "☾";
    for (const pane of this.panes) { pane.drawMinimap(); pane.draw(); }
  }

  say(text) { this.liveElement.textContent = text; }

  setHash(text) {
    if (decodeURIComponent(location.hash) === `#${text}`) return;
    history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
  }

  /** Select the node of a deep link, `#node=...`. */
  followHash() {
    const wanted = new URLSearchParams(location.hash.slice(1)).get("node");
    if (!wanted) return;
    this.pictures.forEach((p, number) => {
      const found = p.names.findIndex((_, i) => p.pathOf(i) === wanted && p.stage(p.stages.length - 1).isAlive(i));
      if (found < 0) return;
      if (!this.panes.some((pane) => pane.number === number)) this.showView(number);
      const pane = this.panes.find((each) => each.number === number);
      requestAnimationFrame(() => requestAnimationFrame(() => this.select(pane, found, { show: true })));
    });
  }
}

/** The whole graph on sheets of paper. */
function printSheets(app) {
  const theme = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
  const colors = palette(document.documentElement), a = app.pane.arrangement, sheets = [];
  const wide = a.right - a.left + 40, width = Math.min(Math.max(wide, 1400), 2800);
  const scale = Math.min(width / wide, 1.6), high = (width * 1.38) / scale;
  for (let top = -40, k = 0; top < a.height + 20 && k < 60; top += high, k++) {
    const canvas = make("canvas", { width, height: Math.ceil(Math.min(high, a.height + 40 - top) * scale) });
    const c = canvas.getContext("2d");
    c.fillStyle = "#ffffff";
    c.fillRect(0, 0, canvas.width, canvas.height);
    c.setTransform(scale, 0, 0, scale, (20 - a.left) * scale, -top * scale);
    new Painter(c, colors).paint(a, top, top + high, Math.max(scale, LEGIBLE), app.pane.marks());
    sheets.push(canvas);
  }
  document.getElementById("sheets").replaceChildren(...sheets);
  document.documentElement.dataset.theme = theme;
}

async function start() {
  const data = JSON.parse(await inflate(document.getElementById("data").textContent));
  document.title = data.title;
  document.querySelector("h1").textContent = visible(data.title);
  window.app = new App(data);
  requestAnimationFrame(() => requestAnimationFrame(() => { document.documentElement.dataset.ready = "true"; }));
}

start().catch((error) => {
  document.querySelector("h1").textContent = `This page cannot be shown: ${error.message}`;
  throw error;
});
