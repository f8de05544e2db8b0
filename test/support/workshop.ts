import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import type { TestPostgres } from './databases/postgres_server.ts'
import type { Packed } from './processes/packer.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where `shared` asks. */
    readonly workshop: string
  }
}

/** Files that hold what is made, and what else is to be known of it. */
export interface Shared {
  readonly package: Packed
  /** The bundle of the Worker as it is deployed. */
  readonly worker: { readonly file: string }
  /** The bundle of the Worker of the tests. */
  readonly testWorker: { readonly file: string }
  /** A SQLite ledger after the migrations. */
  readonly emptyLedger: { readonly file: string }
  readonly postgres: TestPostgres
  /** Where Playwright finds a Chromium. */
  readonly browser: { readonly endpoint: string }
}

/** Each imports what it needs on its first use: most runs of a few files need none of it. */
function makers(
  folder: string,
  atEnd: (() => Promise<void>)[],
): { [K in keyof Shared]: () => Promise<Shared[K]> } {
  const written = (name: string, content: string): { file: string } => {
    const file = join(folder, name)
    writeFileSync(file, content)
    return { file }
  }
  return {
    package: async () => (await import('./processes/packer.ts')).pack(folder),
    worker: async () => written('worker.js', await (await import('../../tools/worker.ts')).buildWorker()),
    testWorker: async () => {
      const { buildWorker } = await import('../../tools/worker.ts')
      return written(
        'test_worker.js',
        await buildWorker(fileURLToPath(new URL('workers/entry.ts', import.meta.url))),
      )
    },
    emptyLedger: async () => {
      const file = join(folder, 'empty.db')
      await (await import('./databases/empty_ledger.ts')).writeEmptyLedger(file)
      return { file }
    },
    postgres: async () => {
      const [server, end] = await (await import('./databases/postgres_server.ts')).startPostgres()
      atEnd.push(end)
      return server
    },
    browser: async () => {
      const server = await (await import('./browser/browser.ts')).serveBrowser()
      atEnd.push(() => server.close())
      return { endpoint: server.wsEndpoint() }
    },
  }
}

/** Makes what all test files of a run share when the first of them asks for it. Vitest calls it. */
export default async function startWorkshop(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-shared-'))
  const atEnd: (() => Promise<void>)[] = []
  const make = makers(folder, atEnd)
  const made = new Map<string, Promise<unknown>>()
  const server = createServer((request, response) => void answer(request.url!.slice(1), response))
  async function answer(name: string, response: ServerResponse): Promise<void> {
    try {
      if (!made.has(name)) made.set(name, make[name as keyof Shared]())
      response.end(JSON.stringify(await made.get(name)))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  project.provide('workshop', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.closeAllConnections()
    server.close()
    await Promise.allSettled(made.values())
    await Promise.all(atEnd.map(end => end()))
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
