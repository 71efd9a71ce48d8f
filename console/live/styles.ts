/**
 * xterm writes its rules into `<style>` elements and its colours into `style` attributes. The page's policy blocks both,
 * because text that others wrote could bring them. It allows constructed style sheets and the properties of `style`, which
 * only a script can reach: these functions have xterm use those.
 */

/** Runs `open`, during which xterm makes its `<style>` elements. They become stand-ins for constructed style sheets. */
export function withoutStyleElements(open: () => void): void {
  document.createElement = ((name: string, options?: ElementCreationOptions) =>
    name === "style" ? standIn() : Document.prototype.createElement.call(document, name, options)) as typeof document.createElement;
  try {
    open();
  } finally {
    // The prototype's method is visible again.
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

/** Has the attribute `style` of spans, which xterm sets for colours, set their properties instead. */
export function withoutStyleAttributes(): void {
  HTMLSpanElement.prototype.setAttribute = function (name, value) {
    if (name === "style") this.style.cssText = value;
    else Element.prototype.setAttribute.call(this, name, value);
  };
}
