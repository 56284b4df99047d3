// Drawing on a canvas: cards, edges and brackets, with the colors of the style sheet.

const ROLE_COLORS = ["input", "parameter", "constant", "forward", "backward", "update"];
const FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif";
const TINY = 0.12; // scale below which cards are spots
const LEGIBLE = 0.42; // scale from which cards have text

/** The colors, which the style sheet has for light and dark. */
function palette(element) {
  const style = getComputedStyle(element), result = {};
  for (const name of ["background", "text", "faint", "edge", "line", "card", "accent", "partner", "path",
    "new", "removed", "fused", "heat", "hit", "label", ...ROLE_COLORS, ...ROLE_COLORS.map((r) => `${r}-ink`)])
    result[name] = style.getPropertyValue(`--${name}`).trim();
  return result;
}

class Painter {
  constructor(context, colors) {
    this.c = context;
    this.colors = colors;
    this.cuts = new Map();
  }

  /** Everything of an arrangement between two heights; `marks` says what is selected and found. */
  paint(arrangement, top, bottom, scale, marks) {
    this.scale = scale;
    this.axis(arrangement, top, bottom);
    const [from, to] = arrangement.between(top, bottom);
    const step = Math.max(1, Math.floor((to - from) / 20000));
    if (scale > TINY) this.edges(arrangement, from, to, top, bottom, marks);
    this.special(arrangement, marks);
    for (let k = from; k < to; k += step) this.item(arrangement, arrangement.byY[k], marks);
    for (const k of marks.always ?? []) this.item(arrangement, k, marks);
  }

  axis(a, top, bottom) {
    const { c, colors } = this;
    c.strokeStyle = colors.line;
    c.lineWidth = 1 / this.scale;
    c.setLineDash([4 / this.scale, 6 / this.scale]);
    const y0 = Math.max(top, -30), y1 = Math.min(bottom, a.height + 20);
    for (const x of a.widths[UPDATE] ? a.axes : a.axes.slice(0, 1)) {
      c.beginPath();
      c.moveTo(x, y0);
      c.lineTo(x, y1);
      c.stroke();
    }
    c.setLineDash([]);
    if (top < 0 && this.scale > LEGIBLE) {
      this.text("forward", -12, -14, { align: "right", color: colors.faint, size: 12, weight: 600 });
      if (a.widths[BACKWARD]) this.text("backward", 12, -14, { color: colors.faint, size: 12, weight: 600 });
      if (a.widths[UPDATE]) this.text("update", a.axes[1] + 12, -14, { color: colors.faint, size: 12, weight: 600 });
    }
  }

  text(text, x, y, { size = 11, weight = 400, color, align = "left", width = 0, atEnd = false } = {}) {
    const { c } = this;
    c.font = `${weight} ${size}px ${FONT}`;
    c.textAlign = align;
    c.textBaseline = "alphabetic";
    c.fillStyle = color ?? this.colors.text;
    c.fillText(width ? this.cut(text, width, c.font, atEnd) : text, x, y);
  }

  /** A text that fits a width, with an ellipsis where it is cut; direction marks have no effect. */
  cut(text, width, font, atEnd = false) {
    const key = `${font}|${width}|${atEnd}|${text.length > 80 ? text.slice(0, 80) + text.length : text}`;
    let result = this.cuts.get(key);
    if (result === undefined) {
      result = visible(atEnd ? text.slice(-200) : text.slice(0, 200));
      if (this.c.measureText(result).width > width || text.length > 200) {
        let from = 0, to = result.length;
        const part = (n) => (atEnd ? `…${result.slice(result.length - n)}` : `${result.slice(0, n)}…`);
        while (from < to) {
          const middle = (from + to + 1) >> 1;
          if (this.c.measureText(part(middle)).width <= width) from = middle;
          else to = middle - 1;
        }
        result = part(from);
      }
      if (this.cuts.size > 20000) this.cuts.clear();
      this.cuts.set(key, result);
    }
    return result;
  }

  edges(a, from, to, top, bottom, marks) {
    const { c, colors } = this;
    c.strokeStyle = colors.edge;
    c.globalAlpha = marks.dims ? 0.35 : 1;
    c.lineWidth = 1.2;
    c.beginPath();
    const done = new Set();
    const one = (e) => {
      const x = a.items[a.edges[e]], y = a.items[a.edges[e + 1]];
      if (done.has(e) || !isDrawn(x, y)) return;
      done.add(e);
      this.edge(x, y);
    };
    for (let k = from; k < to && done.size < 30000; k++)
      if (!a.items[a.byY[k]].isHub) for (const e of a.near[a.byY[k]]) one(e);
    for (const e of a.long.slice(0, 5000)) {
      const y0 = a.items[a.edges[e]].y, y1 = a.items[a.edges[e + 1]].y;
      if (Math.min(y0, y1) < bottom && Math.max(y0, y1) > top) one(e);
    }
    c.stroke();
    if (this.scale > LEGIBLE) {
      c.beginPath();
      for (const e of done) this.head(a.items[a.edges[e]], a.items[a.edges[e + 1]]);
      c.fillStyle = colors.edge;
      c.fill();
    }
    c.globalAlpha = 1;
  }

  /** The edges of what is selected, and of the path to the loss, drawn whatever they cross. */
  special(a, marks) {
    const { c } = this;
    for (const [pairs, color, width] of marks.lines) {
      c.strokeStyle = c.fillStyle = color;
      c.lineWidth = width;
      for (const [from, to] of pairs) {
        const x = a.items[from], y = a.items[to];
        c.beginPath();
        this.edge(x, y);
        c.stroke();
        c.beginPath();
        this.head(x, y);
        c.fill();
      }
    }
  }

  edge(a, b) {
    const { c } = this, from = leaving(a, b), to = entering(a, b);
    c.moveTo(from.x, from.y);
    if (from.side && to.side) {
      const bend = Math.min(Math.abs(to.x - from.x) / 2, 40);
      c.bezierCurveTo(from.x + from.side * bend, from.y, to.x - from.side * bend, to.y, to.x, to.y);
      return;
    }
    const down = Math.sign(to.y - from.y) || 1, apart = Math.abs(to.y - from.y);
    if (Math.abs(a.row - b.row) > 1 && apart > LINE && Math.abs(to.x - from.x) < LANE * 0.4) { // past the cards between
      const x = to.x + (CARD.width / 2 + 5 + (a.row % 3) * 3) * (a.band === 0 ? -1 : 1);
      c.bezierCurveTo(from.x, from.y + down * 22, x, from.y + down * 6, x, from.y + down * 30);
      c.lineTo(x, to.y - down * 30);
      c.bezierCurveTo(x, to.y - down * 6, to.x, to.y - down * 22, to.x, to.y);
      return;
    }
    const bend = Math.min(apart * 0.5, 60);
    c.bezierCurveTo(from.x, from.y + down * bend, to.x, to.y - down * bend, to.x, to.y);
  }

  head(a, b) {
    const { c } = this, to = entering(a, b), size = 4.5;
    const [dx, dy] = to.side ? [to.side, 0] : [0, Math.sign(to.y - leaving(a, b).y) || 1];
    c.moveTo(to.x, to.y);
    c.lineTo(to.x - dx * size * 1.6 - dy * size, to.y - dy * size * 1.6 - dx * size);
    c.lineTo(to.x - dx * size * 1.6 + dy * size, to.y - dy * size * 1.6 + dx * size);
    c.closePath();
  }

  item(a, k, marks) {
    const item = a.items[k], { c, colors } = this, { x, y } = item;
    const role = item.node >= 0 ? a.picture.roleOf(item.node) : ["forward", "backward", "update"][item.band];
    const mark = marks.of(k, item);
    c.globalAlpha = mark.dim ? 0.3 : 1;
    this.outline(item, role);
    c.fillStyle = mark.heat ? mix(colors.card, colors.heat, mark.heat) : colors[this.scale < TINY ? `${role}-ink` : role];
    c.fill();
    c.lineWidth = mark.color ? 3 : 1.1;
    c.strokeStyle = mark.color ?? colors[`${role}-ink`];
    c.setLineDash(mark.dash ? [6, 4] : role === "constant" ? [3, 3] : []);
    c.stroke();
    c.setLineDash([]);
    if (role === "update") this.inner(item, colors[`${role}-ink`]);
    if (item.node < 0) this.stack(item, colors[`${role}-ink`]);
    if (this.scale >= LEGIBLE) this.words(a, item, role, mark);
    c.globalAlpha = 1;
  }

  /** The shape tells the role, as the color does. */
  outline({ x, y, node }, role) {
    const { c } = this, { width: w, height: h } = CARD;
    c.beginPath();
    if (node < 0) c.roundRect(x, y, w, h, 2);
    else if (role === "input") c.roundRect(x, y, w, h, h / 2);
    else if (role === "parameter") polygon(c, [[x + 9, y], [x + w, y], [x + w - 9, y + h], [x, y + h]]);
    else if (role === "backward")
      polygon(c, [[x, y], [x + w - 11, y], [x + w, y + h / 2], [x + w - 11, y + h], [x, y + h]]);
    else c.roundRect(x, y, w, h, role === "constant" ? 12 : 5);
  }

  inner({ x, y }, color) {
    this.c.strokeStyle = color;
    this.c.lineWidth = 1;
    this.c.strokeRect(x + 3, y + 3, CARD.width - 6, CARD.height - 6);
  }

  /** The edges of further cards under that of a folder. */
  stack({ x, y }, color) {
    const { c } = this;
    c.strokeStyle = color;
    c.lineWidth = 1;
    for (const d of [3, 6]) {
      c.beginPath();
      c.moveTo(x + d, y + CARD.height + d);
      c.lineTo(x + CARD.width + d, y + CARD.height + d);
      c.lineTo(x + CARD.width + d, y + d);
      c.stroke();
    }
  }

  words(a, item, role, mark) {
    const p = a.picture, { colors } = this, { x, y, node } = item, left = x + (role === "parameter" ? 15 : 11);
    const width = CARD.width - 24;
    if (node < 0) {
      const count = `${item.members} node${item.members === 1 ? "" : "s"}`;
      this.text(`▸ ${p.folders[item.folder][0]}`, left, y + 18, { size: 12.5, weight: 600, width });
      this.text(mark.note ? `${count} · ${mark.note}` : count, left, y + 33, { color: colors.faint, width });
    } else {
      const owns = a.ownsFolders.has(node) ? (a.open.has(a.ownsFolders.get(node)[0]) ? "▾ " : "▸ ") : "";
      const title = owns + p.titleOf(node), op = p.opOf(node);
      const isNamed = !p.isLeaf(node) && p.titleOf(node) !== op;
      const value = p.values[node], short = value && value.length < 14 ? value : null;
      const facts = [mark.note, isNamed && op, short ?? p.shortTypeOf(node)].filter(Boolean).join(" · ");
      this.text(title, left, y + 18, { size: 12.5, weight: 600, width, atEnd: p.isLeaf(node) });
      this.text(facts, left, y + 33, { color: colors.faint, width });
    }
    if (mark.glyph) this.badge(x + CARD.width - 6, y, mark.glyph, mark.color);
    const labels = node >= 0 && p.outputs[node];
    if (labels?.length) this.label(labels.join(", "), x, y);
    if (mark.share) {
      this.c.fillStyle = colors.heat;
      this.c.fillRect(x + 2, y + CARD.height - 4, (CARD.width - 4) * mark.share, 3);
    }
  }

  /** The label of an output, as a flag under its card. */
  label(text, x, y) {
    const { c, colors } = this;
    c.font = `600 10.5px ${FONT}`;
    const shown = this.cut(text, LANE - 26, c.font, true), w = c.measureText(shown).width + 16;
    c.beginPath();
    c.roundRect(x + 8, y + CARD.height - 3, w, 15, 3);
    c.fillStyle = colors.label;
    c.fill();
    this.text(shown, x + 16, y + CARD.height + 8.5, { size: 10.5, weight: 600, color: colors.background });
  }

  badge(x, y, glyph, color) {
    const { c } = this;
    c.beginPath();
    c.arc(x, y, 8, 0, 7);
    c.fillStyle = color;
    c.fill();
    this.text(glyph, x, y + 4.5, { size: 13, weight: 700, align: "center", color: this.colors.background });
  }
}

/** Edges to leaves far away, of hubs, and from forward to backward, are drawn of what is selected alone. */
function isDrawn(a, b) {
  if ((a.band === 0 && b.band !== 0) || a.isHub || b.isHub) return false;
  const isLeaf = a.node >= 0 && a.isLeaf;
  return !isLeaf || Math.abs(a.row - b.row) < 2;
}

/** Where an edge leaves a card: at a side for what is beside it, else above or below. */
function leaving(a, b) {
  if (isBeside(a, b)) {
    const side = b.x > a.x ? 1 : -1;
    return { x: side > 0 ? a.x + CARD.width : a.x, y: a.y + CARD.height / 2, side };
  }
  const below = b.y > a.y || (b.y === a.y && a.band === 0);
  return { x: a.x + CARD.width / 2, y: below ? a.y + CARD.height : a.y, side: 0 };
}

function entering(a, b) {
  if (isBeside(a, b)) {
    const side = b.x > a.x ? 1 : -1;
    return { x: side > 0 ? b.x : b.x + CARD.width, y: b.y + CARD.height / 2, side };
  }
  const above = b.y > a.y;
  return { x: b.x + CARD.width / 2, y: above ? b.y : b.y + CARD.height, side: 0 };
}

function isBeside(a, b) {
  return a.row === b.row || (a.band !== b.band && Math.abs(a.y - b.y) < LINE);
}

function polygon(c, points) {
  points.forEach(([x, y], i) => (i ? c.lineTo(x, y) : c.moveTo(x, y)));
  c.closePath();
}

/** A color between two, given as #rrggbb. */
function mix(a, b, part) {
  const numbers = (color) => [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
  const x = numbers(a), y = numbers(b);
  return `rgb(${x.map((v, i) => Math.round(v + (y[i] - v) * part)).join(" ")})`;
}

/** A text whose control and direction characters are shown instead of obeyed. */
function visible(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (c) => `⟨${c.codePointAt(0).toString(16).padStart(4, "0")}⟩`);
}
