// A small way to describe elements as values and to bring a part of the page in line with them.
// Elements with the same key stay the same element, so that transitions, focus and drags survive a redraw.

const SVG = "http://www.w3.org/2000/svg";
const PROPERTIES = new Set(["value", "checked", "disabled", "selected", "open", "min", "max"]);

/** An element as a value: `h("p", {class: "note"}, "text", h("b", null, "more"))`. */
export function h(tag, props, ...children) {
  const kept = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  return { tag, props: props ?? {}, children: kept };
}

/** Make the children of `parent` what `wanted` says. */
export function patch(parent, wanted) {
  const before = new Map();
  for (const node of parent.childNodes) before.set(node.narlabKey, node);
  const seen = {};
  let cursor = parent.firstChild;
  for (const child of wanted.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false)) {
    const tag = child.tag ?? "#text";
    const key = child.props?.key ?? `${tag}:${(seen[tag] = (seen[tag] ?? 0) + 1)}`;
    let node = before.get(key);
    if (!node) node = create(parent, tag, key);
    else before.delete(key);
    if (tag === "#text") {
      if (node.data !== String(child)) node.data = String(child);
    } else update(node, child);
    if (node === cursor) cursor = cursor.nextSibling;
    else parent.insertBefore(node, cursor);
  }
  for (const node of before.values()) node.remove();
}

function create(parent, tag, key) {
  const inSvg = tag === "svg" || (parent.namespaceURI === SVG && parent.localName !== "foreignObject");
  const node =
    tag === "#text"
      ? document.createTextNode("")
      : inSvg
        ? document.createElementNS(SVG, tag)
        : document.createElement(tag);
  node.narlabKey = key;
  node.narlabProps = {};
  return node;
}

function update(node, { props, children }) {
  const before = node.narlabProps;
  for (const name of Object.keys(before)) if (!(name in props)) assign(node, name, null);
  patch(node, children);
  for (const [name, value] of Object.entries(props))
    if (PROPERTIES.has(name) || before[name] !== value) assign(node, name, value);
  node.narlabProps = props;
}

function assign(node, name, value) {
  if (name === "key") return;
  if (name === "style") return Object.assign(node.style, value ?? {});
  if (name.startsWith("on")) return void (node[name.toLowerCase()] = value);
  if (PROPERTIES.has(name) && name in node) {
    const typing =
      name === "value" && node === document.activeElement && node.localName === "input" && node.type !== "range";
    if (!typing && node[name] !== value && String(node[name]) !== String(value)) node[name] = value ?? "";
  } else if (value === null || value === undefined || value === false) node.removeAttribute(name);
  else node.setAttribute(name, value === true ? "" : value);
}

/** Classes from names and conditions: `names("node", isWrong && "wrong")`. */
export const names = (...parts) => parts.filter(Boolean).join(" ");

/** A control with its label above; what follows the control goes below it. */
export function field(label, control, ...more) {
  control.props["aria-label"] ??= label;
  return h("label", { class: "field", key: label }, h("span", null, label), control, more);
}
