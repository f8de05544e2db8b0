import type { StoredEvent } from '../models/documents/stored_event.ts'
import { isoTime } from '../base/time.ts'
import { countedModel, isIncomplete, modelIn } from './statistics/incomplete.ts'

/** What the columns of an event's row say of it, with the texts of its ids. */
export interface EventColumns {
  readonly release_id: string
  readonly environment: string
  readonly agent_id: string
  readonly provider: string
  readonly model: string
  readonly run_id: string
  /** Epoch milliseconds. */
  readonly ts: number
  readonly is_end: number
  readonly tenant_id: string
  readonly task_id: string
  readonly success: number
  readonly latency_ms: number | null
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cached_input_tokens: number
  readonly session_id: string | null
  readonly trace_id: string | null
  readonly span_id: string | null
  /** What {@link restOf} made of the event. */
  readonly event_json: string
}

type Tool = StoredEvent['usage']['tools'][number]

/** Of an event what the columns of its row don't hold: tools, labels, and what few events have. */
type Rest = readonly [tools?: readonly ToolRest[], labels?: StoredEvent['labels'], rare?: Rare]

interface Rare {
  /** Where it is finer than milliseconds. */
  timestamp?: string
  workspace_id?: string
  error_type?: string
  /** Of a run_start, which the columns count as none: latency, input, output, cached. */
  numbers?: readonly [number | null, number, number, number]
  /** Where there is a request, and nothing in it. */
  request?: true
  /** Tokens written to a cache. */
  written?: number
  /** The name that the model answered by. */
  served?: string
  /** The other models of the run. */
  models?: StoredEvent['usage']['models']
  scores?: StoredEvent['scores']
  /** Time to first token, ms. */
  ttft?: number
  /** The user that a rollout assigned. */
  unit?: string
}

/**
 * The text that is stored next to the columns of an event: a tag of what its ids mean, and a JSON array where the
 * columns don't hold all of it.
 */
export function restOf(event: StoredEvent): string {
  return eventTag(event) + untaggedRestOf(event)
}

/** The same behind its tag. */
export function untaggedRestOf(event: StoredEvent): string {
  const { usage, labels } = event
  const rare = rareOf(event)
  const isLabelled = rare !== undefined || hasKeys(labels)
  if (usage.tools.length === 0 && !isLabelled) return ''
  const tools = usage.tools.map(toolRest)
  const rest: Rest = isLabelled ? (rare === undefined ? [tools, labels] : [tools, labels, rare]) : [tools]
  return JSON.stringify(rest)
}

type ToolRest = readonly [Tool['tool_name'], Tool['invocations'], Tool['cost_units']]

function toolRest({ tool_name, invocations, cost_units }: Tool): ToolRest {
  return [tool_name, invocations, cost_units]
}

/** What a row names by ids. */
type EventNames = Pick<EventColumns, 'release_id' | 'environment' | 'agent_id' | 'provider' | 'model'>

/** The tag of what the row of an event names. */
export function eventTag(event: StoredEvent): string {
  const { provider, model } = event.usage.model
  return tagOf(event, { provider, model: countedModel(event, model) })
}

/** FNV-1a of 32 bits: enough to notice that an id has come to mean something else. */
function tagOf(
  { release_id, environment, agent_id }: Pick<EventNames, 'release_id' | 'environment' | 'agent_id'>,
  { provider, model }: Pick<EventNames, 'provider' | 'model'>,
): string {
  const ofScope = withNul(hashed(withNul(hashed(FNV_START, release_id)), environment))
  const ofAgent = withNul(hashed(withNul(hashed(ofScope, agent_id)), provider))
  return (hashed(ofAgent, model) >>> 0).toString(36)
}

function hashed(start: number, text: string): number {
  let hash = start
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME)
  }
  return hash
}

/** A NUL between texts, which none of them holds. */
function withNul(hash: number): number {
  return Math.imul(hash, FNV_PRIME)
}

const FNV_START = 0x81_1c_9d_c5
const FNV_PRIME = 0x01_00_01_93

/** Whether the ids of a row mean what they meant when it was written, as far as it can tell. */
export function isTagged(row: EventNames & Pick<EventColumns, 'event_json'>): boolean {
  return row.event_json.split('[', 1)[0] === tagOf(row, row)
}

function hasKeys(value: object): boolean {
  for (const _ in value) return true
  return false
}

function rareOf({
  type,
  timestamp,
  workspace_id,
  metrics,
  usage,
  scores,
  request,
  assignment,
}: StoredEvent): Rare | undefined {
  const rare: Rare = {}
  if (timestamp.length !== ISO_LENGTH) rare.timestamp = timestamp
  if (workspace_id !== USUAL_WORKSPACE) rare.workspace_id = workspace_id
  if (metrics.error_type !== null) rare.error_type = metrics.error_type
  if (type === 'run_start') {
    const { input_tokens, output_tokens, cached_input_tokens } = usage.model
    rare.numbers = [metrics.latency_ms, input_tokens, output_tokens, cached_input_tokens]
  }
  if (
    request !== null &&
    request.session_id === null &&
    request.trace_id === null &&
    request.span_id === null
  ) {
    rare.request = true
  }
  const { cache_write_input_tokens, served_model } = usage.model
  if (cache_write_input_tokens !== undefined) rare.written = cache_write_input_tokens
  if (served_model !== undefined) rare.served = served_model
  if (usage.models !== undefined) rare.models = usage.models
  if (scores !== undefined) rare.scores = scores
  if (metrics.ttft_ms !== undefined) rare.ttft = metrics.ttft_ms
  if (assignment !== undefined) rare.unit = assignment.unit
  return hasKeys(rare) ? rare : undefined
}

const ISO_LENGTH = '1970-01-01T00:00:00.000Z'.length
const USUAL_WORKSPACE = 'ws_local'

/** The normalised JSON text of a stored event, byte for byte what it was when it came in. */
export function eventText(row: EventColumns): string {
  return JSON.stringify(eventOf(row))
}

function eventOf(row: EventColumns): StoredEvent {
  const start = row.event_json.indexOf('[')
  const rest = (start < 0 ? [] : JSON.parse(row.event_json.slice(start))) as Rest
  const [tools = [], labels = {}, rare = {}] = rest
  const { session_id, trace_id, span_id } = row
  const isLess = isIncomplete(row.model)
  const isTraced = rare.request === true || session_id !== null || trace_id !== null || span_id !== null
  const [latency_ms, input_tokens, output_tokens, cached_input_tokens] = rare.numbers ?? [
    row.latency_ms,
    row.input_tokens,
    row.output_tokens,
    row.cached_input_tokens,
  ]
  return {
    api_version: 'v1',
    type: row.is_end === 1 ? 'run_end' : 'run_start',
    timestamp: rare.timestamp ?? isoTime(row.ts),
    workspace_id: rare.workspace_id ?? USUAL_WORKSPACE,
    agent_id: row.agent_id,
    release_id: row.release_id,
    run_id: row.run_id,
    tenant_id: row.tenant_id,
    task_id: row.task_id,
    environment: row.environment,
    metrics: {
      success: row.success === 1,
      latency_ms,
      error_type: rare.error_type ?? null,
      ...(rare.ttft === undefined ? {} : { ttft_ms: rare.ttft }),
    },
    usage: {
      model: {
        provider: row.provider,
        model: isLess ? modelIn(row.model) : row.model,
        input_tokens,
        output_tokens,
        cached_input_tokens,
        ...(rare.written === undefined ? {} : { cache_write_input_tokens: rare.written }),
        ...(rare.served === undefined ? {} : { served_model: rare.served }),
      },
      ...(rare.models === undefined ? {} : { models: rare.models }),
      tools: tools.map(([tool_name, invocations, cost_units]) => ({ tool_name, invocations, cost_units })),
      ...(isLess ? { incomplete: true as const } : {}),
    },
    ...(rare.scores === undefined ? {} : { scores: rare.scores }),
    labels,
    request: isTraced ? { session_id, trace_id, span_id } : null,
    ...(rare.unit === undefined ? {} : { assignment: { unit: rare.unit } }),
  }
}
