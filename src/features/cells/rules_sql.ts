import { badRequest } from '../../base/errors.ts'
import { type CellQuery, type Engine, queriesOf } from './rules_sql_ours.ts'
import { TRACE_QUERIES } from './rules_sql_traces.ts'

/** What the tables of an engine look like: as docs/cells.md says, as OpenTelemetry's exporter makes them, as Langfuse does. */
export const SCHEMAS = ['ours', 'otel', 'langfuse'] as const
export type Schema = (typeof SCHEMAS)[number]

/** The values of placeholders. Those that are not given are left in. */
export interface Fill {
  readonly table?: string | undefined
  /** Tables of what runs used in addition, and of their scores: without them no query is made, where the schema is ours. */
  readonly parts?: string | undefined
  readonly scores?: string | undefined
  /** The project of Langfuse. */
  readonly project?: string | undefined
  readonly max_run_ms?: number | undefined
  /** Whole buckets, epoch ms. */
  readonly from_ms?: number | undefined
  readonly to_ms?: number | undefined
  readonly releases?: readonly KnownRelease[] | undefined
}

/** A release as traces name it, and what it is priced by. */
export interface KnownRelease {
  readonly agent_id: string
  readonly version: string
  readonly release_id: string
  readonly model: string
  readonly provider: string
}

/** The queries that make cells of the tables of an engine. Only ClickHouse has schemas other than ours. */
export function filledQueries(engine: Engine, schema: Schema, fill: Fill): CellQuery[] {
  const queries = schema === 'ours' ? queriesOf(engine) : TRACE_QUERIES[schema]
  const { releases, project, ...rest } = fill
  const texts = {
    table: DEFAULT_TABLES[schema],
    ...rest,
    project: project && literal(project),
    releases: releases && releasesText(releases),
  }
  return queries
    .filter(
      ({ cell }) => schema !== 'ours' || (cell !== 'parts' && cell !== 'scores') || fill[cell] !== undefined,
    )
    .map(({ cell, sql }) => ({
      cell,
      sql: sql.replaceAll(/\{(\w+)\}/g, (all, name: keyof typeof texts) => String(texts[name] ?? all)),
    }))
}

/** How long a run of traces may take: its first spans are read from so long before the time. */
export const DEFAULT_LONGEST = '1h'

/** Throws 400 for what an engine has no queries for. */
export function checkedSchema({
  engine,
  schema,
  project,
}: Readonly<Record<'engine' | 'schema', string>> & Pick<Fill, 'project'>): void {
  if (schema !== 'ours' && engine !== 'clickhouse')
    throw badRequest(`The schema ${schema} is known of clickhouse alone, not of ${engine}.`)
  if (schema === 'langfuse' && project === undefined)
    throw badRequest('The schema langfuse takes a project: the id of the project of Langfuse.')
}

const DEFAULT_TABLES = { ours: 'runs', otel: 'otel_traces', langfuse: undefined } as const

/** ClickHouse's literal of the releases that are known. */
function releasesText(releases: readonly KnownRelease[]): string {
  const rows = releases.map(({ agent_id, version, release_id, model, provider }) =>
    [agent_id, version, release_id, model, provider].map(literal).join(', '),
  )
  return `[${rows.map(row => `(${row})`).join(', ')}]`
}

function literal(text: string): string {
  return `'${text.replaceAll(/['\\]/g, found => `\\${found}`)}'`
}
