// TCP proxy between browser and hub that drops the network: it cuts every connection, and for a while every new one.

import { once } from "node:events";
import { connect, createServer } from "node:net";

/** @param {number} port of the proxy @param {number} target port on loopback that it forwards to */
export async function startTcpProxy(port, target) {
  const proxy = new TcpProxy(target);
  proxy.server = createServer((near) => proxy.accept(near)).listen(port, "127.0.0.1");
  await once(proxy.server, "listening");
  return proxy;
}

class TcpProxy {
  #target;
  #open = new Set();
  #isDown = false;
  /** Connections that were cut. */
  cut = 0;

  constructor(target) {
    this.#target = target;
  }

  accept(near) {
    if (this.#isDown) return near.destroy();
    const far = connect(this.#target, "127.0.0.1");
    this.#open.add(near);
    for (const [one, other] of [[near, far], [far, near]]) {
      one.setNoDelay(true);
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
      one.pipe(other);
    }
    near.on("close", () => this.#open.delete(near));
  }

  /** Takes the network down. */
  drop() {
    this.#isDown = true;
    this.cut += this.#open.size;
    for (const near of this.#open) near.destroy();
  }

  restore() {
    this.#isDown = false;
  }

  async stop() {
    this.drop();
    this.server.close();
    await once(this.server, "close");
  }
}
