// Receives webhooks and acts on promotions: WEBHOOK_SECRET=whsec_… PORT=9000 node receiver.mjs
// Subscribe it with: svc webhook add --url http://127.0.0.1:9000/ --event promote.succeeded --event promote.blocked
import { createServer } from 'node:http'
import { verifyWebhook } from 'release-governance/sdk'

const { WEBHOOK_SECRET, PORT = '9000' } = process.env
/** A delivery may come more than once; a real receiver keeps these in its database. */
const seen = new Set()

const server = createServer(async (incoming, outgoing) => {
  outgoing.statusCode = await receive(incoming)
  outgoing.end()
})
server.listen(Number(PORT), '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}/\n`)
})

/** Answers quickly: the service waits five seconds, and then tries again. */
async function receive(incoming) {
  let delivery
  try {
    const body = Buffer.concat(await incoming.toArray())
    const headers = new Headers(
      Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    )
    delivery = await verifyWebhook(
      new Request('http://receiver/', { method: 'POST', headers, body }),
      WEBHOOK_SECRET,
    )
  } catch (error) {
    process.stderr.write(`refused: ${error.message}\n`)
    return 401
  }
  if (!seen.has(delivery.delivery_id)) {
    seen.add(delivery.delivery_id)
    act(delivery)
  }
  return 204
}

function act({ event, data }) {
  if (event === 'promote.succeeded')
    process.stdout.write(`deploy ${data.release_id} to ${data.environment}\n`)
  else process.stdout.write(`${event}: ${data.release_id} in ${data.environment} (${data.reason})\n`)
}
