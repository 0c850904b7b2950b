// E-mail: an address is confirmed at sign-up, and a forgotten password is replaced by a link.

import { after, before, test } from "node:test";
import { launch, openTab } from "../lib/browser.mjs";
import { accessible, fits } from "../lib/checks.mjs";
import { link, startMailServer } from "../lib/mail_server.mjs";
import { PASSWORD, go, hubOfAda, press, signedIn } from "../lib/walk.mjs";

const NEW = "seven quiet herons wade";
let hub, browser, mail;
before(async () => {
  mail = await startMailServer();
  browser = await launch();
  hub = await hubOfAda(browser, {
    PLEXUS_SMTP_URL: mail.url,
    PLEXUS_MAIL_FROM: "Plexus <plexus@example.org>",
    PLEXUS_REGISTRATION: "open",
  });
});
after(async () => {
  await browser?.close();
  await hub?.stop();
  mail?.stop();
});

for (const [name, mode] of [
  ["bob", { width: 1280 }],
  ["carol", { theme: "dark", width: 390, script: "off" }],
]) {
  test(`an address is confirmed and recovers an account, ${mode.width} px`, async () => {
    const tab = await openTab(browser, mode);
    const field = (label) => tab.page.getByLabel(label, { exact: true });
    const look = async (picture) => {
      // axe needs scripts.
      if (mode.script !== "off") await accessible(tab.page);
      await fits(tab.page);
      await tab.picture(picture);
    };
    await go(tab, `${hub.url}/signup`);
    await field("Name").fill(name);
    await field("Password").fill(PASSWORD);
    await tab.page.getByLabel("E-mail address").fill(`${name}@example.org`);
    await look("mail-sign-up");
    await press(tab, "Sign up");
    await signedIn(tab, name);
    await go(tab, link(await mail.next()));
    await look("mail-confirm");
    await press(tab, "Confirm e-mail address");
    await tab.page.getByText("E-mail address confirmed.").waitFor();
    await tab.page.getByText(`${name}@example.org`).first().waitFor();
    await look("mail-settings");

    await tab.page.context().clearCookies();
    await go(tab, `${hub.url}/login`);
    await tab.page.getByRole("link", { name: "Forgot your password?" }).click();
    await field("Name or e-mail address").fill(`${name}@example.org`);
    await look("mail-forgot");
    await press(tab, "Send link");
    await tab.page.getByText("Check your e-mail").waitFor();
    await look("mail-forgot-sent");
    await go(tab, link(await mail.next()));
    await field("New password").fill(NEW);
    await press(tab, "Set password");
    await tab.page.getByText("Password set. Sign in with it.").waitFor();
    await mail.next();
    await field("Name or e-mail address").fill(`${name}@example.org`);
    await field("Password").fill(NEW);
    await look("mail-sign-in");
    await tab.page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
    await signedIn(tab, name);
    await tab.close();
  });
}
