import { MINUTE_MS, isoTime } from '../../../src/base/time.ts'
import { binOf } from '../../../src/rules/statistics/bins.ts'

type Fields = Record<string, unknown>

/** What an engine has of a run: one of each run_id, the first that came. */
export interface EngineRun {
  readonly release_id: string
  readonly environment: string
  readonly agent_id: string
  readonly tenant_id: string
  readonly task_id: string
  readonly at: number
  readonly isEnd: boolean
  readonly success: boolean
  readonly latency: number | null
  readonly usage: readonly Usage[]
  readonly scores: Readonly<Record<string, number>>
}

interface Usage {
  readonly provider: string
  readonly model: string
  readonly input: number
  readonly output: number
  readonly cached: number
  readonly written: number
}

/** Run events as an engine has them: a run_start has no tokens and no latency yet. */
export function engineRuns(events: readonly Fields[]): EngineRun[] {
  const first = new Map<string, EngineRun>()
  for (const event of events) {
    const run_id = event.run_id as string
    if (first.has(run_id)) continue
    const { metrics, usage } = event as { metrics: Fields; usage: { model: Fields; models?: Fields[] } }
    const isEnd = event.type !== 'run_start'
    const used = [usage.model, ...(usage.models ?? [])].map((of): Usage => ({
      provider: of.provider as string,
      model: of.model as string,
      input: isEnd ? (of.input_tokens as number) : 0,
      output: isEnd ? (of.output_tokens as number) : 0,
      cached: isEnd ? ((of.cached_input_tokens as number | undefined) ?? 0) : 0,
      written: isEnd ? ((of.cache_write_input_tokens as number | undefined) ?? 0) : 0,
    }))
    first.set(run_id, {
      release_id: event.release_id as string,
      environment: event.environment as string,
      agent_id: event.agent_id as string,
      tenant_id: event.tenant_id as string,
      task_id: event.task_id as string,
      at: Date.parse(event.timestamp as string),
      isEnd,
      success: metrics.success as boolean,
      latency: isEnd ? (metrics.latency_ms as number | null) : null,
      usage: isEnd ? used : used.slice(0, 1),
      scores: isEnd ? ((event.scores as Record<string, number> | undefined) ?? {}) : {},
    })
  }
  return [...first.values()]
}

/** The first line of an import. */
export function headerOf(from: number, to: number, more: Fields = {}): Fields {
  return {
    aggregates: 'v1',
    source: 'clickhouse-eu',
    engine: 'ClickHouse 26.9',
    query_sha256: 'f'.repeat(64),
    as_of: isoTime(to),
    covers: { from_ms: from, to_ms: to },
    ...more,
  }
}

/** What an engine sums of these runs. `segments` also sums them by tenant and task. */
export function aggregatesOf(runs: readonly EngineRun[], { width_s = 60, segments = true } = {}): Fields[] {
  const aggregates = new Map<string, Fields>()
  const add = (key: readonly unknown[], fields: Fields, sums: Readonly<Record<string, number>>): void => {
    const text = JSON.stringify(key)
    const aggregate = aggregates.get(text) ?? { ...fields }
    aggregates.set(text, aggregate)
    for (const [name, value] of Object.entries(sums))
      aggregate[name] = ((aggregate[name] as number | undefined) ?? 0) + value
  }
  for (const run of runs) {
    const { release_id, environment, agent_id, at, latency } = run
    const at_ms = Math.floor(at / (width_s * 1000)) * width_s * 1000
    const place = { release_id, environment, at_ms, width_s }
    const of = segments ? [{}, { tenant: run.tenant_id }, { task: run.task_id }] : [{}]
    const [own, ...others] = run.usage
    for (const segment of of) {
      const { provider, model, input, output, cached, written } = own!
      add(
        ['runs', place, provider, model, segment],
        { aggregate: 'runs', ...place, agent_id, provider, model, ...segment },
        {
          runs: 1,
          errors: run.success ? 0 : 1,
          latency_count: latency === null ? 0 : 1,
          latency_sum: latency ?? 0,
          latency_sq: (latency ?? 0) ** 2,
          ...momentsOf({ input, output, cached }),
        },
      )
      const parts = [
        ...(written === 0 ? [] : [{ ...own!, input: 0, output: 0, cached: 0, written }]),
        ...others,
      ]
      for (const part of merged(parts)) {
        add(
          ['parts', place, part.provider, part.model, segment],
          { aggregate: 'parts', ...place, agent_id, provider: part.provider, model: part.model, ...segment },
          {
            parts: 1,
            ...momentsOf({
              input: part.input,
              output: part.output,
              cached: part.cached,
              write: part.written,
            }),
          },
        )
      }
    }
    for (const [name, score] of Object.entries(run.scores)) {
      const millionths = Math.round(score * 1e6)
      add(
        ['scores', place, name],
        { aggregate: 'scores', ...place, name },
        {
          runs: 1,
          score_sum: millionths,
          score_sq: millionths ** 2,
        },
      )
    }
    if (latency === null) continue
    const ten = Math.floor(at / (10 * MINUTE_MS)) * 10 * MINUTE_MS
    const key = JSON.stringify(['latency', release_id, environment, ten])
    const histogram = aggregates.get(key) ?? {
      aggregate: 'latency',
      release_id,
      environment,
      at_ms: ten,
      width_s: 600,
      bins: {},
      largest: 0,
    }
    aggregates.set(key, histogram)
    const bins = histogram.bins as Record<string, number>
    bins[binOf(latency)] = (bins[binOf(latency)] ?? 0) + 1
    histogram.largest = Math.max(histogram.largest as number, latency)
  }
  return [...aggregates.values()]
}

/** What a run used of one model in addition to its own counts once. */
export function merged(parts: readonly Usage[]): Usage[] {
  const groups = Map.groupBy(parts, ({ provider, model }) => `${provider}\0${model}`)
  return Array.from(groups.values(), group => {
    const sum = (of: 'input' | 'output' | 'cached' | 'written') =>
      group.reduce((total, part) => total + part[of], 0)
    const { provider, model } = group[0]!
    return {
      provider,
      model,
      input: sum('input'),
      output: sum('output'),
      cached: sum('cached'),
      written: sum('written'),
    }
  })
}

function momentsOf(values: Readonly<Record<string, number>>): Record<string, number> {
  const entries = Object.entries(values)
  return Object.fromEntries([
    ...entries.map(([name, value]) => [`${name}_sum`, value]),
    ...entries.map(([name, value]) => [`${name}_sq`, value * value]),
    ...entries.flatMap(([name, value], index) =>
      entries.slice(index + 1).map(([other, factor]) => [`${name}_${other}`, value * factor]),
    ),
  ]) as Record<string, number>
}

/** The body of an import. */
export function linesOf(header: Fields, aggregates: readonly Fields[]): string {
  return [header, ...aggregates].map(line => `${JSON.stringify(line)}\n`).join('')
}
