import { MIGRATIONS, PAGE_HEADERS, VERSION } from 'virtual:shipped'
import { FEATURES, identifyBy } from './features.ts'
import { type CatalogState, partsOf } from '../ledger/world/ledger.ts'
import { badRequest } from '../base/errors.ts'
import { accessControl } from '../http/access/access.ts'
import { type Reply, toResponse } from '../http/wire/message.ts'
import { keepLedger } from '../ledger/decide/keep_ledger.ts'
import { newMemo, newRemembered } from '../ledger/world/memo.ts'
import { NO_TALLY } from '../ledger/world/tally.ts'
import { signerOf } from '../rules/keys.ts'
import { type D1Like, openD1 } from '../sql/d1.ts'
import { newCommitQueue } from '../sql/commit_queue.ts'
import { openRemoteLibsql } from '../sql/libsql/remote.ts'
import { isRemoteUrl } from '../sql/libsql/remote_url.ts'
import { migrateIfBehind, shippedMigrations } from '../sql/migrate.ts'
import type { Migration, Sql } from '../sql/port.ts'
import { openPostgres } from '../sql/postgres/postgres.ts'
import { noWrite } from '../sql/write_health.ts'
import { answerer } from '../runtime/answer.ts'
import { inLargeParts } from '../runtime/worker/body.ts'
import { type Execution, closingAfter } from '../runtime/worker/closing.ts'
import { apiDescription } from '../runtime/description.ts'
import { parseCatalog, parseWorkspace } from '../runtime/documents.ts'
import { readEnvironment } from '../runtime/environment.ts'
import { serverLog } from '../runtime/log.ts'
import { flushOutbox } from '../runtime/outbox.ts'
import { headersFor, parseHeaders } from '../runtime/page_headers.ts'
import { fetchSender } from '../runtime/worker/send.ts'
import { MAX_BODY_BYTES, type Services, randomId } from '../runtime/services.ts'

/** The bindings, variables and secrets of the Worker; see wrangler.toml. */
export interface WorkerEnv {
  /** The ledger in D1, where no PostgreSQL is bound. */
  readonly DB?: D1Like
  /** The ledger in PostgreSQL. */
  readonly HYPERDRIVE?: { readonly connectionString: string }
  /** The web UI. */
  readonly ASSETS?: { fetch(request: Request): Promise<Response> }
  /** The text of service.yaml; all defaults where it is absent. */
  readonly SERVICE_CONFIG?: string
  readonly SERVICE_PRICING_CATALOG?: string
  readonly [name: string]: unknown
}

// oxlint-disable-next-line eslint/no-console -- that is how a Worker logs
const log = serverLog('json', text => console.log(text.trimEnd()), Date.now)
const answer = answerer(log)

/** Answers a request. There is no socket address here: without a token nobody may write. */
async function handle(request: Request, env: WorkerEnv, execution: Execution): Promise<Response> {
  let sql: Sql | undefined
  let filled: Services | undefined
  const later: (() => Promise<void>)[] = []
  const answered = answer(inLargeParts(request), { kind: 'unknown' }, async () => {
    sql = openLedger(env, execution)
    const services = await servicesOf(env, sql)
    return {
      ...services,
      outboxFilled: () => void (filled = services),
      afterwards: work => void later.push(work),
    }
  })
  // What it has a share of it gives back, though its client may be gone.
  execution.waitUntil(answered)
  const reply = await answered
  return toResponse(closingAfter(reply, () => finish(sql, filled, later), execution))
}

/** What a request leaves to do when it is answered. */
async function finish(
  sql: Sql | undefined,
  filled: Services | undefined,
  later: readonly (() => Promise<void>)[],
): Promise<void> {
  for (const work of later) {
    await work().catch((error: unknown) => log.log('warn', 'a background task failed', { error }))
  }
  if (filled !== undefined) await sendOutbox(filled)
  await sql?.close()
}

interface Scheduled {
  /** The minute that the trigger is for, epoch ms; it may come later. */
  readonly scheduledTime: number
}

/** The cron trigger: does what features do each minute, and sends what requests had no time for. */
async function scheduled({ scheduledTime }: Scheduled, env: WorkerEnv, execution: Execution): Promise<void> {
  const sql = openLedger(env, execution)
  try {
    const services = await servicesOf(env, sql)
    const triggers = await partsOf(services.features, 'trigger')
    for (const { first } of triggers) await first?.(services)
    await sendOutbox(services)
    await keep(services)
    for (const { last } of triggers) await last?.(services, { scheduledTime })
  } finally {
    await sql.close()
  }
}

/** What it can't do now, the next minute's trigger does. */
async function keep(services: Services): Promise<void> {
  try {
    await keepLedger(services, { version: VERSION, pace: batch => batch() })
  } catch (error) {
    log.log('warn', 'the upkeep of the ledger is postponed', { error })
  }
}

/** What is left behind the bound, or when this fails, the next minute's trigger sends. */
async function sendOutbox(services: Services): Promise<void> {
  try {
    await flushOutbox(services, { withinMs: OUTBOX_MS })
  } catch (error) {
    log.log('error', 'the outbox of webhooks cannot be sent', { error })
  }
}

/** `waitUntil` keeps a Worker for 30 s, and an attempt that has begun may take 5. */
const OUTBOX_MS = 20_000

/** An isolate never sees another configuration, so it reads it once. */
let isolate: Configured | undefined
/** Longer than the platform keeps a request whose client is gone. */
const remembered = newRemembered(60_000)

/** All that requests share. */
type Configured = Omit<Services, 'sql' | 'memo' | 'migrations'>

async function servicesOf(env: WorkerEnv, sql: Sql): Promise<Services> {
  // No request waits for what another one began: that one's client may go, and it would never end.
  isolate ??= await configure(env)
  migrated ??= await migrate(sql)
  return { ...isolate, sql, memo: newMemo(remembered), migrations: migrated }
}

async function configure(env: WorkerEnv): Promise<Configured> {
  const texts = Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const { tokens, signingKey, secret } = readEnvironment(Object.fromEntries(texts))
  const [workspace, catalog] = [await parseWorkspace(env.SERVICE_CONFIG ?? '', log.log), await catalogOf(env)]
  return {
    ...(signingKey === undefined ? {} : { signer: await signerOf(signingKey, 'SERVICE_SIGNING_KEY') }),
    workspace,
    features: FEATURES,
    tally: NO_TALLY,
    now: Date.now,
    elapsed: () => performance.now(),
    newId: randomId,
    log: log.log,
    catalog: async () => catalog,
    version: VERSION,
    access: accessControl(tokens, { identify: identifyBy(workspace) }),
    assets: path => asset(env, path),
    describe: apiDescription(VERSION),
    // An isolate may serve others meanwhile, but nothing here takes long enough to let them in.
    nextTurn: async () => {},
    maxBodyBytes: MAX_BODY_BYTES,
    secret,
    send: fetchSender({ denyPrivate: workspace.webhooks.deny_private }),
    outboxFilled: () => {},
    afterwards: () => {},
  }
}

async function catalogOf({ SERVICE_PRICING_CATALOG: text = '' }: WorkerEnv): Promise<CatalogState> {
  return text.trim() === '' ? { state: 'off' } : parseCatalog(text, 'SERVICE_PRICING_CATALOG')
}

/** A connection belongs to the request that opened it, so each request opens the ledger itself. */
function openLedger(env: WorkerEnv, execution: Execution): Sql {
  const { DB, HYPERDRIVE, SERVICE_DATABASE_URL: url, SERVICE_DATABASE_AUTH_TOKEN: token } = env
  if (HYPERDRIVE !== undefined) return openPostgres({ url: HYPERDRIVE.connectionString })
  if (typeof url === 'string' && url !== '') {
    if (!isRemoteUrl(url)) return openPostgres({ url })
    return openRemoteLibsql({ url, authToken: typeof token === 'string' ? token : undefined })
  }
  if (DB !== undefined) {
    return openD1(DB, { queue: commits, lastWrite, keepAlive: work => execution.waitUntil(work) })
  }
  throw badRequest(
    'There is no ledger: bind a D1 database as DB, or PostgreSQL as HYPERDRIVE, in wrangler.toml, or set SERVICE_DATABASE_URL.',
  )
}

let migrated: readonly Migration[] | undefined

async function migrate(sql: Sql): Promise<readonly Migration[]> {
  const migrations = shippedMigrations(sql, MIGRATIONS)
  await migrateIfBehind(sql, migrations, Date.now)
  return migrations
}

/** What the requests of this isolate write together, and when they last did. */
const commits = newCommitQueue()
const lastWrite = noWrite()

const PAGES = parseHeaders(PAGE_HEADERS)

/** A file of the web UI, with the headers that Node gives it: not every platform of Workers reads them itself. */
async function asset({ ASSETS }: WorkerEnv, path: string): Promise<Reply | undefined> {
  const file = path === '/' ? '/index.html' : path
  const found = await ASSETS?.fetch(new Request(new URL(file, 'https://assets.invalid')))
  if (found === undefined || found.status !== 200) return undefined
  const names = ['content-type', 'etag']
  const headers = names.flatMap(name => (found.headers.has(name) ? [[name, found.headers.get(name)!]] : []))
  return {
    status: 200,
    headers: { ...Object.fromEntries(headers), 'cache-control': 'no-cache', ...headersFor(file, PAGES) },
    body: new Uint8Array(await found.arrayBuffer()),
  }
}

export default { fetch: handle, scheduled }
