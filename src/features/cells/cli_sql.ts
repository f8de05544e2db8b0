import type { Invocation } from '../../cli/arguments/command.ts'
import { pretty } from '../../cli/terminal/text.ts'
import { badRequest } from '../../base/errors.ts'
import { parseTimestamp } from '../../base/time.ts'
import { here } from './cli_pull.ts'
import { knownReleases } from './jobs_engines.ts'
import { DEFAULT_LONGEST, type Schema, checkedSchema, filledQueries } from './rules_sql.ts'
import type { Engine } from './rules_sql_ours.ts'
import { parseWindow } from '../../rules/window.ts'

export async function printSql({ options, io, api }: Invocation): Promise<number> {
  const engine = options.required('engine') as Engine
  const schema = (options.text('schema') ?? 'ours') as Schema
  const project = options.text('project')
  checkedSchema({ engine, schema, project })
  const fill = {
    table: tableOf(options, 'table'),
    parts: tableOf(options, 'parts'),
    scores: tableOf(options, 'scores'),
    project,
    max_run_ms: longestOf(options.text('longest-run') ?? DEFAULT_LONGEST),
    from_ms: timeOf(options.text('from')),
    to_ms: timeOf(options.text('to')),
  }
  let queries = filledQueries(engine, schema, fill)
  if (schema !== 'ours')
    await here(await api(), async ({ sql }) => {
      queries = filledQueries(engine, schema, { ...fill, releases: await knownReleases(sql) })
    })
  io.out(
    options.json
      ? pretty({ engine, queries })
      : queries.map(({ cell, sql }) => `-- ${cell}\n${sql};\n`).join('\n'),
  )
  return 0
}

function tableOf(options: Invocation['options'], name: string): string | undefined {
  const table = options.text(name)
  if (table === undefined || !/;|--/.test(table)) return table
  throw badRequest(`--${name} must name one table, or be an expression that reads one.`)
}

function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const at = parseTimestamp(text)
  if (at === undefined) throw badRequest(`${text} is no ISO-8601 date and time.`)
  return at.ms
}

function longestOf(text: string): number {
  const window = parseWindow(text, 0)
  if (typeof window === 'string') throw badRequest(`--longest-run must be an age, such as 1h, not ${text}.`)
  return -window.since
}
