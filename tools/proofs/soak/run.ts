import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFileSync, readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { withService } from '../service.ts'
import { attacked } from './attacked.ts'
import { startLoad } from './load.ts'
import { type Sample, slopeOf } from './slope.ts'

/** What a server that leaks would grow by in an hour of this load, at least, MB. */
const MOST_GROWTH_MB = 32
/** The first part is left out: caches fill, and code is compiled. */
const WARM_UP = 1 / 4

const SERVICE_YAML = {
  retention: { events: '1d', webhook_deliveries: '10m', idempotency_keys: '10m' },
  diff: { min_candidate_runs: 0, min_baseline_runs: 0, min_low_runs: 0 },
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    attacked: { type: 'boolean', default: false },
  },
})
const MINUTES = Number(values.minutes)

if (values.attacked) process.exit((await attacked(MINUTES)) ? 0 : 1)

process.stdout.write(`soak: ${MINUTES} minutes of mixed load\n`)
const receiver = createServer((request, response) => {
  request.resume()
  response.writeHead(204).end()
})
await new Promise<void>(resolve => {
  receiver.listen(0, '127.0.0.1', resolve)
})
try {
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const samples = await withService({}, (url, pid) => measure(url, pid, hook), SERVICE_YAML)
  report(samples)
} finally {
  receiver.close()
}

/** A sample a minute; shorter runs have 20. */
async function measure(url: string, pid: number, hook: string): Promise<Sample[]> {
  const load = await startLoad(url, hook)
  const everyMs = (MINUTES * 60_000) / Math.max(20, MINUTES)
  const samples: Sample[] = []
  const startedAt = performance.now()
  while (performance.now() - startedAt < MINUTES * 60_000) {
    await new Promise(resolve => setTimeout(resolve, everyMs))
    const { latencies, failed } = load.taken()
    const sorted = latencies.toSorted((a, b) => a - b)
    const sample = {
      minute: (performance.now() - startedAt) / 60_000,
      rss_mb: rssOf(pid),
      p50_ms: sorted[Math.floor(sorted.length / 2)] ?? 0,
      p99_ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
      handles: readdirSync(`/proc/${pid}/fd`).length,
      requests: sorted.length,
      failed,
    }
    samples.push(sample)
    process.stdout.write(`${JSON.stringify(rounded(sample))}\n`)
  }
  await load.stop()
  return samples
}

function report(samples: readonly Sample[]): void {
  const steady = samples.slice(Math.floor(samples.length * WARM_UP))
  const slopes = (['rss_mb', 'p50_ms', 'p99_ms', 'handles'] as const).map(field => ({
    field,
    ...slopeOf(steady, field),
  }))
  for (const { field, perHour, error, first, last } of slopes) {
    const change = `${perHour.toFixed(2)} ± ${error.toFixed(2)} an hour`
    process.stdout.write(
      `${field}: ${change}; mean ${first.toFixed(1)} at first, ${last.toFixed(1)} at last\n`,
    )
  }
  const total = samples.reduce((sum, { requests }) => sum + requests, 0)
  const failed = samples.reduce((sum, sample) => sum + sample.failed, 0)
  process.stdout.write(`${total} requests, ${failed} failed\n`)
  const memory = slopes[0]!
  const grows = memory.perHour - 2 * memory.error > MOST_GROWTH_MB
  process.exitCode = failed > 0 || grows || slopes[3]!.last > slopes[3]!.first + 20 ? 1 : 0
}

function rssOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  return Number(kilobytes) / 1024
}

function rounded(sample: Sample): Record<string, number> {
  return Object.fromEntries(
    Object.entries(sample).map(([name, value]) => [name, Math.round(Number(value) * 10) / 10]),
  )
}
