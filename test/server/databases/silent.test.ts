import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { workspaceConfig } from '../../../src/runtime/documents.ts'
import { readEnvironment } from '../../../src/runtime/environment.ts'
import { type OpenedServices, openServices } from '../../../src/runtime/node/open.ts'
import { temporaryFolder } from '../../support/databases/ledger.ts'
import { temporaryDatabase } from '../../support/databases/postgres.ts'
import { tamperingProxy } from '../../support/databases/servers/tampering_proxy.ts'

/** What opens a ledger, be it a server or `svc release promoted`, first asks for its schema. */

test('a libSQL server that never answers is given up in the time of a query', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as { port: number }
  await expect(open(`http://127.0.0.1:${port}?query_timeout=1`)).rejects.toMatchObject({
    kind: 'unavailable',
  })
})

test('a PostgreSQL that falls silent behind the login is given up in the time of a query', async () => {
  const proxy = await tamperingProxy(await temporaryDatabase())
  proxy.rewrite = chunk => {
    proxy.isSilent ||= chunk.includes('schema_migrations')
    return chunk
  }
  await expect(open(`${proxy.url}?query_timeout=1`)).rejects.toMatchObject({ kind: 'unavailable' })
})

function open(databaseUrl: string): Promise<OpenedServices> {
  return openServices({
    folder: temporaryFolder(),
    environment: readEnvironment({ SERVICE_DATABASE_URL: databaseUrl }),
    version: '0.0.0-test',
    log: () => {},
    workspace: workspaceConfig({}),
  })
}
