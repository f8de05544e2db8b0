import type { Invocation } from '../../cli/arguments/command.ts'
import { pretty } from '../../cli/terminal/text.ts'
import { badRequest } from '../../base/errors.ts'
import { parseTimestamp } from '../../base/time.ts'
import { type Engine, queriesOf } from './rules_sql.ts'

export async function printSql({ options, io }: Invocation): Promise<number> {
  const engine = options.required('engine') as Engine
  const filled = queriesOf(engine).map(({ cell, sql }) => ({ cell, sql: fill(sql, options) }))
  io.out(
    options.json
      ? pretty({ engine, queries: filled })
      : filled.map(({ cell, sql }) => `-- ${cell}\n${sql};\n`).join('\n'),
  )
  return 0
}

function fill(text: string, options: Invocation['options']): string {
  const table = options.text('table') ?? 'runs'
  if (/;|--/.test(table)) throw badRequest('--table must name one table, or be an expression that reads one.')
  const times = { from_ms: options.text('from'), to_ms: options.text('to') }
  let filled = text.replaceAll('{table}', table)
  for (const [name, time] of Object.entries(times)) {
    if (time === undefined) continue
    const at = parseTimestamp(time)
    if (at === undefined) throw badRequest(`${time} is no ISO-8601 date and time.`)
    filled = filled.replaceAll(`{${name}}`, String(at.ms))
  }
  return filled
}
