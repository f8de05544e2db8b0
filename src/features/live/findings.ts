import { MINUTE_MS } from '../../base/time.ts'
import { ACTIVE_POLICY } from '../../ledger/registry/policies.ts'
import { SERVICE_ACTOR } from '../../ledger/trail/chain.ts'
import { entryAlone, writeLogged } from '../../ledger/trail/write_logged.ts'
import type { Ledger, Pace } from '../../ledger/world/ledger.ts'
import { remembering } from '../../ledger/world/memo.ts'
import { type Family, boundedGauges, gauge } from '../../ledger/world/tally.ts'
import { resolveOverrides } from '../../rules/scope.ts'
import { sql } from '../../sql/port.ts'
import { allRows, asNumber, ask, asText, columns, hasRow, together } from '../../sql/query.ts'
import type { LivePlace } from './models.ts'
import { judgePlaces, liveReleases } from './read.ts'
import { type FindingChange, type FindingKey, findingChanges, isOfLimit } from './rules_findings.ts'

/** Most places that a server judges in a minute. */
const AT_ONCE = 100

/** Least time between two judgements of a place by the upkeep of a server, ms. */
const ROUND_MS = 5 * MINUTE_MS

/** How far a server has come through the places of its ledger, and when it began, epoch ms. */
interface Round {
  began_at: number
  after: { readonly agent_id: string; readonly environment: string } | undefined
}
const roundOf = remembering((): Round => ({ began_at: Number.NEGATIVE_INFINITY, after: undefined }))

const FINDING = columns({
  agent_id: asText,
  environment: asText,
  limit_key: asText<FindingKey>,
  release_id: asText,
  began_at: asNumber,
})
const FINDINGS = allRows(
  sql`SELECT * FROM live_findings ORDER BY began_at, agent_id, environment, limit_key`,
  FINDING,
)

/**
 * Judges live releases in turn, and writes into the audit log where one begins to break a limit or its runs stop, and the end.
 * Of several servers each may do it: a finding is written once.
 */
export async function noteFindings(ledger: Ledger, pace: Pace): Promise<void> {
  const now = ledger.now()
  const round = roundOf(ledger.memo)
  if (round.after === undefined) {
    if (Math.abs(now - round.began_at) < ROUND_MS) return
    round.began_at = now
  }
  const { agent_id = '', environment = '' } = round.after ?? {}
  const wanted = sql`(p.agent_id, p.environment) > (${agent_id}, ${environment})`
  const { places, policy, findings } = await ask(
    ledger.sql,
    together({
      places: liveReleases(wanted, AT_ONCE),
      policy: ACTIVE_POLICY,
      findings: FINDINGS,
    }),
  )
  round.after = places.length < AT_ONCE ? undefined : places.at(-1)
  const openIn = (place: Pick<LivePlace, 'agent_id' | 'environment'>) =>
    findings.filter(each => each.agent_id === place.agent_id && each.environment === place.environment)
  const judged = await judgePlaces({ ...ledger, nextTurn: () => pace(async () => {}) }, places, policy)
  for (const judgement of judged) {
    const { place } = judgement
    for (const change of findingChanges(judgement, openIn(place), now))
      await pace(() => note(ledger, place, change))
  }
}

/**
 * Writes the beginning or the end of a finding, unless another server has, or another release is live or another limit in force
 * since it was judged.
 */
async function note(ledger: Ledger, place: LivePlace, { limit_key, ...entry }: FindingChange): Promise<void> {
  const { agent_id, environment, release_id } = place
  const here = sql`agent_id = ${agent_id} AND environment = ${environment}`
  const own = sql`${here} AND limit_key = ${limit_key}`
  const begins = entry.kind !== 'live.recovered'
  const read = together({
    isOpen: hasRow(sql`SELECT limit_key FROM live_findings WHERE ${own}`),
    isLive: hasRow(sql`SELECT agent_id FROM promoted_pointers WHERE ${here} AND release_id = ${release_id}`),
    policy: ACTIVE_POLICY,
  })
  const isWritten = await writeLogged(ledger, read, ({ isOpen, isLive, policy }) => {
    const isOutdated =
      !isLive ||
      (begins &&
        isOfLimit(limit_key) &&
        resolveOverrides(policy, place).policy[limit_key] !== entry.details.limit)
    if (isOpen === begins || isOutdated) return { already: false }
    return entryAlone(ledger, { ...entry, actor: SERVICE_ACTOR }, (at, guard) => [
      begins
        ? sql`INSERT INTO live_findings (agent_id, environment, limit_key, release_id, began_at)
            SELECT ${agent_id}, ${environment}, ${limit_key}, ${release_id}, CAST(${at} AS BIGINT) WHERE ${guard}`
        : sql`DELETE FROM live_findings WHERE ${own} AND ${guard}`,
    ])
  })
  if (!isWritten) return
  ledger.log(begins ? 'warn' : 'info', MESSAGES[entry.kind], {
    agent_id,
    environment,
    limit_key,
    because: entry.reason,
  })
}

const MESSAGES: Readonly<Record<FindingChange['kind'], string>> = {
  'live.worse': 'a live release breaks a limit',
  'live.silent': 'runs of a live release stopped arriving',
  'live.other_model': 'another model answers runs of a live release',
  'live.recovered': 'a live release has recovered',
}

/** What live releases do that they should not, and since when, as metrics: what the upkeep found. */
export async function families({ sql: db }: Pick<Ledger, 'sql'>): Promise<Family[]> {
  const {
    silence = [],
    other_model = [],
    broken = [],
  } = Object.groupBy(await ask(db, FINDINGS), ({ limit_key }) =>
    isOfLimit(limit_key) ? 'broken' : limit_key,
  )
  return [
    gauge('service_live_silent', 'Live releases whose runs stopped arriving.', silence.length),
    gauge('service_live_other_models', 'Live releases with runs of an undeclared model.', other_model.length),
    gauge('service_live_limits_broken', 'Limits that live releases are proven to break.', broken.length),
    ...boundedGauges(
      'service_live_limit_broken_since_seconds',
      'Since when a live release breaks a limit, seconds since 1970; at most 20 of them.',
      broken.map(({ agent_id, environment, limit_key, began_at }) => [
        { agent_id, environment, limit: limit_key },
        began_at / 1000,
      ]),
    ),
  ]
}
