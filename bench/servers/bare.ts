import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServerAdapter } from '@whatwg-node/server'
import { openLibsqlWorker } from '../../src/sql/libsql/worker.ts'
import { sql } from '../../src/sql/port.ts'

/** The same adapter with nothing on it: a constant at /constant, and the bare query of /v1/releases at /query. */
const db = await openLibsqlWorker({
  path: join(process.argv[2]!, '.service/service.db'),
  busyTimeoutMs: 5000,
  lockRetryMs: 0,
})
const constant = JSON.stringify({ status: 'ok', mutation_auth: 'loopback', read_auth: 'open' })
// Made anew for each answer: the adapter writes the length into it.
const init = (): ResponseInit => ({ headers: { 'content-type': 'application/json' } })
const adapter = createServerAdapter(async (request, _context, { Response }) => {
  if (request.url.endsWith('/constant')) return new Response(constant, init())
  const { rows } = await db.query(
    sql`SELECT release_id, agent_id, version, environment, checksum, created_at FROM releases ORDER BY seq DESC`,
  )
  return new Response(JSON.stringify({ releases: rows }), init())
})
const server = createServer(adapter)
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
