import { openServices } from '../../src/runtime/node/open.ts'
import { readEnvironment } from '../../src/runtime/environment.ts'
import { serverLog } from '../../src/runtime/log.ts'
import { keepHeapSmall } from '../../src/runtime/node/heap.ts'
import { startServer } from '../../src/runtime/node/server.ts'
import { runOutbox } from '../../src/runtime/outbox.ts'
import { workspaceConfig } from '../../src/runtime/documents.ts'

/**
 * The service as `svc serve` runs it, without request logs, on a ledger in the given folder or the given database.
 * Asked by its parent, it says what it has used.
 */
keepHeapSmall()
const log = serverLog('off', () => {}, Date.now)
const services = await openServices({
  folder: process.argv[2]!,
  environment: readEnvironment({ SERVICE_DATABASE_URL: process.argv[3] }),
  version: '0.0.0',
  log: log.log,
  ownThread: true,
  workspace: workspaceConfig({}),
})
const outboxFilled = runOutbox(services).wake
const server = await startServer(async () => ({ ...services, outboxFilled }), {
  host: '127.0.0.1',
  port: 0,
  log,
})
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send!({ cpuSeconds: (user + system) / 1e6, rssMb: process.memoryUsage.rss() / 2 ** 20 })
})
process.stdout.write(`${server.url}\n`)
