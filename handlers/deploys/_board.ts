import { endsSince } from '../../src/features/retirements/known.ts'
import type { Called } from '../../src/http/access/context.ts'
import { namesIn } from '../../src/ledger/assess/naming.ts'
import {
  type FactsToKeep,
  type PlaceToKeep,
  keepAnswers,
  placeOf,
  scopeOf,
} from '../../src/ledger/decide/place_answers.ts'
import type { Board, BoardEntry } from '../../src/models/answers/board.ts'
import { withNames } from '../../src/rules/change_sentence.ts'
import { shortStateOf } from '../../src/rules/place.ts'
import { allowedTo } from './_allowed.ts'
import { concernsOf } from './_concerns.ts'
import { type OpenPlace, duePlaces, evaluatedAt, evaluateOrLog, readPlaces, toKeep } from './_places.ts'

/** Most places that one request evaluates. */
const MOST = 20

/** The board of what the caller may see, with what the last evaluation of each place found. */
export async function answerBoard(context: Called): Promise<Board> {
  const { places, facts, revision, now } = await readPlaces(context, context.caller.scope)
  const renewed = await renewedOf(context, places)
  keepFound(context, renewed.found, [...facts, ...renewed.facts])
  const again = new Map(renewed.places.map(place => [placeOf(place.entry), place]))
  const found = new Map(renewed.found.map(kept => [placeOf(kept), kept]))
  const board = places.map(listed => {
    const key = placeOf(listed.entry)
    const place = again.get(key) ?? listed
    const kept = found.get(key) ?? place.kept
    return { ...place.entry, place: shortOf(context, { ...place, kept }), open: place.open }
  })
  const known = { now, ends: await endsSince(context, revision, now) }
  const names = await namesIn(
    context,
    board.map(({ place }) => place.headline),
  )
  return {
    board: board.map(({ place, open, ...rest }) => {
      const entry = { ...rest, place: { ...place, headline: withNames(place.headline, names) } }
      return { ...entry, concerns: concernsOf(entry, open, known) }
    }),
  }
}

interface Renewed {
  readonly places: readonly OpenPlace[]
  readonly found: readonly PlaceToKeep[]
  readonly facts: readonly FactsToKeep[]
}

/**
 * Evaluates the places that are due, as many as the share of boards allows, by facts that are read again: so what somebody
 * changed of those that are kept is shown until then. A follower can't keep what is found, so upkeep alone does it then.
 */
async function renewedOf(context: Called, listed: readonly OpenPlace[]): Promise<Renewed> {
  const now = context.now()
  const { evaluations } = context.memo
  const due = duePlaces(listed, now).slice(0, MOST)
  const isLeft = context.follower === undefined && evaluations.leftMs(context.elapsed()) > 0
  if (due.length === 0 || !isLeft) return { places: [], found: [], facts: [] }
  const scope = scopeOf(due.map(({ entry }) => entry))
  const { places, facts } = await readPlaces(context, scope, { skipsKept: true })
  const fresh = new Map(places.map(place => [placeOf(place.entry), place]))
  const found: PlaceToKeep[] = []
  for (const { entry } of due) {
    const place = fresh.get(placeOf(entry))
    if (place === undefined) continue
    const began = context.elapsed()
    if (evaluations.leftMs(began) <= 0) break
    await context.nextTurn()
    const evaluated = await evaluateOrLog(context, place)
    const ended = context.elapsed()
    evaluations.take(ended - began, ended)
    if (evaluated === undefined) break
    found.push(toKeep(place, evaluated, now))
  }
  return { places, found, facts }
}

/**
 * Keeps what was found, behind the answer, unless this process is at it for another one. Nothing rests on it: where it isn't
 * written, the next one reads it again.
 */
export function keepFound(
  { sql, memo, follower, afterwards }: Called,
  found: readonly PlaceToKeep[],
  facts: readonly FactsToKeep[],
): void {
  const { keptPlaces } = memo
  if (follower !== undefined || found.length + facts.length === 0) return
  afterwards(async () => {
    if (keptPlaces.isBusy) return
    keptPlaces.isBusy = true
    await keepAnswers(sql, found, facts).catch(() => {})
    keptPlaces.isBusy = false
  })
}

function shortOf(context: Called, place: OpenPlace): BoardEntry['place'] {
  const { candidate, why, kept, stamp, before } = place
  const gate = kept?.gate ?? null
  return {
    ...shortStateOf(place, why, kept),
    candidate: candidate && { ...candidate, version: candidate.version ?? gate?.version ?? null },
    window: gate?.window ?? null,
    allowed: allowedTo(context, { ...place, gate }, before),
    evaluated_at: evaluatedAt(kept),
    ...(kept === undefined || kept.stamp === stamp ? {} : { outdated: true as const }),
  }
}
