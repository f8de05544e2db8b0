import {
  TEMPLATES,
  TEMPLATE_NAMES,
  type Template,
  type TemplateName,
  assumed,
  highestRate,
  margin,
  rateRiseLimit,
  riseLimit,
} from '../../src/features/advice/templates.ts'
import { compareMeans, compareRates } from '../../src/rules/statistics/compare.ts'
import { decideChange } from '../../src/rules/statistics/decide.ts'
import { type Sample, variationOf } from '../../src/rules/statistics/samples.ts'
import { inTime } from './coverage.ts'
import { type Bound, type Effort, type Section, share } from './effort.ts'
import { percent, table } from './markdown.ts'
import { type Shape, errors, randomOf, varying } from './traffic.ts'

const ERROR_RATE = 0.02
/** Share of unchanged releases that pass. */
const LEAST_PASSES: Readonly<Record<TemplateName, number>> = { ci: 0.95, canary: 0.9, 'low-traffic': 0.9 }

/** Means of cost and latency by how much they rise, and of the error rate by how many points. */
interface Change {
  readonly mean: number
  readonly rate: number
}

/**
 * Share of the repetitions in which a release that changed so passes the limits that are derived from the live one's runs, or
 * those of a template that knows of none.
 */
export function templatePasses(
  name: TemplateName,
  change: Change,
  { reps, seed }: Effort,
  isLive = true,
): number {
  const template: Template = TEMPLATES[name]
  const random = randomOf(seed, `template ${name} ${change.mean} ${change.rate}`)
  const pair = (shape: Shape, by: number) =>
    [
      inTime(shape(random, template.runs, 0), template.runs),
      inTime(shape(random, template.runs, by), template.runs),
    ] as const
  let passed = 0
  for (let rep = 0; rep < reps; rep++) {
    const means = [0, 1].map(() => pair(varying(template.variation), change.mean))
    const rates = pair(errors(ERROR_RATE), change.rate)
    const isBelow = [
      ...means.map(([live, release]) => meanPasses(name, live, release, isLive)),
      ratePasses(name, ...rates, isLive),
    ]
    if (isBelow.every(Boolean)) passed += 1
  }
  return passed / reps
}

const measured = ({ moments }: Sample) => ({
  runs: moments.n,
  mean: moments.mean,
  variation: variationOf(moments),
})

function meanPasses(name: TemplateName, live: Sample, release: Sample, isLive: boolean): boolean {
  const template: Template = TEMPLATES[name]
  const known = isLive ? measured(live) : assumed(template).cost
  const limit = name === 'low-traffic' ? undefined : riseLimit(template, template.runs, known)
  if (
    isLive &&
    release.moments.mean > live.moments.mean * (1 + margin(template, template.runs, measured(live)))
  )
    return false
  if (limit === undefined) return true
  const { outcome } = decideChange(compareMeans(live, release), { limit, of: 'relative_change' }, 'block')
  return outcome === 'pass'
}

function ratePasses(name: TemplateName, live: Sample, release: Sample, isLive: boolean): boolean {
  const template: Template = TEMPLATES[name]
  const known = isLive ? measured(live) : assumed(template).errors
  const limit = name === 'low-traffic' ? undefined : rateRiseLimit(template, template.runs, known, !isLive)
  if (isLive && release.moments.mean > highestRate(template, template.runs, measured(live))) return false
  if (limit === undefined) return true
  return decideChange(compareRates(live, release), { limit, of: 'difference' }, 'block').outcome === 'pass'
}

export function templateSection(effort: Effort): Section {
  const part = share(effort, 10)
  const bounds: Bound[] = []
  const templates = [
    ...TEMPLATE_NAMES.map(name => [name, true] as const),
    // Without the runs of a release they derive nothing that is absolute.
    ...TEMPLATE_NAMES.filter(name => name !== 'low-traffic').map(name => [name, false] as const),
  ]
  const rows = templates.map(([name, isLive]) => {
    const { runs, variation } = TEMPLATES[name]
    const label = `\`${name}\`${isLive ? '' : ' without a release'}`
    const passes = (mean: number, rate = 0): number => templatePasses(name, { mean, rate }, part, isLive)
    const [unchanged, failing] = [passes(0), passes(0, 0.48)]
    bounds.push(
      { of: `template ${label}: unchanged passes`, share: unchanged, atLeast: LEAST_PASSES[name] },
      { of: `template ${label}: half of the runs fail, and it passes`, share: failing, atMost: 0 },
    )
    const shares = [unchanged, passes(0.3), passes(1), passes(0, 0.2), failing]
    return [label, String(runs), String(variation), ...shares.map(own => percent(own))]
  })
  return {
    bounds,
    text: `## The templates of a policy

\`svc policy template --for NAME\` derives limits from the runs of the live release. Here both sides have as many runs, log-normal
cost and latency, ${percent(ERROR_RATE)} % failures, in 24 blocks of time. In how many of 100 cases all limits pass at once: for an unchanged
release, for one whose cost and latency rose by 30 % and by 100 %, and for one with 20 and with 48 points more failures. Without
\`--agent\` or \`--from\` there are limits on a change alone.

${table(['for', 'runs per side', 'variation', 'unchanged', '+30 %', '+100 %', '+20 points failures', '+48'], rows)}`,
  }
}
