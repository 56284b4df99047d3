// A pane: one picture on a canvas, with zoom, selection, minimap and breadcrumbs.

const LEAST_SCALE = 0.72, LEAST_BESIDE = 0.58; // of the first view, and of two side by side

class Pane {
  constructor(app, number) {
    this.app = app;
    this.picture = app.pictures[number];
    this.number = number;
    this.stageNumber = this.picture.stages.length - 1;
    this.selected = -1;
    this.hovered = -1;
    this.hits = new Set();
    this.open = firstOpen(this.stage);
    this.build();
    this.arrange();
    requestAnimationFrame(() => { this.resize(); this.fit(); });
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  get stage() { return this.picture.stage(this.stageNumber); }

  build() {
    this.element = make("section", { className: "pane", ariaLabel: this.picture.title });
    this.canvas = make("canvas", { className: "graph", tabIndex: 0, role: "application" });
    this.canvas.setAttribute("aria-label", `${this.picture.title}: arrows move, Enter opens, Space goes to the partner, ? shows all keys`);
    this.minimap = make("canvas", { className: "minimap" });
    this.minimap.setAttribute("aria-hidden", "true");
    this.crumbs = make("nav", { className: "crumbs", ariaLabel: "Scope" });
    const zoom = make("div", { className: "zoom" });
    for (const [text, title, act] of [["+", "Zoom in (+)", () => this.zoom(1.3)], ["−", "Zoom out (-)", () => this.zoom(1 / 1.3)], ["⤢", "Fit width (0)", () => this.fit()]])
      zoom.append(button(text, title, act));
    this.element.append(this.canvas, this.crumbs, zoom, this.minimap);
    this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => this.press(event));
    this.canvas.addEventListener("pointermove", (event) => this.move(event));
    this.canvas.addEventListener("pointerup", (event) => this.release(event));
    this.canvas.addEventListener("dblclick", (event) => this.toggleAt(this.point(event)));
    this.canvas.addEventListener("focus", () => this.app.activate(this));
    this.minimap.addEventListener("pointerdown", (event) => this.jump(event));
    this.minimap.addEventListener("pointermove", (event) => event.buttons && this.jump(event));
  }

  /** Place everything anew, and keep what is selected where it was on the screen. */
  arrange() {
    const before = this.arrangement && this.selected >= 0 ? this.itemOf(this.selected) : null;
    const y = before?.y;
    this.arrangement = new Arrangement(this.stage, this.open, this.app.showsChanges);
    const after = this.selected >= 0 ? this.itemOf(this.selected) : null;
    if (before && after) this.y += after.y - y;
    this.relate();
    this.drawMinimap();
    this.draw();
  }

  /** True if a node is selected, or one that the same loop computes. */
  computesWith(node) {
    return node === this.selected || (this.stage.groupOf.get(this.selected) ?? []).includes(node);
  }

  itemOf(node) { return this.arrangement.items[this.arrangement.itemOf[node]]; }

  /** Take the size of the element; a canvas is empty then, so it is painted in the same frame. */
  resize() {
    const { width, height } = this.element.getBoundingClientRect();
    this.ratio = window.devicePixelRatio || 1;
    this.width = width;
    this.height = height;
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    this.drawMinimap();
    if (this.scale) this.paint();
  }

  /** Show forward and backward from the top, wholly if they are legible then. */
  fit() {
    const a = this.arrangement, gutter = this.gutter, room = this.width - gutter - 24;
    const middle = a.widths[UPDATE] ? a.axes[1] : a.right;
    const least = this.app.panes.length > 1 ? LEAST_BESIDE : LEAST_SCALE;
    const high = Math.max((this.height - 84) / (a.height + 20), least);
    this.scale = Math.max(Math.min(room / (middle - a.left + 16), high, 1.2), least);
    const right = (a.right - a.left) * this.scale < room ? a.right : middle;
    const spare = room - (right - a.left) * this.scale;
    this.x = gutter + 12 + (spare > 0 ? spare / 2 - a.left * this.scale : room * a.left / (a.left - middle));
    this.y = 62;
    this.draw();
  }

  get gutter() { return this.arrangement.columns * 18 + 10; }

  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const scale = Math.min(Math.max(this.scale * factor, Math.min(0.3, (this.height / this.arrangement.height) * 0.6)), 4);
    this.x = x - (x - this.x) * (scale / this.scale);
    this.y = y - (y - this.y) * (scale / this.scale);
    this.scale = scale;
    this.draw();
  }

  wheel(event) {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) return this.zoom(Math.exp(-event.deltaY / 300), event.offsetX, event.offsetY);
    this.x -= event.shiftKey ? event.deltaY : event.deltaX;
    this.y -= event.shiftKey ? 0 : event.deltaY;
    this.draw();
  }

  point(event) {
    return { x: (event.offsetX - this.x) / this.scale, y: (event.offsetY - this.y) / this.scale,
      left: event.offsetX, top: event.offsetY };
  }

  press(event) {
    this.canvas.focus();
    this.canvas.setPointerCapture(event.pointerId);
    this.pressed = { x: event.clientX, y: event.clientY, moved: false };
  }

  move(event) {
    if (this.pressed && event.buttons) {
      if (Math.hypot(event.clientX - this.pressed.x, event.clientY - this.pressed.y) > 4) this.pressed.moved = true;
      if (this.pressed.moved) {
        this.x += event.movementX;
        this.y += event.movementY;
        return this.draw();
      }
    }
    const { x, y } = this.point(event), found = this.arrangement.itemAt(x, y);
    if (found !== this.hovered) {
      this.hovered = found;
      this.canvas.style.cursor = found >= 0 ? "pointer" : "grab";
      const item = this.arrangement.items[found];
      this.canvas.title = item ? this.tip(item) : "";
      this.draw();
    }
  }

  tip(item) {
    const p = this.picture;
    if (item.node < 0) return visible(p.folders[item.folder][0]);
    const value = p.values[item.node];
    return visible(`${p.pathOf(item.node)}\n${p.typeOf(item.node)}${value ? `\n${value}` : ""}`.slice(0, 600));
  }

  release(event) {
    const pressed = this.pressed;
    this.pressed = null;
    if (!pressed || pressed.moved) return;
    const at = this.point(event);
    const bracket = this.bracketAt(at);
    if (bracket) return this.toggle(bracket.folder);
    const found = this.arrangement.itemAt(at.x, at.y);
    if (found < 0) return this.app.select(this, -1);
    const item = this.arrangement.items[found];
    if (item.node < 0) return this.toggle(item.folder);
    this.app.select(this, item.node);
    if (at.x < item.x + 24 && this.arrangement.ownsFolders.has(item.node)) this.toggleOwned(item.node);
  }

  toggleAt({ x, y }) {
    const item = this.arrangement.items[this.arrangement.itemAt(x, y)];
    if (item?.node >= 0) this.toggleOwned(item.node);
  }

  bracketAt({ left, top }) {
    const column = Math.floor((left - 5) / 18), y = (top - this.y) / this.scale;
    return this.arrangement.brackets.find((b) => b.column === column && b.top <= y && y <= b.bottom);
  }

  toggle(folder, isOpen = !this.open.has(folder)) {
    if (isOpen) this.open.add(folder);
    else this.open.delete(folder);
    this.arrange();
    this.showCrumbs();
    const title = visible(this.picture.folders[folder][0]);
    this.app.say(`${title} ${isOpen ? "open" : "closed"}`);
  }

  /** Open or close the graphs of a loop or branch in place. */
  toggleOwned(node) {
    const folders = this.arrangement.ownsFolders.get(node) ?? [];
    const isOpen = folders.length > 0 && !this.open.has(folders[0]);
    for (const f of folders) isOpen ? this.open.add(f) : this.open.delete(f);
    const inside = new Set(folders);
    if (isOpen) this.picture.folders.forEach(([, parent, owner], f) => { // with the scopes in its graphs
      if (owner < 0 && inside.has(parent)) { inside.add(f); this.open.add(f); }
    });
    if (folders.length) this.arrange();
    if (isOpen) this.showInside(inside);
    return folders.length > 0;
  }

  /** Bring the first node inside some folders to the upper part of the screen. */
  showInside(folders) {
    const { folder } = this.picture, { items } = this.arrangement;
    const first = items.filter((x) => x.node >= 0 && folders.has(folder[x.node])).reduce((y, x) => Math.min(y, x.y), Infinity);
    if (first < Infinity) this.y = 130 - first * this.scale;
    this.draw();
  }

  openAll(isOpen) {
    this.open = new Set(isOpen ? this.picture.folders.keys() : []);
    this.arrange();
  }

  /** Select a node, open what hides it, and bring it into view. */
  select(node, { show = false } = {}) {
    this.selected = node >= 0 && this.arrangement.itemOf[node] >= 0 ? node : -1;
    if (show && this.selected >= 0) this.reveal(this.selected);
    else this.relate();
    this.showCrumbs();
    this.draw();
  }

  reveal(node) {
    const hidden = this.picture.foldersOf(this.picture.folder[node]).filter((f) => !this.open.has(f));
    for (const f of hidden) this.open.add(f);
    if (hidden.length) this.arrange();
    else this.relate();
    const item = this.itemOf(node), x = item.x * this.scale + this.x, y = item.y * this.scale + this.y;
    if (this.scale < LEGIBLE) { this.scale = 0.9; return this.center(item); }
    const right = this.width - CARD.width * this.scale, bottom = this.height - CARD.height * this.scale;
    if (x < this.gutter || x > right || y < 40 || y > bottom - 20) this.center(item);
  }

  center(item) {
    this.x = this.width / 2 - (item.x + CARD.width / 2) * this.scale;
    this.y = this.height / 2 - (item.y + CARD.height / 2) * this.scale;
    this.draw();
  }

  /** The edges to draw of what is selected, and its partners. */
  relate() {
    const a = this.arrangement, s = this.stage, i = this.selected;
    this.partners = new Set();
    this.group = new Set();
    this.path = [];
    this.neighbors = [];
    if (i < 0 || s.at[i] < 0) return;
    for (const x of s.partnersOf(i)) this.partners.add(a.itemOf[x]);
    this.group = new Set((s.groupOf.get(i) ?? []).map((x) => a.itemOf[x]));
    this.path = s.pathToLoss(i);
    const own = a.itemOf[i];
    for (const x of s.operandsOf(i)) if (a.itemOf[x] >= 0 && a.itemOf[x] !== own) this.neighbors.push([a.itemOf[x], own]);
    for (const x of s.readersOf(i).slice(0, 200)) if (a.itemOf[x] !== own) this.neighbors.push([own, a.itemOf[x]]);
  }

  marks() {
    const a = this.arrangement, { colors } = this.app, s = this.stage, own = this.selected >= 0 ? a.itemOf[this.selected] : -1;
    const onPath = new Set(this.path.map((x) => a.itemOf[x]));
    const pairs = [];
    for (let k = 1; k < this.path.length; k++) {
      const from = a.itemOf[this.path[k - 1]], to = a.itemOf[this.path[k]];
      if (from === to) continue;
      pairs.push(a.items[to].band === BACKWARD ? [from, to] : [to, from]);
    }
    const lines = [[pairs, colors.path, 3], [this.neighbors, colors.accent, 1.8]];
    if (this.hovered >= 0 && this.hovered < a.items.length && this.hovered !== own) {
      const hovered = a.near[this.hovered].slice(0, 100).map((e) => [a.edges[e], a.edges[e + 1]]);
      lines.push([hovered, colors.text, 1.4]);
    }
    const dims = this.hits.size > 0;
    const hitItems = dims ? new Set([...this.hits].map((x) => a.itemOf[x])) : null;
    const heat = this.app.heat(this.picture);
    return {
      lines, dims,
      of: (k, item) => {
        const i = item.node, mark = {};
        if (i >= 0 && this.app.showsChanges) {
          if (s.isRemoved(i)) Object.assign(mark, { color: colors.removed, dash: true, glyph: "−" });
          else if (s.isNew.has(i)) Object.assign(mark, { color: colors.new, glyph: "+" });
          if (s.isFused.has(i)) Object.assign(mark, { color: colors.fused, glyph: "⊞" });
        }
        if (dims && !hitItems.has(k)) mark.dim = true;
        else if (dims) mark.color = colors.hit;
        if (onPath.has(k)) { mark.color = colors.path; mark.dim = false; }
        if (this.partners.has(k)) Object.assign(mark, { color: colors.partner, glyph: "⇄", dim: false });
        if (this.group.has(k)) Object.assign(mark, { color: colors.fused, glyph: "⊞", dim: false });
        if (k === own) Object.assign(mark, { color: colors.accent, dim: false });
        return heat ? heat(a, k, item, mark) : mark;
      },
    };
  }

  draw() {
    if (this.asked || !this.scale) return;
    this.asked = true;
    requestAnimationFrame(() => { this.asked = false; this.paint(); });
  }

  paint() {
    const c = this.canvas.getContext("2d"), { colors } = this.app, r = this.ratio;
    c.setTransform(r, 0, 0, r, 0, 0);
    c.fillStyle = colors.background;
    c.fillRect(0, 0, this.width, this.height);
    c.setTransform(r * this.scale, 0, 0, r * this.scale, r * this.x, r * this.y);
    this.painter ??= new Painter(c, colors);
    this.painter.colors = colors;
    const top = -this.y / this.scale, bottom = (this.height - this.y) / this.scale;
    this.painter.paint(this.arrangement, top, bottom, this.scale, this.marks());
    c.setTransform(r, 0, 0, r, 0, 0);
    this.paintBrackets(c, colors);
    this.paintFrame();
    this.app.painted = performance.now();
  }

  paintBrackets(c, colors) {
    const { folders } = this.picture;
    if (!this.arrangement.columns) return;
    c.fillStyle = colors.background;
    c.globalAlpha = 0.85;
    c.fillRect(0, 0, this.gutter, this.height);
    c.globalAlpha = 1;
    for (const b of this.arrangement.brackets) {
      const top = Math.max(b.top * this.scale + this.y, 2), bottom = Math.min(b.bottom * this.scale + this.y, this.height - 2);
      if (bottom - top < 4) continue;
      const x = 15 + b.column * 18;
      c.strokeStyle = colors["forward-ink"];
      c.lineWidth = 1.2;
      c.beginPath();
      c.moveTo(x + 6, top);
      c.lineTo(x + 1, top);
      c.lineTo(x + 1, bottom);
      c.lineTo(x + 6, bottom);
      c.stroke();
      if (bottom - top < 34) continue;
      c.save();
      c.translate(x - 2, (top + bottom) / 2);
      c.rotate(-Math.PI / 2);
      this.painter.text(folders[b.folder][0], 0, 0, { size: 11, weight: 600, align: "center", color: colors.faint, width: bottom - top - 8 });
      c.restore();
    }
  }

  drawMinimap() {
    const a = this.arrangement, m = this.minimap, c = m.getContext("2d", { willReadFrequently: true }), { colors } = this.app;
    const w = 96, r = this.ratio ?? 1, scale = w / (a.right - a.left + 40);
    const h = Math.min(Math.ceil(a.height * scale) + 6, Math.max((this.height ?? 0) * 0.45, 90));
    m.style.height = `${h}px`;
    m.width = w * r;
    m.height = h * r;
    this.map = { x: -a.left * scale + 2, sx: scale, sy: Math.min(scale, (h - 6) / (a.height + 1)) };
    c.setTransform(r, 0, 0, r, 0, 0);
    const step = Math.max(1, Math.floor(a.items.length / 8000));
    for (let k = 0; k < a.items.length; k += step) {
      const item = a.items[k];
      const role = item.node >= 0 ? this.picture.roleOf(item.node) : ["forward", "backward", "update"][item.band];
      c.fillStyle = colors[`${role}-ink`];
      c.fillRect(this.map.x + item.x * this.map.sx, item.y * this.map.sy + 2, Math.max(CARD.width * this.map.sx, 2), Math.max(CARD.height * this.map.sy, 1));
    }
    this.mapImage = c.getImageData(0, 0, m.width, m.height);
  }

  /** The part that is seen, as a frame in the minimap. */
  paintFrame() {
    if (!this.mapImage) return;
    const c = this.minimap.getContext("2d"), { map } = this;
    c.putImageData(this.mapImage, 0, 0);
    c.strokeStyle = this.app.colors.accent;
    c.lineWidth = 1.5;
    const x = map.x - (this.x / this.scale) * map.sx, y = 2 - (this.y / this.scale) * map.sy;
    c.strokeRect(x, y, (this.width / this.scale) * map.sx, Math.max((this.height / this.scale) * map.sy, 2));
  }

  jump(event) {
    const { map } = this;
    this.x = this.width / 2 - ((event.offsetX - map.x) / map.sx) * this.scale;
    this.y = this.height / 2 - ((event.offsetY - 2) / map.sy) * this.scale;
    this.draw();
  }

  /** The folders around what is selected, as buttons that close them. */
  showCrumbs() {
    this.crumbs.replaceChildren();
    if (this.selected < 0) return;
    const { folders } = this.picture;
    for (const f of this.picture.foldersOf(this.picture.folder[this.selected])) {
      const title = visible(folders[f][0]);
      this.crumbs.append(button(title, `Open or close ${title}`, () => this.toggle(f)), make("span", { textContent: "›" }));
    }
    this.crumbs.append(make("span", { textContent: visible(this.picture.titleOf(this.selected)) }));
  }

  /** Select the nearest item in a direction; closed folders by what they show first. */
  step(dx, dy) {
    const a = this.arrangement, now = this.cursor();
    let best = -1, least = Infinity;
    const reach = dy ? 2400 : LINE * 3;
    let [from, to] = a.between(now.y - (dy > 0 ? 0 : reach), now.y + (dy < 0 ? 0 : reach) + 1);
    if (dy > 0 && to < a.byY.length) to = Math.min(a.byY.length, to + 40);
    if (dy < 0 && from > 0) from = Math.max(0, from - 40);
    for (let k = from; k < to; k++) {
      const item = a.items[a.byY[k]], right = item.x - now.x, down = item.y - now.y;
      const along = dx ? right * dx : down * dy, across = Math.abs(dx ? down : right);
      if (along < 4) continue;
      const distance = along + across * (dx ? 4 : 2.2) + (!dx && item.band !== now.band ? 3000 : 0);
      if (distance < least) [best, least] = [a.byY[k], distance];
    }
    if (best < 0) return;
    this.goTo(a.items[best]);
  }

  cursor() {
    if (this.folderCursor?.folder >= 0 && this.selected < 0) {
      const again = this.arrangement.items.find((x) => x.folder === this.folderCursor.folder && x.band === this.folderCursor.band);
      if (again) return again;
    }
    return this.selected >= 0 ? this.itemOf(this.selected) : { x: 0, y: -1, band: 0, node: -1, folder: -1 };
  }

  goTo(item) {
    this.folderCursor = item.node < 0 ? item : null;
    if (item.node >= 0) return this.app.select(this, item.node, { show: true });
    this.app.select(this, -1);
    this.hovered = this.arrangement.items.indexOf(item);
    const y = item.y * this.scale + this.y;
    if (y < 40 || y > this.height - 60) this.center(item);
    this.app.say(`folder ${visible(this.picture.folders[item.folder][0])}, ${item.members} nodes, closed`);
    this.draw();
  }

  /** Open or close what is selected: a folder, or the graphs of a loop. */
  enter() {
    if (this.selected >= 0) return this.toggleOwned(this.selected);
    const now = this.cursor();
    if (now.folder >= 0) {
      this.toggle(now.folder);
      const first = this.arrangement.items.find((x) => x.node >= 0 && x.row >= now.row);
      if (first) this.goTo(first);
    }
  }
}
