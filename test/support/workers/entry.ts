import { FEATURES, identifyBy } from '../../../src/entry/features.ts'
import { MIGRATIONS } from 'virtual:shipped'
import { accessControl } from '../../../src/http/access/access.ts'
import { toResponse } from '../../../src/http/wire/message.ts'
import { answerer } from '../../../src/runtime/answer.ts'
import { apiDescription } from '../../../src/runtime/description.ts'
import { serverLog } from '../../../src/runtime/log.ts'
import { type Remembered, newMemo, newRemembered } from '../../../src/ledger/world/memo.ts'
import { NO_TALLY } from '../../../src/ledger/world/tally.ts'
import { type Execution, closingAfter } from '../../../src/runtime/worker/closing.ts'
import { type CommitQueue, newCommitQueue } from '../../../src/sql/commit_queue.ts'
import { type LastWrite, noWrite } from '../../../src/sql/write_health.ts'
import { type D1Like, openD1 } from '../../../src/sql/d1.ts'
import { shippedMigrations } from '../../../src/sql/migrate.ts'
import type { Sql } from '../../../src/sql/port.ts'
import { isRemoteUrl } from '../../../src/sql/libsql/remote_url.ts'
import { openRemoteLibsql } from '../../../src/sql/libsql/remote.ts'
import { openPostgres } from '../../../src/sql/postgres/postgres.ts'
import { runRequest } from '../databases/d1_by_worker.ts'
import { D1_HEADER, LOGGED_HEADER, NEXT_ID_HEADER, SETTINGS_HEADER, type Settings } from './settings.ts'

type Bindings = Record<string, D1Like> & { readonly RECEIVER: { fetch: typeof fetch } }

const answer = answerer(serverLog('off', () => {}, Date.now))
const describe = apiDescription('0.0.0-test')

/** The Worker of the tests. */
export default {
  async fetch(request: Request, env: Bindings, execution: Execution): Promise<Response> {
    const binding = request.headers.get(D1_HEADER)
    if (binding !== null) return runRequest(env[binding]!, request)
    const settings = JSON.parse(decodeURIComponent(request.headers.get(SETTINGS_HEADER)!)) as Settings
    const logged: unknown[] = []
    const sql = {
      ...open(env, settings.ledger, execution),
      clock: { text: String(settings.databaseNow), params: [] },
    }
    let ids = settings.firstId
    const later: (() => Promise<void>)[] = []
    const reply = await answer(request, settings.peer, async () => ({
      sql,
      workspace: settings.workspace,
      memo: newMemo(rememberedBy(settings)),
      features: FEATURES,
      tally: NO_TALLY,
      now: () => settings.now,
      elapsed: () => performance.now() + settings.databaseNow,
      newId: prefix => prefix + (ids++).toString(16).padStart(12, '0'),
      log: (level, message, fields) => void logged.push({ level, message, fields }),
      catalog: async () => settings.catalog,
      version: '0.0.0-test',
      migrations: shippedMigrations(sql, MIGRATIONS),
      access: accessControl(settings.tokens, { identify: identifyBy(settings.workspace) }),
      assets: async () => undefined,
      describe,
      nextTurn: async () => {},
      maxBodyBytes: settings.maxBodyBytes,
      secret: () => undefined,
      send: async outgoing => {
        const url = `http://receiver/${settings.service}`
        return (await env.RECEIVER.fetch(url, { method: 'POST', body: JSON.stringify(outgoing) })).json()
      },
      outboxFilled: () => {},
      afterwards: work => void later.push(work),
    }))
    const response = toResponse(closingAfter(reply, () => finish(sql, later), execution))
    response.headers.set(NEXT_ID_HEADER, String(ids))
    response.headers.set(LOGGED_HEADER, encodeURIComponent(JSON.stringify(logged)))
    return response
  },
}

async function finish(sql: Sql, later: readonly (() => Promise<void>)[]): Promise<void> {
  for (const work of later) await work()
  await sql.close()
}

/** What the Worker keeps across requests, by ledger and service: here one has many. */
const known = new Map<string, Remembered>()

function rememberedBy({ ledger, service }: Settings): Remembered {
  const key = `${ledger} ${service}`
  const made = known.get(key) ?? newRemembered()
  known.set(key, made)
  return made
}

function open(env: Bindings, ledger: string, execution: Execution): Sql {
  if (ledger in env) {
    return openD1(env[ledger]!, { ...togetherOf(ledger), keepAlive: work => execution.waitUntil(work) })
  }
  return isRemoteUrl(ledger) ? openRemoteLibsql({ url: ledger }) : openPostgres({ url: ledger })
}

const together = new Map<string, { readonly queue: CommitQueue; readonly lastWrite: LastWrite }>()

function togetherOf(ledger: string) {
  const made = together.get(ledger) ?? { queue: newCommitQueue(), lastWrite: noWrite() }
  together.set(ledger, made)
  return made
}
