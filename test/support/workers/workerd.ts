import { Agent } from 'node:http'
import { fileURLToPath } from 'node:url'
import { Miniflare, type MiniflareOptions } from 'miniflare'
import { buildWorker } from '../../../tools/worker.ts'
import type { D1Like } from '../../../src/sql/d1.ts'
import { d1ByWorker } from '../databases/d1_by_worker.ts'
import type { Answer, CallOptions } from '../services/call.ts'
import { sendRaw } from '../services/raw_http.ts'

export const COMPATIBILITY = { compatibilityDate: '2026-07-30', compatibilityFlags: ['nodejs_compat'] }

/** The Worker of the tests in a workerd of its own. */
export interface TestWorkerd {
  /** Sends it a request, such as `GET /health`. */
  readonly send: (route: string, options: CallOptions) => Promise<Answer>
  /** One of its D1 databases, for this process. */
  readonly d1: (name: string) => D1Like
  readonly close: () => Promise<void>
}

/** `databases` are names of D1 databases in which nothing is yet. */
export async function startWorkerd(
  databases: readonly string[],
  serviceBindings: NonNullable<MiniflareOptions['serviceBindings']> = {},
): Promise<TestWorkerd> {
  const contents = await buildWorker(fileURLToPath(new URL('entry.ts', import.meta.url)))
  const miniflare = new Miniflare({
    ...COMPATIBILITY,
    modules: [{ type: 'ESModule', path: 'index.js', contents }],
    serviceBindings,
    d1Databases: Object.fromEntries(databases.map(name => [name, name])),
  } as MiniflareOptions)
  const url = (await miniflare.ready).origin
  // workerd closes a connection whose request body it did not read, and doesn't say so.
  const agent = new Agent({ keepAlive: false })
  const send: TestWorkerd['send'] = (route, options) => sendRaw(url, agent, route, options)
  return {
    send,
    d1: name => d1ByWorker(options => send('POST /', options), name),
    close: async () => {
      agent.destroy()
      await miniflare.dispose()
    },
  }
}
