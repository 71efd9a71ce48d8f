import { render } from "preact";
import { keepLinkedToken } from "./access.ts";
import { App } from "./app.tsx";

keepLinkedToken();
// Opening a console link while the console is open loads no page.
addEventListener("hashchange", () => {
  if (keepLinkedToken()) location.reload();
});

render(<App />, document.body);
