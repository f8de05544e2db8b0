import type { ScoreImport } from '../../models/documents/scores.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { releaseId } from '../../cli/release/reference.ts'
import { callJson } from '../../cli/service/api.ts'
import { type Column, listing, timeColumn } from '../../cli/terminal/table.ts'
import { pretty } from '../../cli/terminal/text.ts'

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
