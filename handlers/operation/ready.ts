import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { unabandoned } from '../../src/sql/deadline.ts'
import { readClock } from '../../src/ledger/trail/clock.ts'
import { requireReady } from '../../src/ledger/health/ready.ts'

export default endpoint({
  route: 'GET /ready',
  access: 'open',
  scope: 'shared',
  unlimited: true,
  summary: 'Readiness',
  description:
    "200 when the ledger can be read and written, 503 with the reason when it can't. A server that only reads is ready when the ledger can be read. `warnings` reports a wrong clock of the server or the database.",
  answers: { 200: 'Ready' },
  answer: async function ready(_input, context) {
    await requireReady(context)
    const { warning } = await readClock(unabandoned(context, CLOCK_MS))
    return { status: 'ready', ...(warning === undefined ? {} : { warnings: [warning] }) }
  },
})

/** Whoever asks waits for seconds, ms. */
const CLOCK_MS = 5000
