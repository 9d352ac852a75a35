// Signing in with a token of the service, and out again.

import { learnRights, page, token } from "./frame.js";
import { element, note } from "./parts.js";

export function signIn(onDone, why = "") {
  const field = element("input", { id: "token", type: "password", autocomplete: "current-password", required: true, "aria-describedby": "why" });
  const said = element("p", { id: "why", class: "error", role: "alert" }, why);
  const form = element("form", { class: "choices", onsubmit: async (event) => {
    event.preventDefault();
    token.keep(field.value.trim());
    field.value = "";
    try { await learnRights(); } catch (error) { token.forget(); said.textContent = error.message; field.focus(); return; }
    onDone();
  } }, element("label", { for: "token" }, "token"), field, element("button", { class: "primary" }, "sign in"));
  return [element("h2", {}, "Sign in"), note("This service answers those with a token that may read. It is kept in this tab until that is closed; whoever runs the service makes one: ",
    element("code", {}, "hippo token add NAME --right read --tokens FILE")), form, said];
}

// who is signed in, and the way out
export function whoBar(onOut) {
  if (!page.rights?.has_tokens) return [];
  return [`${page.rights.name} (${page.rights.right}) `, element("button", { id: "out", onclick: () => { token.forget(); page.rights = null; onOut(); } }, "sign out")];
}
