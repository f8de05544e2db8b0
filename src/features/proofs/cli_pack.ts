import { type WriteStream, createWriteStream, existsSync } from 'node:fs'
import { readFile, rename, rm } from 'node:fs/promises'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { Zip, ZipDeflate } from 'fflate'
import { ServiceError, badRequest } from '../../base/errors.ts'
import { base64 } from '../../base/bytes.ts'
import { isoTime, parseDateOrTimestamp } from '../../base/time.ts'
import type { AuditEntry } from '../../models/answers/audit.ts'
import type { AuditCheckpoint } from './models.ts'
import { openPart, reasonOf } from '../../runtime/node/files.ts'
import { ROOT_PATH } from '../../runtime/root.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import { safe } from '../../cli/terminal/text.ts'
import { entriesUpTo, verifiedEntries } from './cli_entries.ts'
import { levelsOf } from './cli_growing_log.ts'
import { FORMAT, line, signedHere, signerFor } from './cli_prove.ts'
import { parseWindow } from '../../rules/window.ts'
import { type Hash, inclusionPath } from './rules_merkle.ts'
import { type PackDecision, decisionsCsv, packDecision, packText } from './rules_pack.ts'
import { PackChoice } from './rules_pack_choice.ts'
import type { PackEntry } from './rules_pack_entry.ts'

/** Writes what an auditor needs of the log since a time: answers, entries with proofs, and programs that check these. */
export async function pack(invocation: Invocation): Promise<number> {
  const { args, options, io, api } = invocation
  const name = args[0]!
  const typed = options.required('since')
  const path = resolve(io.cwd, name)
  if (existsSync(path)) throw badRequest(`${name} exists already; choose another name.`)
  const signer = await signerFor(invocation)
  const opened = await api()
  const made = await callJson(opened, 'GET /v1/audit/checkpoint')
  const since = sinceOf(typed, Date.parse(made.time))
  if (since.ms > Date.parse(made.time)) {
    throw badRequest(`--since ${typed} is in the future: by the service's clock it is ${made.time}.`)
  }
  const { choice, levels, newest } = await readLog(opened, made, since.ms)
  if (choice.span.length === 0) {
    throw badRequest(
      `The audit log has no entry since ${typed}: the newest is of ${newest}. Choose an earlier --since.`,
    )
  }
  const isSigned = made.signed || signer !== undefined
  const written = {
    made,
    note: await signedHere(made.note, signer),
    isSigned,
    since: since.text,
    choice,
    levels,
  }
  await writeZip(name, path, filesOf(opened, written))
  const earlier = choice.earlier().length
  io.out(`${safe(name)}: ${choice.span.length} entries since ${since.text}, ${earlier} earlier\n`)
  if (!isSigned)
    io.err(
      'svc: the checkpoint is not signed; sign it with --sign KEY or a server with SERVICE_SIGNING_KEY\n',
    )
  return 0
}

/** A day, a time, or how long before `now` (epoch ms). */
function sinceOf(typed: string, now: number): { readonly ms: number; readonly text: string } {
  const at = parseDateOrTimestamp(typed)
  if (at !== undefined) return at
  const window = parseWindow(typed, now)
  if (typeof window !== 'string') return { ms: window.since, text: isoTime(window.since) }
  throw badRequest(
    `--since must be a day, a time or how long ago, such as 2026-01-31, 2026-01-31T12:00:00Z or 90d (it is '${typed}').`,
  )
}

interface PackRead {
  readonly choice: PackChoice
  readonly levels: readonly (readonly Hash[])[]
  /** Time of the last entry. */
  readonly newest: string
}

/** Reads the whole log. */
async function readLog(api: Api, made: AuditCheckpoint, since: number): Promise<PackRead> {
  const [choice, leaves] = [new PackChoice(since), [] as Hash[]]
  let newest = ''
  for await (const verified of verifiedEntries(api, made)) {
    leaves.push(...verified.leaves)
    for (const entry of verified.page) choice.add(recordOf(entry))
    newest = verified.page.at(-1)?.created_at ?? newest
  }
  return { choice, levels: levelsOf(leaves), newest }
}

function recordOf({ record_json }: Pick<AuditEntry, 'record_json'>): PackEntry {
  return JSON.parse(record_json) as PackEntry
}

interface Pack extends Omit<PackRead, 'newest'> {
  readonly made: AuditCheckpoint
  readonly note: string
  readonly isSigned: boolean
  readonly since: string
}

/** A file of the pack by its name, in pieces. */
type File = readonly [name: string, pieces: AsyncIterable<string> | Iterable<string>]

async function* filesOf(
  api: Api,
  { made, note, isSigned, since, choice, levels }: Pack,
): AsyncGenerator<File> {
  const [{ span }, earlier] = [choice, choice.earlier()]
  const reviews = span.filter(({ kind }) => kind === 'action.reviewed')
  const decisions: PackDecision[] = []
  let policy: string | null = null
  yield ['entries.jsonl', bundle()]
  const { origin, size, time: until } = made
  yield ['answers.txt', [packText({ origin, size, since, until, isSigned, span, earlier, decisions })]]
  yield ['decisions.csv', [decisionsCsv(decisions)]]
  for (const verifier of ['verify.py', 'verify.html']) {
    yield [verifier, [await readFile(join(ROOT_PATH, 'examples/verify', verifier), 'utf8')]]
  }

  async function* bundle(): AsyncGenerator<string> {
    yield line({ format: FORMAT, checkpoint: note })
    for (const { log_seq } of earlier) {
      for await (const page of entriesUpTo(api, log_seq, { facts: true, after: log_seq - 1 }))
        yield* lines(page)
    }
    for await (const page of entriesUpTo(api, made.size, { facts: true, after: span[0]!.log_seq - 1 }))
      yield* lines(page)
  }

  async function* lines(page: readonly AuditEntry[]): AsyncGenerator<string> {
    for (const { log_seq, kind, record_json, fact_text: fact } of page) {
      const path = await inclusionPath(hashOf, log_seq - 1, made.size)
      if (kind === 'policy.set') policy = recordOf({ record_json }).fact
      if (kind === 'decision' && log_seq >= span[0]!.log_seq)
        decisions.push(packDecision(recordOf({ record_json }), fact ?? null, reviews, policy))
      yield line({ log_seq, entry: record_json, ...(fact == null ? {} : { fact }), proof: path.map(base64) })
    }
  }

  /** Of leaves that are a subtree, or the rest of the tree at its end. */
  async function hashOf(from: number, to: number): Promise<Hash> {
    const level = Math.ceil(Math.log2(to - from))
    return levels[level]![from / 2 ** level]!
  }
}

/** Every file has this time, so that the same entries are the same bytes. */
const MTIME = new Date(1980, 0, 1)

/** Writes a ZIP file, or leaves nothing. */
async function writeZip(name: string, path: string, files: AsyncIterable<File>): Promise<void> {
  const part = `${path}.part`
  let out: WriteStream | undefined
  try {
    out = createWriteStream('', { fd: await openPart(part) })
    const to = out
    let failure: Error | undefined
    to.on('error', error => (failure = error))
    const zip = new Zip((error, chunk) => {
      if (error !== null) failure = error
      else to.write(chunk)
    })
    for await (const [file, pieces] of files) {
      const deflated = new ZipDeflate(file, { level: 6 })
      deflated.mtime = MTIME
      zip.add(deflated)
      for await (const piece of pieces) {
        deflated.push(Buffer.from(piece))
        if (to.writableNeedDrain) await once(to, 'drain')
      }
      deflated.push(new Uint8Array(0), true)
    }
    zip.end()
    to.end()
    await once(to, 'close')
    if (failure !== undefined) throw failure
    await rename(part, path)
  } catch (error) {
    out?.destroy()
    await rm(part, { force: true })
    if (error instanceof ServiceError || (error as NodeJS.ErrnoException).code === undefined) throw error
    throw badRequest(`${name} can't be written: ${reasonOf(error as NodeJS.ErrnoException)}.`, error)
  }
}
