import { ServiceError, badRequest } from '../../src/base/errors.ts'
import { isoTime } from '../../src/base/time.ts'
import { namedGate } from '../../src/features/deploys/gate.ts'
import type { Called } from '../../src/http/access/context.ts'
import { ACTIVE_POLICY } from '../../src/ledger/registry/policies.ts'
import { earlierLive } from '../../src/ledger/trail/pointers.ts'
import { refuseUndeclared } from '../../src/ledger/world/query.ts'
import type { Gate } from '../../src/models/deploys/gate.ts'
import type { PlaceAnswer } from '../../src/models/deploys/place.ts'
import { type SegmentNames, withNames } from '../../src/rules/change_sentence.ts'
import { limitRows, stateOf } from '../../src/rules/place.ts'
import { resolveOverrides } from '../../src/rules/scope.ts'
import { parseWindow } from '../../src/rules/window.ts'
import { keepingPlans } from '../../src/sql/deadline.ts'
import { ask, together } from '../../src/sql/query.ts'
import { allowedTo } from './_allowed.ts'
import { keepFound } from './_board.ts'
import {
  type EvaluatedPlace,
  type OpenPlace,
  isFresh,
  keptOf,
  evaluatePlace,
  readPlaces,
  toKeep,
} from './_places.ts'

interface PlaceQuestion {
  readonly agent_id: string
  readonly environment: string
  /** The usual one unless given, or the shortest with enough runs of both releases. */
  readonly window?: string | undefined
}

/**
 * What is live in a place, what is next, and whether it may be promoted. Throws 404 where the agent has no release and nothing is
 * promoted.
 */
export async function answerPlace(context: Called, question: PlaceQuestion): Promise<PlaceAnswer> {
  const { agent_id, environment, window } = question
  refuseUndeclared(context, environment)
  const wanted = window === undefined ? undefined : parseWindow(window, context.now())
  if (typeof wanted === 'string') throw badRequest(wanted)
  const [{ places, facts }, { policy, earlier }] = await Promise.all([
    readPlaces(context, { agents: [agent_id], environments: [environment] }, { skipsKept: true }),
    ask(
      keepingPlans(context.sql),
      together({ policy: ACTIVE_POLICY, earlier: earlierLive(agent_id, environment) }),
    ),
  ])
  const [place] = places
  if (place === undefined) {
    throw new ServiceError(
      404,
      `Nothing is registered or promoted for ${agent_id} in ${environment}. \`svc release list\` lists what is registered.`,
    )
  }
  const now = context.now()
  const found = await evaluatePlace(context, place, window)
  if (window === undefined && !isFresh(place, now)) keepFound(context, [toKeep(place, found, now)], facts)
  const gate = found.gate === null ? null : namedGate(found.gate)
  const { candidate, why, before, rollout, request, watch, freeze } = place
  const state = { ...place, ...keptOf(found), gate }
  return {
    agent_id,
    environment,
    ...stateOf(state, why),
    live: liveOf(place, found.live, earlier),
    candidate: candidate && { ...candidate, version: candidate.version ?? gate?.version ?? null },
    why_none: candidate === null ? why : null,
    rows:
      gate === null || gate.baseline_release_id === null
        ? []
        : rowsOf(gate, found.gate!.names, resolveOverrides(policy, question).rules),
    reasons: gate?.reasons ?? (found.problem === null ? [] : [found.problem]),
    warnings: [...(gate?.warnings ?? []), ...(state.other_model === undefined ? [] : [state.other_model])],
    window: gate?.window ?? null,
    since: gate?.since ?? null,
    until: gate?.until ?? null,
    allowed: allowedTo(context, state, before),
    rollout,
    request,
    watch,
    freeze,
    evaluated_at: gate?.evaluated_at ?? isoTime(now),
  }
}

/** The limits, with tenants and tasks by their names. */
function rowsOf(
  gate: Gate,
  names: SegmentNames,
  rules: Parameters<typeof limitRows>[1],
): PlaceAnswer['rows'] {
  return limitRows(gate, rules).map(row => ({ ...row, metric: withNames(row.metric, names) }))
}

function liveOf(
  { entry: { promoted }, before }: OpenPlace,
  judged: EvaluatedPlace['live'],
  earlier: NonNullable<PlaceAnswer['live']>['earlier'],
): PlaceAnswer['live'] {
  if (promoted === null) return null
  const { release_id, version, promoted_at: since, promoted_by: by, reason } = promoted
  return {
    release_id,
    version,
    since,
    by,
    reason,
    before,
    earlier,
    runs_last_hour: judged?.runs_last_hour ?? 0,
    runs_last_day: judged?.runs_last_day ?? 0,
    not_checked: judged?.not_checked ?? [],
  }
}
