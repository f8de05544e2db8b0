import { list } from '../../cli/service/run.ts'
import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import type { Invocation } from '../../cli/arguments/command.ts'
import { callJson } from '../../cli/service/api.ts'
import { timeColumn } from '../../cli/terminal/table.ts'
import { counted, pretty, safe } from '../../cli/terminal/text.ts'
import { badRequest } from '../../base/errors.ts'
import { HOUR_MS } from '../../base/time.ts'
import { jsonOf } from '../../base/text.ts'
import { reasonOf } from '../../runtime/node/files.ts'
import type { AggregatesImported } from './models.ts'
import { ANSWER } from '../../cli/arguments/options.ts'
import { commands } from '../../cli/arguments/records.ts'

/** Of one request: the service takes 16 MiB and 100,000 aggregates. */
const MOST_BYTES = 12_000_000
const MOST_AGGREGATES = 90_000

/** `svc aggregates …` */
export const COMMANDS = commands({
  'aggregates import <FILE>': {
    summary: 'Import aggregates from a warehouse (JSON lines; - reads stdin)',
    options: {
      '--allow-fewer': 'Accept fewer runs than were imported before; needs --reason',
      '--reason <TEXT>': 'Why; recorded in the audit log',
      ...ANSWER,
    },
    example: 'clickhouse-client --queries-file aggregates.sql | svc aggregates import -',
    run: importFile,
  },
  'aggregates sources': {
    summary: 'List sources of aggregates, and when each was last complete',
    options: ANSWER,
    example: 'svc aggregates sources',
    run: list(
      'GET /v1/aggregates/sources',
      'sources',
      [
        { heading: 'source', cell: row => row.source, whole: true },
        { heading: 'engine', cell: row => row.engine },
        timeColumn('covered until', row => row.covered_until),
        timeColumn('as of', row => row.as_of),
        { heading: 'releases', cell: row => row.releases, right: true },
        { heading: 'imports', cell: row => row.imports, right: true },
        { heading: 'query', cell: row => row.query_sha256.slice(0, 12), rank: 9 },
        { heading: 'runs at', cell: row => row.run_url ?? '', rank: 10 },
      ],
      { empty: 'no aggregates were imported yet; `svc docs aggregates` says how' },
    ),
  },
})

/** Sends a file of aggregates, some hours a request: after an interruption the same command goes on. */
async function importFile({ args, options, io, api }: Invocation): Promise<number> {
  const path = args[0]!
  const hours = new Map<number, string[]>()
  const header = await readHours(path, io, hours)
  const opened = await api()
  const query = {
    ...(options.flag('allow-fewer') === true ? { allow_fewer: true } : {}),
    ...(options.text('reason') === undefined ? {} : { reason: options.text('reason') }),
  }
  const imported: AggregatesImported[] = []
  for (const { covers, lines } of requestsOf(header, hours)) {
    const bodyText = [JSON.stringify({ ...header, covers }), ...lines].join('\n')
    imported.push(await callJson(opened, 'POST /v1/aggregates', { query, bodyText }))
  }
  const sum = (of: 'aggregates' | 'runs' | 'hours' | 'replaced' | 'removed' | 'stale') =>
    imported.reduce((total, one) => total + one[of], 0)
  io.out(
    options.json
      ? pretty({ imports: imported })
      : `${counted(sum('aggregates'), 'aggregate')} of ${counted(sum('runs'), 'run')} from ${safe(String(header.source))}: ` +
          `${counted(sum('hours'), 'hour')} written, ${sum('replaced')} aggregates replaced, ${sum('removed')} removed` +
          `${sum('stale') === 0 ? '' : `, ${counted(sum('stale'), 'hour')} known as of later`}\n`,
  )
  return 0
}

interface Header extends Readonly<Record<string, unknown>> {
  readonly covers: { readonly from_ms: number; readonly to_ms: number }
}

/** Lines by their hour; what is no aggregate goes along with the first, where the service says what is wrong with it. */
async function readHours(path: string, io: Invocation['io'], hours: Map<number, string[]>): Promise<Header> {
  const raw = path === '-' ? io.stdin : createReadStream(resolve(io.cwd, path))
  const input = path.endsWith('.gz') ? raw.pipe(createGunzip()) : raw
  let header: Header | undefined
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      if (line.trim() === '') continue
      const value = jsonOf(line) as Record<string, unknown> | undefined
      if (header === undefined) {
        header = value as Header | undefined
        const { from_ms, to_ms } = (header?.covers ?? {}) as Partial<Header['covers']>
        if (!Number.isSafeInteger(from_ms) || !Number.isSafeInteger(to_ms))
          throw badRequest(
            `${path}: the first line must be a header with what the aggregates cover (svc docs aggregates).`,
          )
        continue
      }
      const hour = Math.floor(Number(value?.at_ms) / HOUR_MS) || 0
      const lines = hours.get(hour)
      if (lines === undefined) hours.set(hour, [line])
      else lines.push(line)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    throw badRequest(`${path} can't be read: ${reasonOf(error as NodeJS.ErrnoException)}.`, error)
  }
  if (header === undefined) throw badRequest(`${path} is empty: it has no header.`)
  return header
}

function* requestsOf({ covers }: Header, hours: ReadonlyMap<number, readonly string[]>) {
  const { from_ms, to_ms } = covers
  let [from, bytes, lines] = [from_ms, 0, [] as string[]]
  for (const hour of [...hours.keys()].sort((a, b) => a - b)) {
    const own = hours.get(hour)!
    const size = own.reduce((sum, line) => sum + line.length + 1, 0)
    const start = hour * HOUR_MS
    if (
      lines.length > 0 &&
      start > from &&
      (bytes + size > MOST_BYTES || lines.length + own.length > MOST_AGGREGATES)
    ) {
      yield { covers: { from_ms: from, to_ms: start }, lines }
      from = start
      bytes = 0
      lines = []
    }
    bytes += size
    lines.push(...own)
  }
  yield { covers: { from_ms: from, to_ms }, lines }
}
