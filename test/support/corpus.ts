import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { normalise } from '../../tools/proofs/corpus/normalise.ts'
import type { Answer, Call, CallOptions } from './services/call.ts'

/** Where `npm run prove -- corpus` collects answers: a file per worker. */
const FOLDER = process.env.CORPUS_FOLDER

/** Whether this run records its answers. */
export const RECORDS = FOLDER !== undefined

type Write = (line: string) => void

let write: Write | undefined =
  FOLDER === undefined ? undefined : line => appendFileSync(join(FOLDER, `${process.pid}.jsonl`), `${line}\n`)
let known = new Set<string>()

/** Gives a test file its own answers, a JSON line each, until the returned function is called. */
export function recordTo(own: Write): () => void {
  const before = { write, known }
  write = own
  known = new Set()
  return () => ({ write, known } = before)
}

/** Records a request with its answer; `ledger` is a read at the end of a test. */
export function recordAnswer(
  kind: 'request' | 'ledger',
  route: string,
  options: CallOptions = {},
  answer: Answer,
): void {
  if (write === undefined) return
  const { body, query, headers, peer } = options
  const sent = body instanceof Uint8Array ? Buffer.from(body).toString('base64') : body
  const named = [...answer.headers].filter(([name]) => !LEFT_OUT.has(name)).map(pair => pair.join(': '))
  const question = [
    route,
    ...[query, headers, peer, sent].map(part => (part === undefined ? '' : textOf(part))),
  ]
  record(kind, question.join(' ').trimEnd(), [answer.status, ...named, answer.text].join('\n'), false)
}

/** Records a command, and what was set for it, with what it printed and its exit code. */
export function recordCommand(
  args: readonly string[],
  settings: object,
  {
    code,
    stdout,
    stderr,
  }: { readonly code: number | null; readonly stdout: string; readonly stderr: string },
): void {
  if (write === undefined) return
  record(
    'command',
    `svc ${args.join(' ')} ${textOf(settings)}`,
    `${code}\n${stdout}\nstderr: ${stderr}`,
    true,
  )
}

/** Records the ledger of a test when it is over: the public reads, and the replays of its newest decisions. */
export function recordLedger(call: Call): void {
  if (write === undefined || expect.getState().currentTestName === undefined) return
  onTestFinished(async () => {
    for (const route of READS) recordAnswer('ledger', route, {}, await call(route as 'GET /v1/promoted'))
    const { body } = await call('GET /v1/actions')
    for (const { action_id } of body.actions?.slice(0, REPLAYED) ?? []) {
      const route = `GET /v1/actions/${action_id}/explain` as const
      recordAnswer('ledger', route, {}, await call(route))
    }
  })
}

/** Headers that differ each time, or follow from the body. */
const LEFT_OUT = new Set(['date', 'content-length', 'etag', 'keep-alive', 'connection'])

// Not the board: it renews places only as long as its time lasts.
const READS = [
  'releases',
  'promoted',
  'actions',
  'audit',
  'policy',
  'pricing',
  'promotion-requests',
  'rollouts',
  'watches',
  'webhooks',
  'tokens',
  'retirements',
].map(name => `GET /v1/${name}`)

const REPLAYED = 20

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function record(kind: string, question: string, answer: string, hasTimes: boolean): void {
  const line = JSON.stringify([kind, ...normalise(question, answer, hasTimes)])
  if (known.has(line)) return
  known.add(line)
  write?.(line)
}
