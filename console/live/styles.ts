/**
 * xterm writes its rules into `<style>` elements and its colours into `style` attributes. The page's policy blocks
 * both, because text that others wrote could bring them. The policy allows constructed style sheets and the properties
 * of `style`, which only a script can reach. These functions make xterm use them.
 */

/** Runs `open`, in which xterm makes its `<style>` elements. Replaces them by stand-ins for constructed style sheets. */
export function withoutStyleElements(open: () => void): void {
  document.createElement = ((name: string, options?: ElementCreationOptions) =>
    name === "style" ? standIn() : Document.prototype.createElement.call(document, name, options)) as typeof document.createElement;
  try {
    open();
  } finally {
    // Without the override, the prototype's method is visible again.
    delete (document as Partial<Document>).createElement;
  }
}

function standIn(): HTMLElement {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  const element = Document.prototype.createElement.call(document, "span") as HTMLElement;
  element.hidden = true;
  Object.defineProperty(element, "textContent", { set: (rules: string) => sheet.replaceSync(rules) });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    Element.prototype.remove.call(element);
  };
  return element;
}

/** Makes the attribute `style` of spans, which xterm sets for colours, set their style properties instead. */
export function withoutStyleAttributes(): void {
  HTMLSpanElement.prototype.setAttribute = function (name, value) {
    if (name === "style") this.style.cssText = value;
    else Element.prototype.setAttribute.call(this, name, value);
  };
}
