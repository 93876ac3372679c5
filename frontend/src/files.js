// Files and the clipboard.

import { button, h } from "./dom.js";

/** Save a blob under a name. */
export function save(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Save text under a name. */
export const saveText = (name, text, type) => save(name, new Blob([text], { type }));

/** Put text on the clipboard; where that is not allowed, show it in a dialog to copy from. */
export async function copy(root, title, text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    show(root, title, text);
    return false;
  }
}

function show(root, title, text) {
  const area = h("textarea", { readonly: true, rows: "14", "aria-label": title });
  area.value = text;
  const dialog = h("dialog", { class: "ns-dialog", "aria-label": title });
  dialog.append(
    h("p", { text: `${title}: select and copy.` }), area,
    button("Close", () => dialog.close())
  );
  dialog.addEventListener("close", () => dialog.remove());
  root.append(dialog);
  dialog.showModal();
  area.select();
}
