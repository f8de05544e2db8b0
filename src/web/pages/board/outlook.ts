import { useEffect } from 'preact/hooks'
import type { BoardEntry } from '../../../models/answers/board.ts'
import type { Reach } from '../../../models/answers/decision.ts'
import type { DiffReport } from '../../../models/answers/diff.ts'
import { isAboutConfidence } from '../../../rules/policy.ts'
import { callApi } from '../../api.ts'
import { type ChangeVerdict, overallVerdict } from '../../components/change.ts'
import { get, isPaused } from '../../query.ts'
import { USUAL_WINDOW, likelyWindow, pairOf } from '../../reads.ts'
import { signal } from '../../signal.ts'

/** What would become of the release that could be next, by the window that a decision opens on. */
export interface Outlook {
  readonly window: string
  /** Why there is no answer. */
  readonly problem?: string
  readonly passed?: boolean
  readonly reasons?: number
  /** Whether only runs are missing. */
  readonly isUnsure?: boolean
  readonly change?: ChangeVerdict
  /** Tenants and tasks that are worse. */
  readonly hotSpots?: number
}

/** Reads at once, and the pause between two that only refresh, ms: a board that is open all day stays cheap. */
const [MOST, PAUSE_MS, OLD_MS] = [3, 30_000, 120_000]

interface Read {
  readonly outlook: Outlook | undefined
  readonly readAt: number
}

const known = signal<ReadonlyMap<string, Read>>(new Map())
let [open, lastAt] = [0, 0]

/** The outlook of each place that has a candidate, as far as it has been read. */
export function useOutlooks(entries: readonly BoardEntry[]): (entry: BoardEntry) => Outlook | undefined {
  useEffect(() => {
    readNext(entries)
    const timer = setInterval(() => readNext(entries), 1000)
    return () => clearInterval(timer)
  }, [entries])
  const answers = known.value
  return entry => answers.get(keyOf(entry) ?? '')?.outlook
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
  return JSON.stringify([entry.environment, entry.promoted.release_id, candidate.release_id])
}

function readNext(entries: readonly BoardEntry[]): void {
  if (document.hidden || isPaused.value) return
  const keys = entries.map(keyOf).filter(key => key !== undefined)
  for (const key of keys) {
    if (open >= MOST) return
    if (!known.value.has(key)) void read(key)
  }
  const now = Date.now()
  const readAt = (key: string): number => known.value.get(key)!.readAt
  const oldest = keys.toSorted((a, b) => readAt(a) - readAt(b))[0]
  if (oldest === undefined || open > 0 || now - lastAt < PAUSE_MS) return
  if (now - readAt(oldest) >= OLD_MS) void read(oldest)
}

async function read(key: string): Promise<void> {
  open += 1
  lastAt = Date.now()
  note(key, known.value.get(key)?.outlook)
  const [environment, baseline, candidate] = JSON.parse(key) as [string, string, string]
  const outlook = await outlookOf({ environment, baseline, candidate })
  open -= 1
  note(key, outlook)
}

function note(key: string, outlook: Outlook | undefined): void {
  known.value = new Map(known.value).set(key, { outlook, readAt: Date.now() })
}

type Sides = Readonly<Record<'environment' | 'baseline' | 'candidate', string>>

async function outlookOf(sides: Sides): Promise<Outlook> {
  try {
    const usual = { ...sides, window: USUAL_WINDOW }
    const report = await diffOf(usual)
    if (!isUnsure(report)) return outlookFrom(report, USUAL_WINDOW)
    const window = likelyWindow(await callApi<Reach>(get('v1/confidence', pairOf(usual))))
    return outlookFrom(window === USUAL_WINDOW ? report : await diffOf({ ...sides, window }), window)
  } catch (error) {
    return { window: USUAL_WINDOW, problem: (error as Error).message }
  }
}

const diffOf = (comparing: Sides & { window: string }): Promise<DiffReport> =>
  callApi<DiffReport>({ method: 'POST', path: 'v1/diff', body: pairOf(comparing) })

const isUnsure = ({ policy }: DiffReport): boolean =>
  !policy.passed && policy.reasons.every(isAboutConfidence)

function outlookFrom(report: DiffReport, window: string): Outlook {
  const { policy, statistics } = report
  return {
    window,
    passed: policy.passed,
    reasons: policy.reasons.length,
    isUnsure: isUnsure(report),
    change: overallVerdict(statistics),
    hotSpots: statistics.hot_spots?.found_in_all ?? 0,
  }
}
