import type { ExportBody } from '../../../src/otlp/body.ts'
import { receiveExport } from '../../../src/otlp/receive.ts'
import type { KnownRelease, Wanted } from '../../../src/otlp/releases.ts'
import { type DraftedEvent, eventOf } from '../../../src/otlp/runs.ts'
import { NOON, type TestResource, jsonExport } from './exports.ts'

/** A release of the agent `bot`, version 1.5.0, whose table prices m1 and m2. */
export function releaseOf(overrides: Partial<KnownRelease> = {}): KnownRelease {
  return {
    release_id: 'rel_1',
    agent_id: 'bot',
    version: '1.5.0',
    checksum: 'a'.repeat(64),
    model: 'm1',
    pricing: { provider: 'acme', pricing_version: 'v1' },
    models: new Set(['m1', 'm2']),
    ...overrides,
  }
}

export interface Outcome {
  readonly events: readonly DraftedEvent[]
  /** Spans of which no run was made, by reason. */
  readonly rejected: number
  readonly message: string
  readonly wanted: Wanted | undefined
}

/** What comes of a body, where these releases are registered, at noon. */
export async function outcomeOf(
  body: ExportBody,
  releases: readonly KnownRelease[] = [releaseOf()],
  now = NOON,
): Promise<Outcome> {
  let wanted: Wanted | undefined
  const lookup = async (asked: Wanted): Promise<readonly KnownRelease[]> => {
    wanted = asked
    return releases
  }
  const { drafts, answer } = await receiveExport(body, {
    lookup,
    nextTurn: async () => {},
    environment: 'local',
    now,
  })
  const events = drafts.map(eventOf)
  if (body.format === 'protobuf') return { events, rejected: Number.NaN, message: '', wanted }
  const told = JSON.parse(new TextDecoder().decode(answer.body)) as {
    partialSuccess?: { rejectedSpans: string; errorMessage: string }
  }
  const { rejectedSpans = '0', errorMessage = '' } = told.partialSuccess ?? {}
  return { events, rejected: Number(rejectedSpans), message: errorMessage, wanted }
}

export function jsonBody(...resources: readonly TestResource[]): ExportBody {
  return { bytes: new TextEncoder().encode(jsonExport(...resources)), format: 'json', encoding: null }
}
