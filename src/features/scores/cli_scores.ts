import { createHash } from 'node:crypto'
import { badRequest } from '../../base/errors.ts'
import type { ScoreImport } from '../../models/documents/scores.ts'
import type { Report } from './rules_case.ts'
import { SCORE_FORMATS } from './rules_formats.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { MAX_REPORT_BYTES, readText } from '../../cli/files.ts'
import { releaseId } from '../../cli/release/reference.ts'
import { callJson } from '../../cli/service/api.ts'
import { type Column, listing, timeColumn } from '../../cli/terminal/table.ts'
import { counted, pretty, safe } from '../../cli/terminal/text.ts'

/** Reads a report and imports its scores. Warns of what the file lacks; a file without any score is refused. */
export async function importReport({ args, options, io, api }: Invocation): Promise<number> {
  const format = options.required('format') as keyof typeof SCORE_FORMATS
  const text = await readText(args[0]!, io.cwd, MAX_REPORT_BYTES)
  const { cases, warnings } = reportOf(args[0]!, text, format)
  const scored = cases.filter(scores => Object.keys(scores).length > 0)
  if (scored.length === 0) throw badRequest(`${args[0]!} has no case with a score.`)
  const opened = await api()
  const imported = await callJson(opened, 'POST /v1/scores', {
    body: {
      release_id: await releaseId(options.required('release'), opened, io),
      suite: options.required('suite'),
      format,
      source_sha256: createHash('sha256').update(text).digest('hex'),
      cases: scored,
    },
  })
  for (const warning of warnings) io.err(`svc: warning: ${safe(warning)}\n`)
  if (scored.length < cases.length) {
    io.err(`svc: warning: ${cases.length - scored.length} of ${cases.length} cases have no score\n`)
  }
  io.out(options.json ? pretty(imported) : importedText(imported))
  return 0
}

function reportOf(path: string, text: string, format: keyof typeof SCORE_FORMATS): Report {
  try {
    return SCORE_FORMATS[format](text)
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error
    throw badRequest(`${path} is no report of ${format}: ${error.message}.`, error)
  }
}

function importedText({ import_id, suite, cases, scores }: ScoreImport): string {
  const lines = scores.map(
    ({ name, mean, cases: n }) => `${safe(suite)}/${safe(name)}\t${mean}\t${counted(n, 'case')}\n`,
  )
  return `${lines.join('')}imported ${counted(cases, 'case')} of ${safe(suite)}  ${import_id}\n`
}

interface Listed extends Omit<ScoreImport, 'scores' | 'cases'> {
  readonly score: ScoreImport['scores'][number]
}

const COLUMNS: readonly Column<Listed>[] = [
  { heading: 'import', cell: row => row.import_id, whole: true },
  { heading: 'score', cell: row => `${row.suite}/${row.score.name}` },
  { heading: 'mean', cell: row => row.score.mean, right: true },
  { heading: 'cases', cell: row => row.score.cases, right: true },
  { heading: 'format', cell: row => row.format },
  { heading: 'actor', cell: row => row.actor },
  timeColumn('imported', row => row.created_at),
]

export async function list({ args, options, io, api }: Invocation): Promise<number> {
  const opened = await api()
  const query = { release_id: await releaseId(args[0]!, opened, io) }
  const { imports } = await callJson(opened, 'GET /v1/scores', { query })
  const rows = imports.flatMap(({ scores, ...each }) => scores.map(score => ({ ...each, score })))
  io.out(options.json ? pretty({ imports }) : listing(COLUMNS, rows, io))
  if (imports.length === 0 && !options.json) {
    io.err('svc: no scores were imported of it; import some with `svc scores import PATH`\n')
  }
  return 0
}
