// Mail server (SMTP, RFC 5321) on loopback that keeps the messages it gets.

import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";

/** Starts a server. `next()` waits for the next message: `{ to, text }`. */
export async function startMailServer() {
  const received = [];
  const waiting = [];
  const deliver = (mail) => (waiting.length > 0 ? waiting.shift()(mail) : received.push(mail));
  const server = createServer((socket) => serve(socket, deliver));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `smtp://127.0.0.1:${server.address().port}`,
    next: () => (received.length > 0 ? received.shift() : new Promise((resolve) => waiting.push(resolve))),
    stop: () => server.close(),
  };
}

async function serve(socket, deliver) {
  socket.on("error", () => {});
  socket.write("220 mail.example ESMTP\r\n");
  let to = "";
  let text;
  for await (const line of createInterface({ input: socket })) {
    if (text !== undefined) {
      if (line !== ".") {
        text += `${line}\n`;
        continue;
      }
      deliver({ to, text: text.replaceAll("=\n", "").replaceAll("=3D", "=") });
      text = undefined;
    } else if (/^RCPT TO:/i.test(line)) {
      to = line.match(/<(.*)>/)[1];
    } else if (/^DATA/i.test(line)) {
      text = "";
      socket.write("354 go on\r\n");
      continue;
    } else if (/^QUIT/i.test(line)) {
      socket.end("221 bye\r\n");
      return;
    }
    socket.write("250 ok\r\n");
  }
}

/** Returns the link in a message. */
export function link(mail) {
  return mail.text.match(/http:\/\/\S+/)[0];
}
