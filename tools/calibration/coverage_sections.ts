import {
  RARE_ERRORS,
  alone,
  bySession,
  byTenant,
  coverage,
  inTime,
  quantileCoverage,
  unchanged,
} from './coverage.ts'
import { type Effort, INDEPENDENT, SHAPES, type Section, noise, share } from './effort.ts'
import { percent, percents, table } from './markdown.ts'
import { type Shape, byLabel, sessions } from './traffic.ts'

export function coverageSection(effort: Effort): Section {
  const sizes = [
    [50, 50],
    [200, 200],
    [500, 500],
    [5000, 5000],
    [5000, 500],
    [5000, 50],
  ] as const
  const rows = sizes.map(([b, c]) => {
    const of = (name: string, shape: Shape, rate: boolean): string => {
      const found = [alone, inTime].map(cut =>
        coverage(`${name} ${b} ${c}`, unchanged(shape, b, c, cut), { ...share(effort, 1), rate }),
      )
      const [known, blocks] = found as [(typeof found)[0], (typeof found)[0]]
      const both = rate ? [known.difference] : [known.difference, known.relative]
      return `${percents(both, 1)} (${percent(blocks.difference, 1)})`
    }
    return [
      `${b} / ${c}`,
      ...INDEPENDENT.map(name => of(name, SHAPES[name]!, false)),
      of('errors', RARE_ERRORS, true),
    ]
  })
  return {
    text: `## Do 95 % intervals hold the truth in 95 of 100 cases?

Runs that don't depend on each other, unchanged sides; Welch / Fieller, of errors Newcombe, in percent. In brackets the
difference as a diff has it: in 24 blocks of time, of whose variance and that of independent runs the larger counts. ${effort.reps}
repetitions: a figure is within ${noise(effort.reps)} of the truth in 95 of 100 cases.

${table(['runs, baseline / candidate', ...INDEPENDENT, 'errors 1 %'], rows)}`,
  }
}

export function clusterSection(effort: Effort): Section {
  const sampling = share(effort, 5)
  const session = (n: number): (string | undefined)[][] =>
    [0.1, 0.2, 0.3].map(correlation => {
      const shape = sessions(correlation)
      const name = `sessions ${correlation} ${n}`
      return [
        `sessions, correlation ${correlation}, ${n} runs`,
        percent(coverage(name, unchanged(shape, n, n, alone), sampling).difference, 1),
        percent(coverage(name, unchanged(shape, n, n, inTime), sampling).difference, 1),
        percent(
          coverage(name, bySession(shape, n), { ...sampling, options: { clusters: 'units' } }).difference,
          1,
        ),
      ]
    })
  const tenant = (routing: 'runs' | 'tenants', n: number): string[] => [
    `200 tenants, ${routing === 'runs' ? 'each run on a side at random' : 'each tenant on one side'}, ${n} runs`,
    ...([alone, inTime, byLabel] as const).map(cut => {
      const options = { clusters: cut === byLabel ? ('units' as const) : ('blocks' as const) }
      const name = `tenants ${routing} ${n}`
      return percent(coverage(name, byTenant(routing, n, cut), { ...sampling, options }).difference, 1)
    }),
  ]
  return {
    text: `## Runs that depend on each other

The same for runs that resemble those of their session (5 runs on average, four sessions at a time) or of their tenant
(sizes by Zipf's law). ${sampling.reps} repetitions, within ${noise(sampling.reps)}.

${table(
  ['traffic', 'taken as independent', '24 blocks of time', 'by session or tenant'],
  [
    ...session(500),
    ...session(5000),
    tenant('runs', 500),
    tenant('runs', 5000),
    tenant('tenants', 500),
    tenant('tenants', 5000),
  ],
)}`,
  }
}

export function quantileSection(effort: Effort): Section {
  const sampling = share(effort, 5)
  const quantiles = [
    ['p50', 0.5, 0],
    ['p95', 0.95, 1.6448536269514722],
    ['p99', 0.99, 2.3263478740408408],
  ] as const
  const rows = quantiles.flatMap(([name, p, z]) =>
    [100, 500, 2000]
      .filter(n => n >= 381 || p < 0.99)
      .map(n => {
        const found = quantileCoverage(`${name} ${n}`, n, p, 1000 * Math.exp(z), sampling.reps, effort.seed)
        return [name, String(n), percent(found.quantile, 1), percent(found.difference, 1)]
      }),
  )
  return {
    text: `## Percentiles

Log-normal latency, percentiles read from bins that are 2 % wide; intervals end at edges of bins. ${sampling.reps} repetitions.

${table(['percentile', 'runs', 'of one side', 'difference'], rows)}`,
  }
}
