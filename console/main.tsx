import { render } from "preact";
import { keepLinkedToken } from "./access.ts";
import { App } from "./app.tsx";

keepLinkedToken();
// A link that is opened where the console already is loads no page.
addEventListener("hashchange", () => {
  if (keepLinkedToken()) location.reload();
});

render(<App />, document.body);
