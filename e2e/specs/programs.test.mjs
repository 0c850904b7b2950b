// OAuth consent, HTTP endpoints as agents, and the API documentation.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { launch, nameOf, PAIRED_MODES, openTab } from "../lib/browser.mjs";
import { checkPage } from "../lib/checks.mjs";
import { go, hubOfAda, press, signIn } from "../lib/walk.mjs";

/** PKCE challenge of RFC 7636, appendix B. */
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

let hub, browser, program;
before(async () => {
  browser = await launch();
  program = await startProgram();
  hub = await hubOfAda(browser);
});
after(async () => {
  await browser?.close();
  program?.server.close();
  await hub?.stop();
});

for (const mode of PAIRED_MODES) {
  describe(`programs, ${nameOf(mode)}`, () => {
    let tab;
    before(async () => {
      tab = await openTab(browser, mode);
      tab.expect(/status of 4(00|22)/);
      await signIn(tab, hub, "ada");
    });
    after(() => tab?.close());

    test("an application is authorized, or denied", async () => {
      await go(tab, asked());
      await tab.page.getByRole("heading", { level: 1, name: "Authorize Tide Desk?" }).waitFor();
      await checkPage(tab, "oauth-consent");
      await press(tab, "Deny");
      await tab.page.getByText("error=access_denied").waitFor();
      await go(tab, asked());
      await tab.page.getByRole("button", { name: "Allow", exact: true }).click();
      await tab.page.getByText(/code=\S+/).waitFor();
      await go(tab, `${hub.url}/settings/tokens`);
    });

    test("an invalid authorization request does not redirect", async () => {
      await go(tab, asked({ scope: "admin" }));
      await tab.page.getByRole("heading", { level: 1, name: "Invalid authorization request" }).waitFor();
      await checkPage(tab, "oauth-wrong");
      await tab.page.getByRole("link", { name: /^Go back to/ }).click();
      await tab.page.getByText("error=invalid_scope").waitFor();
      await go(tab, asked({ redirect_uri: "https://elsewhere.example/back" }));
      await tab.page.getByText("not among those of the client's metadata").waitFor();
      await checkPage(tab, "oauth-refused");
      assert.ok(tab.page.url().startsWith(hub.url));
    });

    test("an endpoint is described, and a mistake is told where it was made", async () => {
      await go(tab, `${hub.url}/register/http`);
      await tab.page.getByRole("heading", { level: 1 }).waitFor();
      await checkPage(tab, "register-http");
      await go(tab, `${hub.url}/register/http?preset=openai`);
      await checkPage(tab, "register-http-openai");
      const fill = (label, text) => tab.page.getByLabel(label, { exact: true }).fill(text);
      await fill("Title", "Tide desk");
      await fill("Name in its address", "tide-desk");
      await fill("Summary", "Says when the water is high.");
      await fill("Address", "mailto:tides@example.org");
      await tab.page.getByRole("button", { name: "Continue" }).click();
      await tab.page.locator(".form-errors").waitFor();
      await checkPage(tab, "register-http-refused");
    });

    test("a request that failed its trial is described otherwise, and a registration discarded", async () => {
      const title = `Tide words ${nameOf(mode)}`;
      const fill = (label, text) => tab.page.getByLabel(label, { exact: true }).fill(text);
      await go(tab, `${hub.url}/register/http`);
      await fill("Title", title);
      await fill("Name in its address", "tide-words");
      await fill("Summary", "Says when the water is high.");
      await tab.page.getByLabel("Address", { exact: true }).first().fill(`${program.url}/ask`);
      await tab.page.locator('[name="body"]').fill('{ "question": "{{message}}" }');
      await press(tab, "Continue");
      await press(tab, "Continue as unverified");
      await press(tab, "Try it");
      await tab.page.locator("#answer").waitFor();
      await tab.page.getByRole("link", { name: "Request" }).click();
      await tab.page.getByRole("heading", { level: 2, name: "Answer" }).waitFor();
      assert.equal(await tab.page.getByLabel("Title", { exact: true }).inputValue(), title);
      await tab.page.getByLabel("Plain text").check();
      await checkPage(tab, "register-http-again");
      await press(tab, "Continue");
      await press(tab, "Continue as unverified");
      await press(tab, "Try it");
      await tab.page.getByText(/It answered within/).waitFor();
      await go(tab, `${hub.url}/register`);
      await checkPage(tab, "register-begun");
      await tab.page.getByRole("button", { name: `Discard ${title}` }).click();
      await tab.page.getByRole("heading", { level: 1 }).waitFor();
      await tab.page.getByRole("link", { name: title }).waitFor({ state: "detached" });
    });

    test("the description of the API reads and leads somewhere", async () => {
      await go(tab, `${hub.url}/docs/api`);
      await tab.page.getByRole("heading", { level: 3, name: "POST /chats", exact: true }).waitFor();
      await checkPage(tab, "docs-api");
      const broken = await tab.page.evaluate(() =>
        Array.from(document.querySelectorAll('main a[href^="/docs/api#"]'), (link) => link.hash)
          .filter((hash) => !document.getElementById(decodeURIComponent(hash.slice(1)))),
      );
      assert.deepEqual(broken, []);
    });
  });
}

/** Returns the URL of the consent page that an application opens for a user. */
function asked(change = {}) {
  const params = {
    response_type: "code", client_id: `${program.url}/client.json`, redirect_uri: `${program.url}/back`, state: "s",
    code_challenge: CHALLENGE, code_challenge_method: "S256", resource: `${hub.url}/mcp`, ...change,
  };
  return `${hub.url}/oauth/authorize?${new URLSearchParams(params)}`;
}

/** Starts an OAuth client with a metadata document. It shows the response that it receives. */
async function startProgram() {
  const server = createServer((request, response) => {
    const url = `http://${request.headers.host}`;
    if (request.url === "/client.json") {
      response.setHeader("content-type", "application/json");
      const redirects = [`${url}/back`];
      response.end(JSON.stringify({ client_id: `${url}/client.json`, client_name: "Tide Desk", redirect_uris: redirects }));
      return;
    }
    if (request.url === "/ask") {
      response.setHeader("content-type", "text/plain");
      response.end("High water is at 12:04.");
      return;
    }
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><title>Told</title><link rel="icon" href="data:,"><p>${request.url.replaceAll("&", " ").replaceAll("<", "")}`);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${server.address().port}` };
}
