import { isSameName } from '../../base/text.ts'
import { isoTime } from '../../base/time.ts'
import type { PowerDifference } from '../../models/answers/surface.ts'
import type { Release } from '../../models/documents/release.ts'
import { type Row, sql } from '../../sql/port.ts'
import { allRows, together } from '../../sql/query.ts'
import { nullable } from '../../sql/query.ts'
import type { Demand, DemandAsked, DemandPair } from '../../ledger/assess/demand.ts'
import { type KnownPower, differenceOf, readPower } from './power.ts'
import { type RanName, ranQuery } from './ran.ts'
import {
  KEYS,
  type PowerFacts,
  type SurfaceFacts,
  forbiddenIn,
  judgeSurface,
  openToForbidden,
} from './rules_demand.ts'

/** What a demand on power read. */
interface Read {
  readonly releases: readonly Row[]
  readonly acknowledgements: readonly Row[]
  readonly ran: readonly RanName[]
}

export const demand: Demand<Read, SurfaceFacts> = {
  name: 'surface',
  keys: KEYS,
  reads: pairQuery,
  facts: factsOf,
  judge: judgeSurface,
  told: async read => {
    const pair = await powersOf(read)
    if (pair === undefined) return {}
    const { difference, acknowledged } = compared(pair, read)
    if (difference === undefined) return {}
    return {
      surface: {
        ...difference,
        ...(acknowledged[0] === undefined ? {} : { acknowledged: toTold(acknowledged[0]) }),
      },
    }
  },
}

/** Acknowledgements of a place that are looked through, newest first. Older ones have to be given again. */
const MOST_LOOKED_AT = 200

function pairQuery({ candidateId, baselineId, environment, window }: DemandPair) {
  return together({
    releases: allRows(sql`SELECT r.release_id, r.artifact_json,
        CASE WHEN r.release_id = ${candidateId} THEN 1 ELSE 0 END AS is_candidate,
        CASE WHEN r.release_id = ${baselineId} THEN 1 ELSE 0 END AS is_baseline
      FROM releases r WHERE r.release_id = ${candidateId} OR r.release_id = ${baselineId}`),
    acknowledgements:
      allRows(sql`SELECT acknowledgement_id, baseline_sha256, candidate_sha256, actor, claimed_actor,
        reason, created_at
      FROM acknowledgements WHERE environment = ${environment}
        AND agent_id = (SELECT agent_id FROM releases WHERE release_id = ${candidateId})
      ORDER BY seq DESC LIMIT ${MOST_LOOKED_AT}`),
    ran: ranQuery(candidateId, environment, window),
  })
}

interface Powers {
  readonly baseline: KnownPower
  readonly candidate: KnownPower
}

async function powersOf({ releases }: Read): Promise<Powers | undefined> {
  const of = (side: 'is_baseline' | 'is_candidate') => releases.find(row => row[side] === 1)
  const [baseline, candidate] = [of('is_baseline'), of('is_candidate')]
  if (baseline === undefined || candidate === undefined) return undefined
  const power = (row: Row) => readPower(JSON.parse(String(row.artifact_json)) as Release)
  return { baseline: await power(baseline), candidate: await power(candidate) }
}

/** How two powers differ, and who has acknowledged that. */
function compared({ baseline, candidate }: Powers, { acknowledgements }: Read) {
  const acknowledged = acknowledgements.filter(
    row => row.baseline_sha256 === baseline.sha256 && row.candidate_sha256 === candidate.sha256,
  )
  return { difference: differenceOf(baseline, candidate), acknowledged }
}

function toTold(row: Row): NonNullable<PowerDifference['acknowledged']> {
  return {
    acknowledgement_id: String(row.acknowledgement_id),
    actor: String(row.actor),
    reason: String(row.reason),
    created_at: isoTime(Number(row.created_at)),
  }
}

async function factsOf(read: Read, asked: DemandAsked): Promise<SurfaceFacts | undefined> {
  const { surface, max_undeclared_tool_calls: most } = asked.policy
  if (surface == null && most == null) return undefined
  const pair = await powersOf(read)
  if (pair === undefined) return undefined
  const calls = read.ran.filter(({ kind }) => kind === 'tool')
  return {
    ...(surface == null ? {} : { power: powerFacts(pair, read, asked) }),
    ...(most == null
      ? {}
      : {
          undeclared: {
            declared: pair.candidate.power.tools !== null,
            calls: calls.reduce((sum, one) => sum + one.calls, 0),
            names: calls.slice(0, MOST_NAMES).map(one => ({ name: one.name, calls: one.calls })),
          },
        }),
  }
}

const MOST_NAMES = 5

function powerFacts(pair: Powers, read: Read, { policy, by, workspace }: DemandAsked): PowerFacts {
  const { difference, acknowledged } = compared(pair, read)
  const mine = [by?.name, by?.claimed].filter(name => name !== undefined)
  // Who wants a promotion doesn't say of it that it may do more, where approvals are another's.
  const isOwn = ({ actor, claimed_actor }: Row): boolean =>
    workspace.approval_by_another === true &&
    [String(actor), nullable(claimed_actor, String)].some(
      name => name !== null && mine.some(own => isSameName(own, name)),
    )
  const counts = acknowledged.find(row => !isOwn(row))
  const own = counts === undefined ? acknowledged[0] : undefined
  const { forbid = [] } = policy.surface!
  const { power, problem } = pair.candidate
  const open = forbid.length === 0 ? undefined : (problem ?? openToForbidden(power, forbid))
  return {
    difference:
      difference === undefined
        ? null
        : { ...difference, ...(counts === undefined ? {} : { acknowledged: toTold(counts) }) },
    ...(own === undefined ? {} : { acknowledged_by_self: String(own.actor) }),
    forbid,
    forbidden: forbiddenIn(power, forbid),
    ...(open === undefined ? {} : { open }),
  }
}
