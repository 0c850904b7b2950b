import { startHub } from "./lib/hub.mjs"; import { launch, openTab } from "./lib/browser.mjs"; import { PASSWORD, go, signUp, send, says, chatOf } from "./lib/walk.mjs";
const hub = await startHub(); const b = await launch(); const t = await openTab(b);
try {
await signUp(t, hub.adminLink, "ada");
for (const n of [1000, 5000, 30000]) {
await go(t, hub.url + "/chat?to=@plexus/calc");
const t0 = Date.now();
await send(t, Array.from({ length: n }, (_, index) => `${index + 1} + 0`).join("\n"));
await t.page.waitForURL(/chat\/.*/, {waitUntil:"commit"}); console.log("sent", Date.now()-t0);
const cookies = (await t.context.cookies()).map(c=>`${c.name}=${c.value}`).join("; ");
const url = hub.url + chatOf(t);
for (let i=0;i<400;i++) { const r = await fetch(url, {headers:{cookie: cookies}}); const html = await r.text(); const m = html.match(/<article[^>]*class="message agent (\w+)/); if (i%20==0||m?.[1]!="open") console.log(n, Date.now()-t0, m?.[1], html.length, (html.match(/= \d+/g)||[]).length); if (m && m[1] !== "open") break; await new Promise(r=>setTimeout(r,1000)); }
}
} finally { await b.close(); await hub.stop(); }
