// Scripted js-libp2p peer: reads one JSON command per line and writes one JSON response per line.
import { createInterface } from 'node:readline'
import { createHash } from 'node:crypto'

// On a stream reset by the remote side, js-libp2p rejects an internal promise that cannot be caught.
process.on("unhandledRejection", (reason) => {
  if (reason?.constructor?.name !== "StreamResetEvent") throw reason;
});

// Polyfill: js-libp2p needs this from Node 22; Node 20 lacks it.
Promise.withResolvers ??= function () {
  let resolve, reject
  const promise = new Promise((good, bad) => { resolve = good; reject = bad })
  return { promise, resolve, reject }
}

const { createLibp2p } = await import('libp2p')
const { tcp } = await import('@libp2p/tcp')
const { noise } = await import('@libp2p/noise')
const { yamux } = await import('@libp2p/yamux')
const { identify } = await import('@libp2p/identify')
const { ping } = await import('@libp2p/ping')
const { gossipsub } = await import('@libp2p/gossipsub')
const { kadDHT, passthroughMapper } = await import('@libp2p/kad-dht')
const { multiaddr } = await import('@multiformats/multiaddr')
const { peerIdFromString } = await import('@libp2p/peer-id')
const { CID } = await import('multiformats/cid')
const { decode } = await import('multiformats/hashes/digest')

const PATIENCE = 5_000
const RAW = 0x55

const node = await createLibp2p({
  addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
  transports: [tcp()],
  connectionEncrypters: [noise()],
  streamMuxers: [yamux()],
  connectionGater: { denyDialMultiaddr: () => false },
  services: {
    identify: identify(),
    ping: ping(),
    dht: kadDHT({ protocol: '/plexus/kad/1', clientMode: false, peerInfoMapper: passthroughMapper }),
    gossip: gossipsub({
      allowPublishToZeroTopicPeers: true,
      msgIdFn: message => createHash('sha256').update(message.data).digest()
    })
  }
})

const say = event => process.stdout.write(JSON.stringify(event) + '\n')
const cid = key => CID.createV1(RAW, decode(Buffer.from(key, 'hex')))
const errands = {
  async dial ({ address }) {
    await node.dial(multiaddr(address))
    return {}
  },
  // In a small network a DHT lookup does not end by itself, so both of these use a timeout.
  async provide ({ key }) {
    const events = node.services.dht.provide(cid(key), { signal: AbortSignal.timeout(PATIENCE) })
    let told = 0
    for await (const event of until(events)) {
      if (event.name === 'PEER_RESPONSE' && event.messageName === 'ADD_PROVIDER') told++
    }
    return { told }
  },
  async find ({ key, enough }) {
    const found = new Set()
    const events = node.services.dht.findProviders(cid(key), { signal: AbortSignal.timeout(PATIENCE) })
    for await (const event of until(events)) {
      if (event.name === 'PROVIDER') event.providers.forEach(({ id }) => found.add(id.toString()))
      if (found.size >= enough) break
    }
    return { found: [...found] }
  },
  async subscribe ({ topic }) {
    node.services.gossip.subscribe(topic)
    return {}
  },
  async publish ({ topic, data }) {
    const { recipients } = await node.services.gossip.publish(topic, Buffer.from(data, 'base64'))
    return { recipients: recipients.length }
  },
  // Sends raw bytes on a stream of `protocol` and returns the reply.
  async send ({ peer, protocol, data }) {
    const stream = await node.dialProtocol(peerIdFromString(peer), protocol)
    const reply = []
    try {
      stream.send(Buffer.from(data, 'base64'))
      const ended = stream.close()
      for await (const chunk of stream) reply.push(Buffer.from(chunk.subarray()))
      await ended
    } catch (error) {
      return { refused: error.message }
    }
    return { reply: Buffer.concat(reply).toString('base64') }
  }
}

async function * until (events) {
  try {
    yield * events
  } catch (error) {
    if (error.name !== 'AbortError' && error.name !== 'TimeoutError') throw error
  }
}

node.services.gossip.addEventListener('message', ({ detail }) =>
  say({ event: 'message', topic: detail.topic, data: Buffer.from(detail.data).toString('base64') }))

say({ event: 'ready', peer: node.peerId.toString(), addresses: node.getMultiaddrs().map(String) })
for await (const line of createInterface({ input: process.stdin })) {
  const errand = JSON.parse(line)
  errands[errand.do](errand).then(
    result => say({ event: 'done', id: errand.id, ...result }),
    error => say({ event: 'failed', id: errand.id, error: String(error) })
  )
}
process.exit(0)
