// Deploys what is promoted or rolled back to: WEBHOOK_SECRET=whsec_… PORT=9000 node receiver.mjs
// Subscribe it to all three, or a rollback leaves the bad release running:
//   svc webhook add --url http://127.0.0.1:9000/ --event promote.succeeded --event rollback.succeeded \
//     --event rollback.forced
import { createServer } from 'node:http'
import { verifyWebhook } from 'release-governance/sdk'

const { WEBHOOK_SECRET, PORT = '9000' } = process.env
if (!WEBHOOK_SECRET) {
  process.stderr.write('usage: WEBHOOK_SECRET=whsec_… [PORT=9000] node receiver.mjs\n')
  process.exit(1)
}

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

/** The events after which another release is live. */
const MOVED = new Set(['promote.succeeded', 'rollback.succeeded', 'rollback.forced'])
/** The newest decision about each environment of an agent, by audit_seq; a real receiver keeps these too. */
const standing = new Map()

function act({ event, audit_seq, data }) {
  const place = `${data.agent_id} in ${data.environment}`
  if (!MOVED.has(event)) {
    // Whoever asked wrote the reason: as JSON it moves no cursor.
    process.stdout.write(
      `${event}: ${data.release_id} in ${data.environment} (${JSON.stringify(data.reason)})\n`,
    )
  } else if (audit_seq < (standing.get(place) ?? 0)) {
    // It failed at first, and a later decision overtook it. Times don't tell: two decisions may have the same.
    process.stdout.write(`overtaken: ${data.release_id} in ${data.environment}\n`)
  } else {
    standing.set(place, audit_seq)
    process.stdout.write(`deploy ${data.release_id} to ${data.environment}\n`)
  }
}
