import { ServiceError } from '../../src/base/errors.ts'
import { isoTime, MINUTE_MS } from '../../src/base/time.ts'
import { confidenceReach } from '../../src/features/advice/advice.ts'
import { freezesOf, isFrozen } from '../../src/features/conditions/rules.ts'
import { type GateByIds, askByIds } from '../../src/features/deploys/gate.ts'
import { judgeLive } from '../../src/features/live/read.ts'
import type { Called } from '../../src/http/access/context.ts'
import { readBoard } from '../../src/ledger/decide/board.ts'
import { type PlaceToKeep, keepAnswers } from '../../src/ledger/decide/place_answers.ts'
import type { Ledger, Pace } from '../../src/ledger/world/ledger.ts'
import { EVERYTHING, type Scope } from '../../src/ledger/world/scope.ts'
import { type Candidate, type KeptPlace, type PlaceFacts, candidateIn } from '../../src/rules/place.ts'
import { USUAL_WINDOW, likelyWindow } from '../../src/rules/window.ts'
import { type Open, readOpen } from './_concerns.ts'

/** A place with what is open in it and what is next, before the candidate is evaluated. */
export interface OpenPlace extends Omit<PlaceFacts, keyof KeptPlace> {
  /** Why nothing is next. */
  readonly why: string
  /** What was live when the live release was promoted, where a rollback goes to. */
  readonly before: string | null
  readonly kept: PlaceToKeep | undefined
  /** When the place was last evaluated, whatever was live and next then; epoch ms. */
  readonly lastEvaluated: number | undefined
  /** What an evaluation now would rest on. */
  readonly stamp: string
  readonly open: Open | undefined
}

export interface EvaluatedPlace {
  readonly gate: GateByIds | null
  readonly problem: string | null
  readonly live: Awaited<ReturnType<typeof judgeLive>>['live'][number] | undefined
}

/** Evaluations read the ledger and take turns. */
type Evaluating = Ledger & Pick<Called, 'nextTurn'>

type AwaitedBoard = Awaited<ReturnType<typeof readBoard>>

/** The places in scope, as they are at one moment, and facts that are not kept yet. See {@link readBoard} for `skipsKept`. */
export async function readPlaces(
  ledger: Ledger,
  scope: Scope,
  { skipsKept = false } = {},
): Promise<Pick<AwaitedBoard, 'facts' | 'now' | 'revision'> & { readonly places: OpenPlace[] }> {
  const { board, ...read } = await readBoard(ledger, scope, { open: readOpen(ledger), skipsKept })
  const now = ledger.now()
  const places = board.map(({ entry, before, request, open, kept, revisions }) => {
    const frozen = freezesOf(ledger.workspace, entry.environment).find(one => isFrozen(one, now))
    const proposed = { rollout: open?.rollout ?? null, request }
    const { candidate, why } = candidateIn(entry, proposed)
    const about = [entry.promoted?.release_id ?? null, candidate?.release_id ?? null]
    const stamp = JSON.stringify([...about, revisions])
    const isSame = kept?.stamp.startsWith(JSON.stringify(about).slice(0, -1)) === true
    const { agent_id, environment } = entry
    return {
      entry,
      before,
      ...proposed,
      candidate,
      why,
      watch: open?.watch ?? null,
      open,
      freeze: frozen === undefined ? null : { until: frozen.to, reason: frozen.reason },
      stamp,
      kept: isSame ? { agent_id, environment, ...kept } : undefined,
      lastEvaluated: kept?.evaluated_at,
    }
  })
  return { ...read, places }
}

/**
 * Evaluates the candidate and the live release of a place. Judges the candidate over `window`, or else the window of its request,
 * or else the usual one, or the shortest with enough runs of both releases.
 */
export async function evaluatePlace(
  ledger: Evaluating,
  place: OpenPlace,
  window?: string,
): Promise<EvaluatedPlace> {
  const { entry, candidate, request } = place
  const { agent_id, environment, promoted } = entry
  const scope = { agents: [agent_id], environments: [environment] }
  const requested = candidate?.source === 'request' ? request?.window : undefined
  const [verdict, judged] = await Promise.all([
    judgedBy(ledger, place, isPriced(entry, candidate) ? candidate : null, window ?? requested),
    promoted === null ? undefined : judgeLive(ledger, { scope, limit: 1 }),
  ])
  return { ...verdict, live: judged?.live[0] }
}

/** The same where others wait too: what fails is logged, and tried again the next time. */
export async function evaluateOrLog(
  ledger: Evaluating,
  place: OpenPlace,
): Promise<EvaluatedPlace | undefined> {
  try {
    return await evaluatePlace(ledger, place)
  } catch (error) {
    const { agent_id, environment } = place.entry
    ledger.log('warn', 'a place could not be evaluated', { agent_id, environment, error })
    return undefined
  }
}

/** Whether a candidate has a price table; only of the newest release is it known before it is compared. */
function isPriced({ newest_release: newest }: OpenPlace['entry'], candidate: Candidate | null): boolean {
  return candidate?.release_id !== newest?.release_id || newest?.unpriced !== true
}

async function judgedBy(
  ledger: Evaluating,
  { entry: { agent_id, environment, promoted } }: OpenPlace,
  candidate: Candidate | null,
  window?: string,
): Promise<Pick<EvaluatedPlace, 'gate' | 'problem'>> {
  if (candidate === null) return { gate: null, problem: null }
  const { release_id } = candidate
  const over = (chosen: string): Promise<GateByIds> =>
    askByIds(ledger, { agent_id, environment, release_id, window: chosen, isDiff: true })
  try {
    if (window !== undefined) return { gate: await over(window), problem: null }
    const found = await over(USUAL_WINDOW)
    if (found.gate.result !== 'not_yet' || promoted === null) return { gate: found, problem: null }
    const pair = {
      environment,
      baseline_release_id: promoted.release_id,
      candidate_release_id: release_id,
      window: USUAL_WINDOW,
    }
    const longer = likelyWindow(await confidenceReach(ledger, pair))
    return { gate: longer === USUAL_WINDOW ? found : await over(longer), problem: null }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error
    return { gate: null, problem: error.message }
  }
}

export function toKeep({ entry, stamp }: OpenPlace, found: EvaluatedPlace, now: number): PlaceToKeep {
  const { agent_id, environment } = entry
  return { agent_id, environment, stamp, evaluated_at: now, ...keptOf(found) }
}

/** What an evaluation found, by ids of tenants and tasks. */
export function keptOf({ gate, problem, live }: EvaluatedPlace): KeptPlace {
  const broken = live?.broken.map(({ text }) => text) ?? []
  const wrong = {
    broken,
    ...(live?.silence ? { silence: live.silence.text } : {}),
    ...(live?.other_model ? { other_model: live.other_model.text } : {}),
  }
  if (gate === null) return { gate, problem, ...wrong }
  const { result, verdict, passed, reasons, summary, missing_evidence } = gate.gate
  const { version, baseline_release_id, window } = gate.gate
  return {
    gate: {
      result,
      verdict,
      passed,
      reasons,
      ...(summary === undefined ? {} : { summary }),
      ...(missing_evidence === undefined ? {} : { missing_evidence }),
      version,
      baseline_release_id,
      window,
    },
    problem,
    ...wrong,
  }
}

/** Whether what is kept is less than a minute old and still holds: it is not written again. */
export function isFresh({ kept, stamp }: OpenPlace, now: number): boolean {
  return kept?.stamp === stamp && Math.abs(now - kept.evaluated_at) < MINUTE_MS
}

/** How old an answer may be before a place is evaluated again, ms. */
const FRESH_MS = 5 * MINUTE_MS

/** Places to evaluate: those first of which nothing is known that still holds; of these and of the others the longest ago. */
export function duePlaces(places: readonly OpenPlace[], now: number): OpenPlace[] {
  const validSince = ({ kept, stamp }: OpenPlace): number =>
    kept?.stamp === stamp && kept.evaluated_at <= now ? kept.evaluated_at : Number.NEGATIVE_INFINITY
  const since = ({ lastEvaluated }: OpenPlace): number => lastEvaluated ?? Number.NEGATIVE_INFINITY
  return places
    .filter(({ entry, candidate }) => entry.promoted !== null || candidate !== null)
    .filter(place => now - validSince(place) >= FRESH_MS)
    .toSorted((a, b) => validSince(a) - validSince(b) || since(a) - since(b) || 0)
}

/** Most places that upkeep evaluates in a minute. */
const AT_ONCE = 50

/** Evaluates places in turn, for the board, each by facts that are read again. */
export async function keepPlaces(ledger: Ledger, pace: Pace): Promise<void> {
  const { places, facts } = await readPlaces(ledger, EVERYTHING)
  await keepAnswers(ledger.sql, [], facts)
  for (const { entry } of duePlaces(places, ledger.now()).slice(0, AT_ONCE)) {
    await pace(async () => {
      const scope = { agents: [entry.agent_id], environments: [entry.environment] }
      const { places: fresh, facts: read } = await readPlaces(ledger, scope, { skipsKept: true })
      const now = ledger.now()
      // Another server may have evaluated it meanwhile.
      const [place] = duePlaces(fresh, now)
      const found = place && (await evaluateOrLog({ ...ledger, nextTurn: () => {} }, place))
      await keepAnswers(ledger.sql, found === undefined ? [] : [toKeep(place!, found, now)], read)
    })
  }
}

export const evaluatedAt = (kept: PlaceToKeep | undefined): string | null =>
  kept === undefined ? null : isoTime(kept.evaluated_at)
