import { TEMPLATES, TEMPLATE_ERROR_RATE, type Template } from '../../src/features/advice/templates.ts'
import { compareMeans, compareRates } from '../../src/rules/statistics/compare.ts'
import { decideChange } from '../../src/rules/statistics/decide.ts'
import { inTime } from './coverage.ts'
import { type Effort, type Section, share } from './effort.ts'
import { percent, percents, table } from './markdown.ts'
import { type Shape, errors, randomOf, varying } from './traffic.ts'

/** Means of cost and latency by how much they rise, and of the error rate by how many points. */
export interface Change {
  readonly mean: number
  readonly rate: number
}

/** Share of the repetitions in which a release that changed so passes all limits of a template at once. */
export function templatePasses(
  { runs, variation, limits }: Template,
  name: string,
  change: Change,
  { reps, seed }: Effort,
): number {
  const random = randomOf(seed, `template ${name} ${change.mean} ${change.rate}`)
  const pair = (shape: Shape, by: number) =>
    [inTime(shape(random, runs, 0), runs), inTime(shape(random, runs, by), runs)] as const
  let passed = 0
  for (let rep = 0; rep < reps; rep++) {
    const outcomes = [
      ...[limits.max_cost_increase_pct, limits.max_latency_increase_pct].map(limit =>
        decideChange(
          compareMeans(...pair(varying(variation), change.mean)),
          { limit, of: 'relative_change' },
          'block',
        ),
      ),
      decideChange(
        compareRates(...pair(errors(TEMPLATE_ERROR_RATE), change.rate)),
        { limit: limits.max_error_rate_increase, of: 'difference' },
        'block',
      ),
    ]
    if (outcomes.every(({ outcome }) => outcome === 'pass')) passed += 1
  }
  return passed / reps
}

export function templateSection(effort: Effort): Section {
  const rows = Object.entries(TEMPLATES).map(([name, template]) => {
    const part = share(effort, template.runs > 10_000 ? 50 : 10)
    const { limits } = template
    const passes = (by: number): number =>
      templatePasses(
        template,
        name,
        { mean: by * limits.max_cost_increase_pct, rate: by * limits.max_error_rate_increase },
        part,
      )
    return [
      `\`${name}\``,
      String(template.runs),
      String(template.variation),
      `+${percent(limits.max_cost_increase_pct)} %, +${percent(limits.max_latency_increase_pct)} %, +${percent(limits.max_error_rate_increase, 1)} points`,
      percent(passes(0)),
      percents([passes(1), passes(2)], 1),
    ]
  })
  return {
    text: `## The templates of a policy

\`svc policy template --traffic NAME\` prints limits for such traffic: log-normal cost and latency, ${percent(TEMPLATE_ERROR_RATE)} % of the runs fail, 24 blocks
of time. In how many of 100 cases all limits pass at once, for an unchanged release, and for one whose cost, latency and
error rate all rose by their limit, and by twice that.

${table(['traffic', 'runs per side', 'variation', 'limits of cost, latency, errors', 'unchanged passes', 'at the limit / twice'], rows)}`,
  }
}
