import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { type Scenario, median } from '../harness.ts'
import { benchEvent, benchRelease, servedLedger } from '../ledger.ts'
import { sendAll, startBenchServer } from '../load.ts'
import { ROOT } from '../../src/runtime/root.ts'

const SVC = fileURLToPath(new URL('bin/svc.cjs', ROOT))
const ROUNDS = 5
const PER_REQUEST = 500
const CLIENTS = 4

/** `svc runs ingest` against HTTP ingest of as many events, on ledgers that grow alike. */
export const fileScenario: Scenario = {
  name: 'file',
  about: `svc runs ingest of a file, against POST /v1/events by ${CLIENTS} clients, in ${ROUNDS} rounds`,
  run: async ({ quick, size }, report) => {
    const lines = quick ? 1000 : Math.min(size, 5_000_000) / ROUNDS
    const folders = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'svc-bench-'))))
    const [own, served] = folders as [string, string]
    try {
      const releases = [await emptyLedger(own), await emptyLedger(served)] as const
      const server = await startBenchServer('service', served)
      const rates: { readonly file: number; readonly http: number }[] = []
      for (let round = 0; round < (quick ? 1 : ROUNDS); round++) {
        const from = round * lines
        const path = join(own, 'events.jsonl')
        await pipeline(Readable.from(linesOf(releases[0], from, lines)), createWriteStream(path))
        const file = lines / (await ingestFile(own, path))
        const bodies = Array.from(bodiesOf(releases[1], from, lines))
        const http = lines / (await sendAll([`${server.url}/v1/events`], bodies, CLIENTS))
        rates.push({ file, http })
      }
      await server.stop()
      const label = `svc runs ingest, ${lines.toLocaleString('en-US')} lines`
      const value = median(rates.map(({ file }) => file))
      report({ scenario: 'file', what: label, value, unit: 'events/s' })
      report({
        scenario: 'file',
        what: `${label} / HTTP`,
        value: median(rates.map(({ file, http }) => file / http)),
        unit: 'x',
        target: { atLeast: 0.8 },
      })
    } finally {
      await Promise.all(folders.map(folder => rm(folder, { recursive: true, force: true })))
    }
  },
}

async function emptyLedger(folder: string): Promise<string> {
  await writeFile(join(folder, 'service.yaml'), 'default_environment: local\n')
  const { services, close } = await servedLedger(folder)
  const release = await benchRelease(services, '1')
  await close()
  return release
}

function* linesOf(release: string, from: number, count: number): Generator<string> {
  for (let index = from; index < from + count; index++) yield `${eventText(release, index)}\n`
}

function* bodiesOf(release: string, from: number, count: number): Generator<string> {
  for (let start = from; start < from + count; start += PER_REQUEST) {
    const events = Array.from({ length: PER_REQUEST }, (_, offset) => eventText(release, start + offset))
    yield `{"events":[${events.join(',')}]}`
  }
}

const STARTED_AT = Date.now()

function eventText(release: string, index: number): string {
  return JSON.stringify(benchEvent(release, index, STARTED_AT + index))
}

/** Seconds that the command takes, its start-up included. */
async function ingestFile(folder: string, path: string): Promise<number> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [SVC, 'runs', 'ingest', path], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = (await once(child, 'exit')) as [number]
  if (code !== 0) throw new Error(`svc runs ingest ended with ${code}`)
  return (performance.now() - startedAt) / 1000
}
