import { type EventColumns, eventText } from '../../rules/event_rest.ts'
import { eitherText } from '../../sql/dialect.ts'
import { type Row, type Statement, sql } from '../../sql/port.ts'
import { asText, columns } from '../../sql/query.ts'

/** What {@link textOf} needs of an event `e` and its variant `v`. */
export const TEXT_COLUMNS: Statement = sql`v.agent_id, v.provider, v.model, e.run_id, e.ts, e.is_end, e.tenant_id,
  e.task_id, e.success, e.latency_ms, e.input_tokens, e.output_tokens, e.cached_input_tokens, e.session_id, e.trace_id,
  e.span_id, e.event_json`

/** The normalised JSON text of a stored event of the given scope. */
export function textOf(row: Row, scope: Pick<EventColumns, 'release_id' | 'environment'>): string {
  return eventText({ ...(row as unknown as EventColumns), ...scope })
}

/** What {@link toPlacedText} needs of an event `e`, its variant `v` and its scope `s`. */
export const PLACED_COLUMNS: Statement = sql`${TEXT_COLUMNS}, s.release_id, s.environment`

const readScope = columns({ release_id: asText, environment: asText })

/** The normalised JSON text of a stored event. */
export function toPlacedText(row: Row): string {
  return textOf(row, readScope(row))
}

/** SQL expressions of what only the text of an event `row` holds, whether the text is whole or has only what columns lack. */
export function textParts(row: string): { tools: Statement; errorType: Statement } {
  const text = `${row}.event_json`
  const isWhole = `substr(${text}, 1, 1) = '{'`
  const [sqlite, postgres] = [sqliteParts(text, isWhole), postgresParts(text, isWhole)]
  return {
    tools: eitherText(sqlite.tools, postgres.tools),
    errorType: eitherText(sqlite.errorType, postgres.errorType),
  }
}

function sqliteParts(text: string, isWhole: string): { tools: string; errorType: string } {
  const [start, rest] = [`instr(${text}, '[')`, `substr(${text}, instr(${text}, '['))`]
  return {
    tools: `CASE WHEN ${isWhole} THEN json_extract(${text}, '$.usage.tools') WHEN ${start} = 0 THEN '[]'
      ELSE json_extract(${rest}, '$[0]') END`,
    errorType: `CASE WHEN ${isWhole} THEN ${text} ->> '$.metrics.error_type' WHEN ${start} = 0 THEN NULL
      ELSE ${rest} ->> '$[2].error_type' END`,
  }
}

function postgresParts(text: string, isWhole: string): { tools: string; errorType: string } {
  const start = `position('[' IN ${text})`
  const rest = `CAST(substr(${text}, ${start}) AS JSONB)`
  return {
    tools: `CASE WHEN ${isWhole} THEN CAST(${text} AS JSONB) -> 'usage' -> 'tools' WHEN ${start} = 0 THEN '[]'::jsonb
      ELSE ${rest} -> 0 END`,
    errorType: `CASE WHEN ${isWhole} THEN CAST(${text} AS JSONB) -> 'metrics' ->> 'error_type' WHEN ${start} = 0 THEN NULL
      ELSE ${rest} -> 2 ->> 'error_type' END`,
  }
}

/** SQL expressions of a tool `value` of {@link textParts}: an object in a whole text, otherwise a list. */
export const TOOL_PARTS = {
  name: (value: string) => `coalesce(${value} ->> 'tool_name', ${value} ->> 0)`,
  calls: (value: string) => `CAST(coalesce(${value} ->> 'invocations', ${value} ->> 1) AS DOUBLE PRECISION)`,
} as const
