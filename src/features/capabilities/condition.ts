import type { PowerDifference } from '../../models/answers/capabilities.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { Release } from '../../models/documents/release.ts'
import { sql } from '../../sql/port.ts'
import {
  allRows,
  asJson,
  asText,
  asTime,
  columns,
  mapped,
  onlyRow,
  orNull,
  together,
} from '../../sql/query.ts'
import type { ComparedPair, Condition } from '../../ledger/assess/parts.ts'
import { agreementOf } from '../../ledger/decide/approvers.ts'
import type { Identity, Ledger, Wanting } from '../../ledger/world/ledger.ts'
import { type KnownPower, differenceOf, readPower } from './power.ts'
import { keptByQuery } from '../../ledger/events/gaps.ts'
import { ranQuery } from './ran.ts'
import {
  type PowerFacts,
  CAPABILITY_RULE,
  type UndeclaredFacts,
  forbiddenIn,
  openToForbidden,
} from './rules_condition.ts'

/** What is read of two releases, and who alone may acknowledge how they differ. */
type PairRead = ReturnType<ReturnType<typeof pairQuery>['read']> & {
  readonly only: OnlyBy
}

type OnlyBy = NonNullable<PowerDifference['acknowledged_only_by']>

function onlyBy({ approval_by_another, approvals }: Ledger['workspace']): OnlyBy {
  return [
    ...(approval_by_another === true ? (['another'] as const) : []),
    ...(approvals?.people_only === true ? (['people'] as const) : []),
  ]
}

/** Capabilities of a release that the live one lacks, and what its runs did. For promotions alone. */
export const CONDITION: Condition<PairRead> = {
  ...CAPABILITY_RULE,
  reads: ({ workspace }, { action, policy, isShown, ...pair }) => {
    const isLimited = (key: 'capabilities' | 'max_undeclared_tool_calls') =>
      policy === undefined || policy[key] != null
    const countsCalls = isLimited('max_undeclared_tool_calls')
    if (action !== 'promote' || !(isShown || countsCalls || isLimited('capabilities'))) return undefined
    return mapped(pairQuery(pair, countsCalls), read => ({ ...read, only: onlyBy(workspace) }))
  },
  found: async ({ workspace }, { effective: { policy }, isFirst, by }, _clock, read) => {
    const { capabilities, max_undeclared_tool_calls: most } = policy
    if (read === undefined || isFirst || (capabilities == null && most == null)) return undefined
    const powers = powersOf(read)!
    return {
      ...(capabilities == null
        ? {}
        : { capabilities: await powerFacts(powers, read, { capabilities, by, workspace }) }),
      ...(most == null ? {} : { max_undeclared_tool_calls: undeclaredFacts(powers, read) }),
    }
  },
  answer: async read => {
    const powers = powersOf(read)
    if (powers === undefined) return {}
    const { difference, acknowledged } = await compared(powers, read)
    if (difference === undefined) return {}
    const [newest] = acknowledged
    return {
      capabilities: { ...difference, ...(newest === undefined ? {} : { acknowledged: toAnswer(newest) }) },
    }
  },
}

/** Acknowledgements of a place that are looked through, newest first. Older ones have to be given again. */
const MOST_READ = 200

function pairQuery(
  { release, baseline, environment, window }: ComparedPair & { readonly environment: string },
  countsCalls: boolean,
) {
  return together({
    artifacts: onlyRow(
      sql`SELECT b.artifact_json AS baseline, c.artifact_json AS candidate FROM (SELECT 1 AS one) AS pair
        LEFT JOIN releases b ON b.release_id = ${baseline} LEFT JOIN releases c ON c.release_id = ${release}`,
      ARTIFACTS,
    ),
    acknowledgements: allRows(
      sql`SELECT acknowledgement_id, baseline_sha256, candidate_sha256, actor, actor_source, actor_identity, reason,
          created_at FROM acknowledgements WHERE environment = ${environment}
          AND agent_id = (SELECT agent_id FROM releases WHERE release_id = ${release})
        ORDER BY seq DESC LIMIT ${MOST_READ}`,
      ACKNOWLEDGEMENT,
    ),
    ran: countsCalls ? ranQuery(release, environment, window) : undefined,
    kept: countsCalls ? keptByQuery(release, environment, window) : undefined,
  })
}

const ARTIFACTS = columns({ baseline: orNull(asJson<Release>), candidate: orNull(asJson<Release>) })

const ACKNOWLEDGEMENT = columns({
  acknowledgement_id: asText,
  baseline_sha256: asText,
  candidate_sha256: asText,
  actor: asText,
  actor_source: asText,
  actor_identity: orNull(asJson<Identity>),
  reason: asText,
  created_at: asTime,
})

interface Powers {
  readonly baseline: KnownPower
  readonly candidate: KnownPower
}

function powersOf({ artifacts: { baseline, candidate } }: PairRead): Powers | undefined {
  if (baseline === null || candidate === null) return undefined
  return { baseline: readPower(baseline), candidate: readPower(candidate) }
}

/** How two powers differ, and who has acknowledged that. */
async function compared({ baseline, candidate }: Powers, { acknowledgements, only }: PairRead) {
  const difference = await differenceOf(baseline, candidate)
  const acknowledged = acknowledgements.filter(
    row =>
      row.baseline_sha256 === difference?.baseline_sha256 &&
      row.candidate_sha256 === difference.candidate_sha256,
  )
  const isLimited = difference !== undefined && difference.widened > 0 && only.length > 0
  return {
    difference: isLimited ? { ...difference, acknowledged_only_by: only } : difference,
    acknowledged,
  }
}

type AcknowledgementRow = PairRead['acknowledgements'][number]

function toAnswer({
  acknowledgement_id,
  actor,
  reason,
  created_at,
}: AcknowledgementRow): NonNullable<PowerDifference['acknowledged']> {
  return { acknowledgement_id, actor, reason, created_at }
}

function undeclaredFacts({ candidate }: Powers, { ran, kept }: PairRead): UndeclaredFacts {
  const tools = (ran ?? []).filter(({ kind }) => kind === 'tool')
  return {
    declared: candidate.power.tools !== null,
    ...(kept === undefined ? {} : { kept_by: kept }),
    calls: tools.reduce((sum, { calls }) => sum + calls, 0),
    names: tools.slice(0, MOST_NAMES).map(({ name, calls }) => ({ name, calls })),
  }
}

const MOST_NAMES = 5

interface Requested {
  readonly capabilities: NonNullable<Policy['capabilities']>
  /** Who wants the promotion. */
  readonly by: Wanting | undefined
  readonly workspace: Ledger['workspace']
}

async function powerFacts(
  pair: Powers,
  read: PairRead,
  { capabilities, by, workspace }: Requested,
): Promise<PowerFacts> {
  const { difference, acknowledged } = await compared(pair, read)
  const agreements = acknowledged.map(given => ({ given, is: agreementOf(given, by, workspace) }))
  const counted = agreements.find(({ is }) => is === 'counts')?.given
  const [newest] = counted === undefined ? agreements : []
  const { forbid = [] } = capabilities
  const { power, problem } = pair.candidate
  const open = forbid.length === 0 ? undefined : (problem ?? openToForbidden(power, forbid))
  return {
    difference:
      difference === undefined
        ? null
        : { ...difference, ...(counted === undefined ? {} : { acknowledged: toAnswer(counted) }) },
    ...(newest?.is === 'self' ? { acknowledged_by_self: newest.given.actor } : {}),
    ...(newest?.is === 'unproven' ? { acknowledged_unproven: newest.given.actor } : {}),
    forbid,
    forbidden: forbiddenIn(power, forbid),
    ...(open === undefined ? {} : { open }),
  }
}
