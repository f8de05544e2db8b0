export interface Metric {
  readonly help: string
  readonly type: string
  readonly samples: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[]
}

const HELP = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (\S.*)$/
const TYPE = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped)$/
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{([^{}]*)\})? (-?\d+(?:\.\d+)?)$/
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"$/

/**
 * Parses the text exposition format 0.0.4, stricter than a scraper has to be: HELP, TYPE and samples of a metric
 * stand together in this order, nothing is repeated, and other comments come first. Throws on anything else.
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
  return { comments, metrics }
}

function addSample(
  metric: { type: string; samples: Metric['samples'][number][] } | undefined,
  current: string,
  line: string,
): void {
  const [, name, labelText, value] = SAMPLE.exec(line) ?? []
  if (name !== current || metric === undefined || metric.type === '') throw new Error(`not a sample: ${line}`)
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
  const key = JSON.stringify(labels)
  if (metric.samples.some(sample => JSON.stringify(sample.labels) === key)) {
    throw new Error(`a sample comes twice: ${line}`)
  }
  metric.samples.push({ labels, value: Number(value) })
}
