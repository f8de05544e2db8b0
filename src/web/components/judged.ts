import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { PolicyVerdict } from '../../models/documents/policy.ts'
import { isAboutConfidence } from '../../rules/policy.ts'
import { counted } from '../format.ts'
import type { Tone } from './badge.tsx'
import { METRICS, type MetricName } from './change.ts'

/** What a reader learns of a candidate, wherever it is: in the diff, the dialog, an approval, on an agent's page. */
export interface Judged {
  /** How the policy is shown. */
  readonly tone: Tone
  readonly title: string
  /** How it is worse although it passes: `slower`; empty where it is not. */
  readonly but: string
  readonly isBlocked: boolean
}

const WORSE: Readonly<Record<MetricName, string>> = {
  latency_ms: 'slower',
  cost_per_run_usd: 'costlier',
  error_rate: 'failing more often',
}

export function judged(
  { passed, reasons, warnings = [] }: Pick<PolicyVerdict, 'passed' | 'reasons' | 'warnings'>,
  statistics: DiffStatistics | undefined,
): Judged {
  if (!passed) {
    const isUnsure = reasons.every(isAboutConfidence)
    const title = isUnsure
      ? 'Blocked by policy: too few runs to tell'
      : `Blocked by policy: ${counted(reasons.length, 'reason')}`
    return { tone: isUnsure ? 'warn' : 'bad', title, but: '', isBlocked: true }
  }
  const but = worseWords(statistics)
  const tone = but !== '' || warnings.length > 0 ? 'warn' : 'ok'
  return {
    tone,
    title: but === '' ? 'Passes the policy' : `Passes the policy, but ${but}`,
    but,
    isBlocked: false,
  }
}

/** In what it is worse for all; else that it is for some. */
function worseWords(statistics: DiffStatistics | undefined): string {
  if (statistics === undefined) return ''
  const worse = METRICS.filter(([name]) => statistics[name].verdict === 'worse').map(([name]) => WORSE[name])
  const spots = statistics.hot_spots?.found_in_all ?? 0
  if (worse.length > 0) return worse.join(' and ')
  return spots > 0 ? `worse for ${counted(spots, 'group')}` : ''
}
