import { acceptedAnswer } from '../../../src/features/traces/answer.ts'
import { type ExportBody, readExport } from '../../../src/features/traces/body.ts'
import { type KeptSpan, type StoredRun, spanOfText, textOfSpan } from '../../../src/features/traces/kept.ts'
import { makeRuns } from '../../../src/features/traces/receive.ts'
import { processOf } from '../../../src/features/traces/repeated.ts'
import type { KnownRelease, ReleaseLookup } from '../../../src/features/traces/releases.ts'
import { type DraftedEvent, eventOf } from '../../../src/features/traces/runs.ts'
import { NOON, type TestResource, jsonExport } from './exports.ts'

/** A release of the agent `bot`, version 1.5.0, whose table prices m1 and m2. */
export function releaseOf(overrides: Partial<KnownRelease> = {}): KnownRelease {
  return {
    release_id: 'rel_1',
    agent_id: 'bot',
    version: '1.5.0',
    environment: 'local',
    checksum: 'a'.repeat(64),
    model: 'm1',
    pricing: { provider: 'acme', pricing_version: 'v1' },
    models: new Set(['m1', 'm2']),
    ...overrides,
  }
}

export interface Outcome {
  /** Runs that were not stored before. */
  readonly events: readonly DraftedEvent[]
  /** Spans of which no run was made; NaN for protobuf. */
  readonly rejected: number
  readonly message: string
  readonly wanted: ReleaseLookup | undefined
  readonly answer: ReturnType<typeof acceptedAnswer>
}

/** A service that remembers spans from one request to the next, as a ledger does. */
export interface TestReceiver {
  readonly send: (body: ExportBody, now?: number) => Promise<Outcome>
  /** What it remembers. */
  readonly kept: () => readonly KeptSpan[]
  /** Forgets what came before a time. */
  readonly forget: (before: number) => void
}

/** `releases` are registered, newest first. */
export function testReceiver(releases: readonly KnownRelease[] = [releaseOf()]): TestReceiver {
  let [kept, seq, forgottenBefore]: [KeptSpan[], number, number] = [[], 0, 0]
  const stored: (StoredRun & { readonly run_id: string })[] = []
  async function send(body: ExportBody, now = NOON): Promise<Outcome> {
    let wanted: ReleaseLookup | undefined
    const received = await makeRuns(await readExport(body), {
      lookup: async query => {
        wanted = query
        return releases
      },
      memory: {
        recall: async traceIds => ({
          now,
          forgottenBefore,
          kept: kept.filter(({ span }) => traceIds.includes(span.traceId)),
        }),
        callsOf: async processes =>
          kept.map(({ span }) => span).filter(span => processes.includes(processOf(span) ?? '')),
        storedRuns: async traceIds => stored.filter(({ traceId }) => traceIds.includes(traceId)),
      },
      nextTurn: async () => {},
      environment: 'local',
      now,
    })
    const events = received.drafts
      .filter(({ run_id }) => stored.every(run => run.run_id !== run_id))
      .map(eventOf)
    for (const { run_id, timestamp, metrics, request } of events) {
      const endMs = Date.parse(timestamp)
      const { trace_id: traceId, span_id: spanId } = request
      stored.push({ run_id, traceId, spanId, endMs, startMs: endMs - metrics.latency_ms })
    }
    const gone = new Set([...received.joined.map(row => row.seq), ...received.settled])
    const reported = new Set(received.reported)
    kept = kept
      .filter(row => !gone.has(row.seq))
      .map(row => (reported.has(row.seq) ? { ...row, isUnreported: false } : row))
    for (const { span, isUnreported } of received.keep) {
      const { traceId, spanId } = span
      kept.push({
        seq: ++seq,
        span: spanOfText(traceId, spanId, textOfSpan(span)),
        arrivedAt: now,
        isUnreported,
      })
    }
    const answer = acceptedAnswer(body.format, received.outcome)
    if (body.format === 'protobuf') return { events, rejected: Number.NaN, message: '', wanted, answer }
    const said = JSON.parse(new TextDecoder().decode(answer.body)) as {
      partialSuccess?: { rejectedSpans: string; errorMessage: string }
    }
    const { rejectedSpans = '0', errorMessage = '' } = said.partialSuccess ?? {}
    return { events, rejected: Number(rejectedSpans), message: errorMessage, wanted, answer }
  }
  return {
    send,
    kept: () => kept,
    forget: before => {
      kept = kept.filter(({ arrivedAt }) => arrivedAt >= before)
      forgottenBefore = before
    },
  }
}

/** What comes of a body alone, where these releases are registered, at noon. */
export function outcomeOf(
  body: ExportBody,
  releases: readonly KnownRelease[] = [releaseOf()],
  now = NOON,
): Promise<Outcome> {
  return testReceiver(releases).send(body, now)
}

export function jsonBody(...resources: readonly TestResource[]): ExportBody {
  return { bytes: new TextEncoder().encode(jsonExport(...resources)), format: 'json', encoding: null }
}
