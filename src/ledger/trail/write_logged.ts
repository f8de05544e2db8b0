import { ServiceError } from '../../base/errors.ts'
import type { Clock } from '../../rules/clock.ts'
import { type Statement, raw, sql } from '../../sql/port.ts'
import { NOTHING, type Query, among, ask, hasRow, together, whereDone } from '../../sql/query.ts'
import { bounded } from '../../sql/deadline.ts'
import type { Ledger } from '../world/ledger.ts'
import {
  type Head,
  type NewEntry,
  type Revises,
  type SealedEntry,
  commitOnce,
  entryStatement,
  hasSameRevisions,
  headChangedBy,
  headIs,
  headQuery,
  latestOf,
  letGoOfHead,
  reviseAgent,
  sealEntries,
} from './chain.ts'
import { clockOf } from './clock.ts'
import { FACTS, type FactName } from './facts.ts'

/** A governed change, and what the audit log says of it. */
export interface LoggedChange<T> {
  /** Id of the change. */
  readonly id: string
  /** The judgements that read what it changes: one that was made before it is made again. */
  readonly revises: Revises
  readonly entries: readonly NewEntry[]
  /** The table that it adds a row to, where that is a table of facts. */
  readonly fact?: FactName
  /** What must hold besides the head, or nothing is written: the batch begins with `lock`, so that it stays that way. */
  readonly provided?: { readonly lock: Statement; readonly holds: Statement }
  /** Writes it. No statement does anything where the guard was lost. */
  readonly write: (guard: Statement) => readonly Statement[]
  /** What the writer returns once it is written. */
  readonly done: T
}

/** What is there already, so that nothing is to be written. */
interface Already<T> {
  readonly already: T
}

/** Attempts to win the head against other writers before giving up with 503. */
const MAX_ATTEMPTS = 200

/**
 * Writes a change together with its entries in the audit log, as one batch that is guarded by the head. `changeOf` gets
 * what `query` reads, which sees the same state as the head does, and the database's clock then. It is called again where
 * another writer was first. The head has the revision of `agentId`, where that is given.
 */
export async function writeLogged<T, R>(
  given: Ledger,
  query: Query<R>,
  changeOf: ChangeOf<T, R>,
  agentId?: string,
): Promise<T> {
  const ledger = bounded(given)
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const done = await ledger.memo.decisions.run(
      () => tryToWrite(ledger, query, changeOf, agentId),
      ledger.sql.options.deadline,
    )
    if (done !== undefined) return done
  }
  throw tooMany()
}

/**
 * The same for a change that rests on more than its query reads: `judge` reads and judges it before, and again where either of
 * the revisions of its head has moved since.
 */
export async function writeJudged<J extends { readonly head: Head }, T, R>(
  ledger: Ledger,
  judge: () => Promise<J>,
  queryOf: (judged: J) => Query<R>,
  changeOf: (judged: J, read: R, clock: Clock) => ReturnType<ChangeOf<T, R>>,
): Promise<T> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const judged = await judge()
    const isOutdated: Already<typeof OUTDATED> = { already: OUTDATED }
    const done = await writeLogged<T | typeof OUTDATED, R>(
      ledger,
      queryOf(judged),
      async (read, clock, head) =>
        hasSameRevisions(judged.head, head) ? changeOf(judged, read, clock) : isOutdated,
      judged.head.agent?.agent_id,
    )
    if (done !== OUTDATED) return done
  }
  throw tooMany()
}

const OUTDATED = Symbol('outdated')

function tooMany(): ServiceError {
  return new ServiceError(503, 'Too many other changes are being written; try again.', {
    headers: { 'Retry-After': '1' },
  })
}

type ChangeOf<T, R> = (
  read: R,
  clock: Clock,
  head: Head,
) => Promise<LoggedChange<T> | Already<T>> | LoggedChange<T> | Already<T>

async function tryToWrite<T, R>(
  ledger: Ledger,
  query: Query<R>,
  changeOf: ChangeOf<T, R>,
  agentId: string | undefined,
): Promise<T | undefined> {
  const readAt = ledger.now()
  const agent = agentId === undefined ? undefined : sql`${agentId}`
  const requested = together({ head: headQuery(ledger.sql.clock, agent), read: query })
  const { head, read } = await ask(ledger.sql, requested)
  const change = await changeOf(read, clockOf(ledger, head, readAt), head)
  if ('already' in change) return change.already
  return writeChange(ledger, head, change)
}

/** Writes a change that was judged by this head; undefined where another writer was first. */
export async function writeChange<T>(
  ledger: Ledger,
  head: Head,
  change: LoggedChange<T>,
): Promise<T | undefined> {
  const { log } = head
  const { id, entries, fact, provided, write, done } = change
  const sealed = await sealEntries(log, entries)
  const end = sealed.at(-1)
  const guard = headChangedBy(id)
  const covering = fact === undefined ? [] : [coverStatement(fact, id)]
  const query = among(
    [...(provided === undefined ? [] : [provided.lock]), letGoOfHead(id)],
    hasRow(sql`${moveHead(head, change, sealed)} RETURNING id`),
    [
      ...sealed.map(entry => entryStatement(entry, guard)),
      ...(typeof change.revises === 'object' ? [reviseAgent(change.revises.agent, guard)] : []),
      ...write(guard),
      ...covering,
    ],
  )
  // After a lost answer the entry says whether it was written: nobody else writes one of its hash.
  const found =
    end &&
    hasRow(sql`SELECT log_seq FROM audit_log WHERE log_seq = ${end.record.log_seq} AND hash = ${end.hash}`)
  const recorded = async (): Promise<true | undefined> => found && ask(ledger.sql, whereDone(found))
  const isWritten = await commitOnce(ledger, whereDone(query), recorded)
  return isWritten && done
}

/** An entry about something that has no row of its own. */
type RowlessEntry = Omit<NewEntry, 'subject' | 'created_at' | 'fact'>

/** A change that writes one such entry to the log, and the statements that `along` returns for its time, epoch ms. */
export function entryAlone(
  { newId, now }: Ledger,
  entry: RowlessEntry,
  along: (createdAt: number, guard: Statement) => readonly Statement[] = () => [],
): LoggedChange<true> {
  const [id, created_at] = [newId('log_'), now()]
  return {
    id,
    revises: 'none',
    entries: [{ ...entry, subject: id, created_at, fact: null }],
    write: guard => along(created_at, guard),
    done: true,
  }
}

/** Writes one such entry to the log. */
export async function logOnly(ledger: Ledger, entry: RowlessEntry): Promise<void> {
  const change = entryAlone(ledger, entry)
  await writeLogged(ledger, NOTHING, () => change)
}

/** Moves the head behind the entries of a change, if it is where it was read. */
function moveHead(
  head: Head,
  { id, revises, provided }: LoggedChange<unknown>,
  sealed: readonly SealedEntry[],
): Statement {
  const { log } = head
  const [end, records] = [sealed.at(-1), sealed.map(({ record }) => record)]
  return sql`UPDATE audit_head
    SET changed_by = ${id}, revision = revision + ${revises === 'all' ? 1 : 0},
      log_seq = ${end?.record.log_seq ?? log.seq}, log_hash = ${end?.hash ?? log.hash},
      latest_at = ${latestOf(head, records)}
    WHERE ${headIs(head)} ${provided === undefined ? sql`` : sql`AND ${provided.holds}`}`
}

function coverStatement(fact: FactName, id: string): Statement {
  const { table, key } = FACTS[fact]
  return sql`UPDATE audit_head SET ${raw(`logged_${fact}`)} = (SELECT max(${raw(key)}) FROM ${raw(table)})
    WHERE id = 1 AND changed_by = ${id}`
}
