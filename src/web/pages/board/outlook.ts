import { useCallback, useEffect } from 'preact/hooks'
import type { BoardEntry } from '../../../models/answers/board.ts'
import type { Reach } from '../../../models/answers/decision.ts'
import type { DiffReport } from '../../../models/answers/diff.ts'
import type { DiffStatistics } from '../../../models/answers/statistics.ts'
import type { Gate } from '../../../models/deploys/gate.ts'
import { callApi } from '../../api.ts'
import { type PolicyJudged, judged } from '../../../rules/verdict_words.ts'
import { withGate } from '../../components/judged.ts'
import { get, isPaused } from '../../query.ts'
import { gateCall, pairOf } from '../../reads.ts'
import { USUAL_WINDOW, likelyWindow } from '../../../rules/window.ts'
import { signal } from '../../signal.ts'

/** What would become of the release that could be next, by the window that a decision opens on. */
export interface Outlook {
  readonly window: string
  /** Why there is no answer. */
  readonly problem?: string
  readonly policy?: PolicyJudged
  readonly statistics?: DiffStatistics
}

/** Reads at once, and the pause between two that only refresh, ms: a board that is open all day stays below 10 MB. */
const [MOST, PAUSE_MS] = [3, 180_000]

const known = signal<ReadonlyMap<string, Outlook>>(new Map())
/** When each was last read, epoch ms. */
const readAt = new Map<string, number>()
let [open, lastAt] = [0, 0]

/** The outlook of each place that has a candidate, as far as it has been read. */
export function useOutlooks(entries: readonly BoardEntry[]): (entry: BoardEntry) => Outlook | undefined {
  useEffect(() => {
    readNext(entries)
    const timer = setInterval(() => readNext(entries), 1000)
    return () => clearInterval(timer)
  }, [entries])
  const answers = known.value
  return useCallback((entry: BoardEntry) => answers.get(keyOf(entry) ?? ''), [answers])
}

/** The release that could be promoted next: newer than the live one, and not one that was rolled back. */
export function candidateOf({ promoted, newest_release }: BoardEntry): BoardEntry['newest_release'] {
  if (newest_release === null || newest_release.release_id === promoted?.release_id) return null
  return newest_release.rolled_back_at === undefined ? newest_release : null
}

/** A place with something live and something newer; another release on either side is another question. */
function keyOf(entry: BoardEntry): string | undefined {
  const candidate = candidateOf(entry)
  if (entry.promoted === null || candidate === null || candidate.unpriced === true) return undefined
  const place: Place = [entry.agent_id, entry.environment, entry.promoted.release_id, candidate.release_id]
  return JSON.stringify(place)
}

function readNext(entries: readonly BoardEntry[]): void {
  if (document.hidden || isPaused.value) return
  const keys = entries.map(keyOf).filter(key => key !== undefined)
  for (const key of keys) {
    if (open >= MOST) return
    if (!readAt.has(key)) void read(key)
  }
  const oldest = keys.toSorted((a, b) => readAt.get(a)! - readAt.get(b)!)[0]
  if (oldest !== undefined && open === 0 && Date.now() - lastAt >= PAUSE_MS) void read(oldest)
}

async function read(key: string): Promise<void> {
  open += 1
  lastAt = Date.now()
  readAt.set(key, lastAt)
  const outlook = await outlookOf(JSON.parse(key) as Place)
  open -= 1
  readAt.set(key, Date.now())
  known.value = new Map(known.value).set(key, outlook)
}

/** A place, what is live there, and what could be next. */
type Place = readonly [agent: string, environment: string, baseline: string, candidate: string]

async function outlookOf(place: Place): Promise<Outlook> {
  const [, environment, baseline, candidate] = place
  try {
    const usual = await judgedOver(place, USUAL_WINDOW)
    if (!judged(usual.policy, undefined).isUnsure) return usual
    const pair = pairOf({ environment, baseline, candidate, window: USUAL_WINDOW })
    const window = likelyWindow(await callApi<Reach>(get('v1/confidence', pair)))
    return window === USUAL_WINDOW ? usual : await judgedOver(place, window)
  } catch (error) {
    return { window: USUAL_WINDOW, problem: (error as Error).message }
  }
}

/** As the page of the diff judges: the gate knows conditions of features, the diff knows who is hit. */
async function judgedOver([agent, environment, baseline, candidate]: Place, window: string) {
  const comparing = { environment, baseline, candidate, window }
  const [{ policy, statistics }, gate] = await Promise.all([
    callApi<DiffReport>({ method: 'POST', path: 'v1/diff', body: pairOf(comparing) }),
    callApi<Gate>(gateCall(agent, comparing)),
  ])
  return { window, policy: withGate(policy, gate), statistics }
}
