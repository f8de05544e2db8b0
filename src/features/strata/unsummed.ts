import { HOUR_MS } from '../../base/time.ts'
import { type Sql, SqlError, type Statement, join, raw, sql } from '../../sql/port.ts'
import { allRows, asNumber, ask, columns, hasRow, onlyRow } from '../../sql/query.ts'
import type { Ledger, Pace } from '../../ledger/world/ledger.ts'
import { lacksNames, nameStrata } from './names.ts'
import { STRATA_KINDS, type StrataKind } from './rules_strata.ts'
import {
  STRATA_KEY,
  STRATA_SOURCES,
  type StrataSource,
  type Unnamed,
  listedRows,
  strataRows,
  strataSelect,
  strataSums,
  strataTable,
} from './tables.ts'

/** Lists the events that a batch stores in strata_unsummed: they are summed later. */
export function listStored({ dialect, clock }: Pick<Sql, 'dialect' | 'clock'>, added: Statement): Statement {
  const hour = raw(String(HOUR_MS))
  const seqs = raw(dialect === 'postgres' ? 'CAST(jsonb_agg(seq) AS TEXT)' : 'json_group_array(seq)')
  return sql`INSERT INTO strata_unsummed (first_seq, last_seq, first_hour, last_hour, stored_at, seqs)
    SELECT first_seq, last_seq, first_ts / ${hour}, last_ts / ${hour}, ${clock}, seqs FROM (
      SELECT min(seq) AS first_seq, max(seq) AS last_seq, min(ts) AS first_ts, max(ts) AS last_ts, ${seqs} AS seqs
      FROM ${added}) AS batch
    WHERE first_seq IS NOT NULL`
}

/** Events that one batch sums, about, and rows of strata_unsummed that list them: more would keep writers waiting. */
const MOST_EVENTS = 20_000
const MOST_LISTS = 80
/** Rows of strata_unsummed from which on nobody is waited for. */
const MANY_LISTS = 1000

/**
 * Sums the events that are listed by now, the oldest first. Each batch sums some and removes them from the list, so it
 * doesn't matter how many servers do this at once, and when one is killed. Names have got their ids when their events
 * came, nearly always: that is found out by summing.
 */
export async function sumUnsummed(
  { sql: db, newId }: Pick<Ledger, 'sql' | 'newId'>,
  pace: Pace,
): Promise<void> {
  const listed = onlyRow(
    raw('SELECT coalesce(max(id), 0) AS last, count(*) AS n FROM strata_unsummed'),
    columns({ last: asNumber, n: asNumber }),
  )
  const { last, n } = await ask(db, listed)
  const paced: Pace = n > MANY_LISTS ? batch => batch() : pace
  for (;;) {
    const ids = someOf(await ask(db, allRows(oldestUpTo(last), readList)))
    if (ids.length === 0) return
    const these = sql`id IN (${join(
      ids.map(id => sql`${id}`),
      ', ',
    )})`
    const by = newId('sum_')
    const sum = () => paced(() => db.batch([take(by, these), ...sumTaken(db, by, 'are_refused')]))
    try {
      await sum()
    } catch (error) {
      const events = listedRows(db.dialect, 'runs', these)
      if (
        !(error instanceof SqlError && error.kind === 'other' && (await ask(db, hasRow(lacksNames(events)))))
      )
        throw error
      await paced(() => db.batch(nameStrata(db, events)))
      await sum()
    }
  }
}

function oldestUpTo(last: number): Statement {
  return sql`SELECT id, last_seq - first_seq + 1 AS n FROM strata_unsummed WHERE id <= ${last}
    ORDER BY id LIMIT ${MOST_LISTS}`
}

const readList = columns({ id: asNumber, n: asNumber })

/** The first ones that list no more events together than one batch sums; at least one. */
function someOf(lists: readonly ReturnType<typeof readList>[]): number[] {
  let events = 0
  const some = lists.filter((list, index) => {
    events += list.n
    return index === 0 || events <= MOST_EVENTS
  })
  return some.map(({ id }) => id)
}

/**
 * Part of a batch that removes these events: sums those that are listed first, with the rest of their lists. Does nothing
 * where `guard` does not hold.
 */
export function sumRemoved(
  { sql: db, newId }: Pick<Ledger, 'sql' | 'newId'>,
  seqs: readonly number[],
  guard: Statement,
): Statement[] {
  if (seqs.length === 0) return []
  const [first, last] = [Math.min(...seqs), Math.max(...seqs)]
  const by = newId('sum_')
  const events = listedRows(db.dialect, 'runs', takenBy(by))
  return [
    take(by, sql`first_seq <= ${last} AND last_seq >= ${first} AND ${guard}`),
    ...nameStrata(db, events),
    ...sumTaken(db, by, 'are_rest'),
  ]
}

/** Marks lists as those that this batch sums: on PostgreSQL whoever wants the same ones waits, and then finds none. */
function take(by: string, which: Statement): Statement {
  return sql`UPDATE strata_unsummed SET summed_by = ${by} WHERE summed_by IS NULL AND ${which}`
}

function takenBy(by: string): Statement {
  return sql`summed_by = ${by}`
}

function sumTaken({ dialect }: Sql, by: string, unnamed: Unnamed): Statement[] {
  return [
    ...STRATA_KINDS.flatMap(kind =>
      STRATA_SOURCES.map(of => addSums(dialect, kind, of, { events: takenBy(by), unnamed })),
    ),
    sql`DELETE FROM strata_unsummed WHERE summed_by = ${by}`,
  ]
}

interface Added {
  readonly events: Statement
  readonly unnamed: Unnamed
}

/**
 * PostgreSQL takes a key once, and keys in their order, so that two that sum at once can't wait for each other. SQLite has
 * one writer, and adds to a row as often as names share it: that takes less than sorting what is summed by name.
 */
function addSums(
  dialect: Sql['dialect'],
  kind: StrataKind,
  of: StrataSource,
  { events, unnamed }: Added,
): Statement {
  const table = strataTable(kind, of)
  const summed = strataSums(of)
  const [key, names] = [STRATA_KEY.join(', '), raw([...STRATA_KEY, ...summed].join(', '))]
  const rows = listedRows(dialect, of, events)
  const sums =
    dialect === 'postgres'
      ? sql`${strataSelect(kind, of, rows, unnamed)} ORDER BY 1, 2, 3, 4`
      : sql`SELECT ${names} FROM (${strataRows(kind, of, rows, { unnamed })}) AS named WHERE true`
  return sql`INSERT INTO ${raw(table)} (${names}) ${sums}
    ON CONFLICT (${raw(key)}) DO UPDATE SET
      ${raw(summed.map(column => `${column} = ${table}.${column} + excluded.${column}`).join(', '))}`
}
