import { LOG_GAMMA, ZERO_BIN } from '../../rules/statistics/bins.ts'

export const ENGINES = ['clickhouse', 'duckdb', 'postgres', 'bigquery', 'snowflake'] as const
export type Engine = (typeof ENGINES)[number]

/** A query whose rows are cells, with placeholders. */
export interface CellQuery {
  readonly cell: 'runs' | 'latency' | 'parts' | 'scores'
  readonly sql: string
}

/** How an engine writes what the queries are made of. Expressions take texts of SQL. */
interface Dialect {
  readonly about: string
  /** A sum of whole numbers that neither wraps nor rounds, of one or of two factors. */
  readonly sum: (one: string, other?: string) => string
  readonly countIf: (condition: string) => string
  readonly only: (condition: string, value: string, otherwise: string) => string
  /** Milliseconds cut to a width. */
  readonly cut: (ms: string, widthMs: number) => string
  readonly bin: (latency: string) => string
  readonly millionths: (score: string) => string
  readonly largest: (latency: string) => string
  /** An object of `n` by `bin`. */
  readonly bins: string
  readonly groupAll: (columns: readonly string[]) => string
  /** A query as one JSON object a row, where its client doesn't write rows so. */
  readonly row: (fields: readonly (readonly [name: string, value: string])[], rest: string) => string
}

const BIN = (ln: string, ceil: (x: string) => string) => ceil(`${ln} / ${LOG_GAMMA}`)
const named = (fields: readonly (readonly [string, string])[]): string =>
  fields.map(([name, value]) => (name === value ? name : `${value} AS ${name}`)).join(',\n  ')
const NAMES = ['release_id', 'environment', 'agent_id', 'provider', 'model'] as const

export const DIALECTS: Readonly<Record<Engine, Dialect>> = {
  clickhouse: {
    about: 'Run with FORMAT JSONEachRow. Sums are Int128: those of 64 bits wrap round in silence.',
    sum: (one, other) => `sum(toInt128(${one})${other === undefined ? '' : ` * ${other}`})`,
    countIf: condition => `countIf(${condition})`,
    only: (condition, value, otherwise) => `if(${condition}, ${value}, ${otherwise})`,
    cut: (ms, width) => `intDiv(${ms}, ${width}) * ${width}`,
    bin: x => `if(${x} > 0, toInt32(${BIN(`log(${x})`, y => `ceil(${y})`)}), ${ZERO_BIN})`,
    millionths: x => `toInt64(floor(${x} * 1000000 + 0.5))`,
    largest: x => `max(${x})`,
    bins: "CAST((groupArray(toString(bin)), groupArray(n)), 'Map(String, UInt64)')",
    groupAll: columns => `GROUP BY ${columns.join(', ')}`,
    row: (fields, rest) => `SELECT ${named(fields)}\n${rest}`,
  },
  duckdb: {
    about: 'Run with COPY (…) TO … (FORMAT json). Products are HUGEINT; the table may be read_parquet(…).',
    sum: (one, other) => (other === undefined ? `sum(${one})` : `sum(CAST(${one} AS HUGEINT) * ${other})`),
    countIf: condition => `count(*) FILTER (${condition})`,
    only: (condition, value, otherwise) => `CASE WHEN ${condition} THEN ${value} ELSE ${otherwise} END`,
    cut: (ms, width) => `(${ms} // ${width}) * ${width}`,
    bin: x =>
      `CASE WHEN ${x} > 0 THEN CAST(${BIN(`ln(${x})`, y => `ceil(${y})`)} AS INTEGER) ELSE ${ZERO_BIN} END`,
    millionths: x => `CAST(floor(${x} * 1000000 + 0.5) AS BIGINT)`,
    largest: x => `max(${x})`,
    bins: 'map(list(CAST(bin AS VARCHAR) ORDER BY bin), list(n ORDER BY bin))',
    groupAll: () => 'GROUP BY ALL',
    row: (fields, rest) => `SELECT ${named(fields)}\n${rest}`,
  },
  postgres: {
    about: 'Run with psql -At. Sums are numeric, which is exact at any size.',
    sum: (one, other) => `sum(${one}::numeric${other === undefined ? '' : ` * ${other}`})`,
    countIf: condition => `count(*) FILTER (WHERE ${condition})`,
    only: (condition, value, otherwise) => `CASE WHEN ${condition} THEN ${value} ELSE ${otherwise} END`,
    cut: (ms, width) => `${ms} / ${width} * ${width}`,
    bin: x =>
      `CASE WHEN ${x} > 0 THEN ${BIN(`ln(${x}::double precision)`, y => `ceil(${y})`)}::bigint ELSE ${ZERO_BIN} END`,
    millionths: x => `floor(${x}::double precision * 1000000 + 0.5)::bigint`,
    largest: x => `max(${x})`,
    bins: 'json_object_agg(bin, n)',
    groupAll: columns => `GROUP BY ${columns.map((_, index) => index + 1).join(', ')}`,
    row: (fields, rest) => `SELECT row_to_json(c) FROM (\nSELECT ${named(fields)}\n${rest}) AS c`,
  },
  bigquery: {
    about: 'This text was never run on BigQuery. Run with bq query --format=json; wide sums come as texts.',
    sum: (one, other) =>
      `CAST(SUM(CAST(${one} AS BIGNUMERIC)${other === undefined ? '' : ` * ${other}`}) AS STRING)`,
    countIf: condition => `COUNTIF(${condition})`,
    only: (condition, value, otherwise) => `IF(${condition}, ${value}, ${otherwise})`,
    cut: (ms, width) => `DIV(${ms}, ${width}) * ${width}`,
    bin: x => `IF(${x} > 0, CAST(${BIN(`LN(${x})`, y => `CEIL(${y})`)} AS INT64), ${ZERO_BIN})`,
    millionths: x => `CAST(FLOOR(${x} * 1000000 + 0.5) AS INT64)`,
    largest: x => `MAX(${x})`,
    bins: `CONCAT('{', STRING_AGG(FORMAT('"%d":%d', bin, n) ORDER BY bin), '}')`,
    groupAll: columns => `GROUP BY ${columns.join(', ')}`,
    row: (fields, rest) => `SELECT ${named(fields)}\n${rest}`,
  },
  snowflake: {
    about: 'This text was never run on Snowflake. A row is one JSON text, so that names keep their case.',
    sum: (one, other) => `SUM(${one}::NUMBER(38, 0)${other === undefined ? '' : ` * ${other}`})::TEXT`,
    countIf: condition => `COUNT_IF(${condition})`,
    only: (condition, value, otherwise) => `IFF(${condition}, ${value}, ${otherwise})`,
    cut: (ms, width) => `FLOOR(${ms} / ${width}) * ${width}`,
    bin: x => `IFF(${x} > 0, ${BIN(`LN(${x}::FLOAT)`, y => `CEIL(${y}::FLOAT)`)}::INTEGER, ${ZERO_BIN})`,
    millionths: x => `FLOOR(${x}::FLOAT * 1000000 + 0.5)::INTEGER`,
    largest: x => `MAX(${x})`,
    bins: 'OBJECT_AGG(bin::TEXT, n::VARIANT)',
    groupAll: columns => `GROUP BY ${columns.join(', ')}`,
    row: (fields, rest) =>
      `SELECT TO_JSON(OBJECT_CONSTRUCT(${fields.map(([name, value]) => `'${name}', ${value}`).join(',\n  ')})) AS line\n${rest}`,
  },
}

/** Fields of a cell and what they are in SQL. */
type Fields = readonly (readonly [name: string, value: string])[]

const same = (names: readonly string[]): Fields => names.map(name => [name, name] as const)

/** Sums, sums of squares and of products of values, as cells call them. */
export function momentsOf({ sum }: Pick<Dialect, 'sum'>, values: Readonly<Record<string, string>>): Fields {
  const all = Object.entries(values)
  return [
    ...all.map(([name, of]) => [`${name}_sum`, sum(of)] as const),
    ...all.map(([name, of]) => [`${name}_sq`, sum(of, of)] as const),
    ...all.flatMap(([name, of], index) =>
      all.slice(index + 1).map(([other, factor]) => [`${name}_${other}`, sum(of, factor)] as const),
    ),
  ]
}

/** The queries that make cells of a table of runs, and of tables of what they used in addition and of their scores. */
export function queriesOf(engine: Engine): readonly CellQuery[] {
  const is = DIALECTS[engine]
  const from = (table: string) => `FROM {${table}} WHERE ts_ms >= {from_ms} AND ts_ms < {to_ms}`
  const query = (cell: CellQuery['cell'], about: string, width_s: number, fields: Fields, rest: string) => ({
    cell,
    sql: `-- ${about}. ${is.about}\n${is.row([['cell', `'${cell}'`], ...fields, ['width_s', `${width_s}`]], rest)}`,
  })
  const zero = is.only('lat IS NULL', '0', 'lat')
  const place = ['release_id', 'environment', 'at_ms']
  const minute = `${is.cut('ts_ms', 60_000)} AS at_ms`
  return [
    query(
      'runs',
      'Sums by minute of a table of runs',
      60,
      [
        ...same([...NAMES, 'at_ms']),
        ['runs', 'count(*)'],
        ['errors', is.countIf('NOT success')],
        ['latency_count', 'count(lat)'],
        ['latency_sum', is.sum(zero)],
        ['latency_sq', is.sum(zero, zero)],
        ...momentsOf(is, { input: 'tin', output: 'tout', cached: 'tc' }),
      ],
      `FROM (
  SELECT ${NAMES.join(', ')}, success, ${minute},
    ${is.only('is_end', 'latency_ms', 'NULL')} AS lat, ${is.only('is_end', 'input_tokens', '0')} AS tin,
    ${is.only('is_end', 'output_tokens', '0')} AS tout, ${is.only('is_end', 'cached_input_tokens', '0')} AS tc
  ${from('table')}) AS e
GROUP BY ${NAMES.join(', ')}, at_ms`,
    ),
    query(
      'latency',
      'Counts of latencies by ten minutes of a table of runs',
      600,
      [...same(place), ['bins', is.bins], ['largest', is.largest('longest')]],
      `FROM (
  SELECT release_id, environment, ${is.cut('ts_ms', 600_000)} AS at_ms, ${is.bin('latency_ms')} AS bin,
    count(*) AS n, max(latency_ms) AS longest
  ${from('table')} AND is_end AND latency_ms IS NOT NULL
  ${is.groupAll([...place, 'bin'])}) AS b
GROUP BY ${place.join(', ')}`,
    ),
    query(
      'parts',
      'Sums by minute of what runs used of other models, or wrote to a cache',
      60,
      [
        ...same([...NAMES, 'at_ms']),
        ['parts', 'count(*)'],
        ...momentsOf(is, {
          input: 'input_tokens',
          output: 'output_tokens',
          cached: 'cached_input_tokens',
          write: 'cache_write_input_tokens',
        }),
      ],
      `FROM (
  SELECT ${NAMES.join(', ')}, ${minute}, input_tokens, output_tokens, cached_input_tokens, cache_write_input_tokens
  ${from('parts')}) AS e
GROUP BY ${NAMES.join(', ')}, at_ms`,
    ),
    query(
      'scores',
      'Sums by minute of scores, in millionths',
      60,
      [
        ...same([...place, 'name']),
        ['runs', 'count(*)'],
        ['score_sum', is.sum('score')],
        ['score_sq', is.sum('score', 'score')],
      ],
      `FROM (
  SELECT release_id, environment, name, ${minute}, ${is.millionths('score')} AS score
  ${from('scores')}) AS e
GROUP BY ${[...place, 'name'].join(', ')}`,
    ),
  ]
}
