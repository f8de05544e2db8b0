import { refused } from '../errors.ts'
import type { Invocation } from './invocation.ts'
import { wholeNumber } from './invocation.ts'
import { stderrLog } from './main.ts'
import { readEnvironment } from '../runtime/environment.ts'
import { openServices } from '../runtime/context.ts'
import { startServer } from '../runtime/node.ts'

/** Serves until SIGTERM or SIGINT, then finishes what is under way. */
export async function serve({ options, io, version }: Invocation): Promise<number> {
  const host = options.text('host') ?? '127.0.0.1'
  const port = wholeNumber(options, 'port') ?? 8765
  if (port > 65_535) throw refused(`--port must be at most 65535 (it is ${port}).`)
  const environment = readEnvironment(io.env)
  const services = await openServices({ folder: io.cwd, environment, version, log: stderrLog(io) })
  const server = await startServer(services, { host, port })
  io.out(`svc ${version} listening on ${server.url}\n`)
  await new Promise<void>(resolve => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
  })
  await server.close()
  await services.sql.close()
  return 0
}
