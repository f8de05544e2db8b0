import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { Miniflare, type MiniflareOptions } from 'miniflare'
import type { D1Like } from '../../../src/sql/d1.ts'
import { d1ByWorker } from '../databases/d1_by_worker.ts'
import type { Answer, CallOptions } from '../services/call.ts'
import { shared } from '../shared.ts'
import { sendRaw } from '../services/raw_http.ts'
import { d1Storage } from './d1_storage.ts'

export const COMPATIBILITY = { compatibilityDate: '2026-07-30', compatibilityFlags: ['nodejs_compat'] }

/** The Worker of the tests in a workerd of its own. */
export interface TestWorkerd {
  /** Sends it a request, such as `GET /health`. */
  readonly send: (route: string, options: CallOptions) => Promise<Answer>
  /** One of its D1 databases, for this process. */
  readonly d1: (name: string) => D1Like
  /** Puts an empty ledger into one that nobody has opened yet. */
  readonly migrate: (name: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** `databases` are names of D1 databases in which nothing is yet. */
export async function startWorkerd(
  databases: readonly string[],
  serviceBindings: NonNullable<MiniflareOptions['serviceBindings']> = {},
): Promise<TestWorkerd> {
  const { file } = await shared('testWorker')
  const storage = d1Storage()
  const miniflare = new Miniflare({
    ...COMPATIBILITY,
    modules: [{ type: 'ESModule', path: 'index.js', contents: readFileSync(file, 'utf8') }],
    serviceBindings,
    d1Databases: [...databases],
    d1Persist: storage.folder,
  } as MiniflareOptions)
  const url = (await miniflare.ready).origin
  // workerd closes a connection whose request body it did not read, and doesn't say so.
  const agent = new Agent({ keepAlive: false })
  const send: TestWorkerd['send'] = (route, options) => sendRaw(url, agent, route, options)
  return {
    send,
    d1: name => d1ByWorker(options => send('POST /', options), name),
    migrate: storage.migrate,
    close: async () => {
      agent.destroy()
      await miniflare.dispose()
      storage.remove()
    },
  }
}
