export interface Metric {
  readonly help: string
  readonly type: string
  readonly samples: readonly Sample[]
}

interface Sample {
  /** `_bucket`, `_sum` or `_count` of a histogram. */
  readonly suffix?: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const HELP = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (\S.*)$/
const TYPE = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped)$/
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[^"{}]|"[^"]*")*)\})? (-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)$/
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"$/

/**
 * Parses the text exposition format 0.0.4, stricter than a scraper has to be: HELP, TYPE and samples of a metric
 * are together in this order, nothing is repeated, and other comments come first. Throws on anything else.
 */
export function parsePrometheus(text: string): { comments: string[]; metrics: Map<string, Metric> } {
  if (!text.endsWith('\n') || text.endsWith('\n\n')) throw new Error('must end with exactly one line feed')
  const comments: string[] = []
  const metrics = new Map<string, { help: string; type: string; samples: Metric['samples'][number][] }>()
  let current = ''
  for (const line of text.slice(0, -1).split('\n')) {
    const help = HELP.exec(line)
    const type = TYPE.exec(line)
    if (help !== null) {
      current = help[1]!
      if (metrics.has(current)) throw new Error(`${current} comes twice`)
      metrics.set(current, { help: help[2]!, type: '', samples: [] })
    } else if (type !== null) {
      const metric = metrics.get(current)
      if (type[1] !== current || metric?.type !== '' || metric.samples.length > 0) {
        throw new Error(`TYPE does not follow its HELP: ${line}`)
      }
      metric.type = type[2]!
    } else if (line.startsWith('#')) {
      if (metrics.size > 0) throw new Error(`a comment among the metrics: ${line}`)
      comments.push(line)
    } else {
      addSample(metrics.get(current), current, line)
    }
  }
  for (const [name, metric] of metrics) if (metric.type === 'histogram') requireHistogram(name, metric)
  return { comments, metrics }
}

/** Buckets only grow to the right, the last one has no bound and holds all. */
function requireHistogram(name: string, { samples }: Metric): void {
  const series = Map.groupBy(samples, ({ labels }) => JSON.stringify({ ...labels, le: '' }))
  for (const [labels, own] of series) {
    const buckets = own.filter(({ suffix }) => suffix === '_bucket')
    const bounds = buckets.map(bucket => (bucket.labels.le === '+Inf' ? Infinity : Number(bucket.labels.le)))
    const counts = buckets.map(({ value }) => value)
    const total = own.find(({ suffix }) => suffix === '_count')?.value
    const ascends = (values: number[]): boolean =>
      values.every((value, i) => i === 0 || value >= values[i - 1]!)
    if (!ascends(bounds) || !ascends(counts) || bounds.at(-1) !== Infinity || counts.at(-1) !== total) {
      throw new Error(`not a histogram: ${name} ${labels}`)
    }
    if (!own.some(({ suffix }) => suffix === '_sum')) throw new Error(`${name} ${labels} has no sum`)
  }
}

function addSample(
  metric: { type: string; samples: Metric['samples'][number][] } | undefined,
  current: string,
  line: string,
): void {
  const [, name, labelText, value] = SAMPLE.exec(line) ?? []
  if (metric === undefined || metric.type === '') throw new Error(`not a sample: ${line}`)
  const suffix = name?.startsWith(current) === true ? name.slice(current.length) : undefined
  const suffixes = metric.type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
  if (suffix === undefined || !suffixes.includes(suffix)) throw new Error(`not a sample: ${line}`)
  const labels = Object.fromEntries(
    (labelText ?? '')
      .split(',')
      .filter(label => label !== '')
      .map(label => {
        const match = LABEL.exec(label)
        if (match === null) throw new Error(`not a label: ${label}`)
        return [match[1]!, match[2]!]
      }),
  )
  const key = suffix + JSON.stringify(labels)
  if (metric.samples.some(sample => (sample.suffix ?? '') + JSON.stringify(sample.labels) === key)) {
    throw new Error(`a sample comes twice: ${line}`)
  }
  metric.samples.push({ ...(suffix === '' ? {} : { suffix }), labels, value: Number(value) })
}
