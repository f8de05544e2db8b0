import type { Outcome } from '../../sdk/types.ts'
import type { JsonSchema } from '../../models/schemas.ts'
import { type Api, callJson, readJson, toError } from '../../cli/service/api.ts'
import { versionChange } from '../../cli/release/decisions.ts'
import { releaseId, releaseIds } from '../../cli/release/reference.ts'
import type { Io } from '../../cli/terminal/io.ts'
import type { ModelName } from '../../models/all/models.ts'

/** What an assistant may ask. */
export interface Tool {
  readonly description: string
  readonly inputs: Readonly<Record<string, InputSchema>>
  readonly writes?: boolean
  /** The JSON Schema of what it says. */
  readonly output: () => Promise<JsonSchema>
  /** Inputs are of the types that they are said to be. Throws what the service says. */
  readonly run: (
    inputs: Readonly<Record<string, string & number & boolean>>,
    call: ToolCall,
  ) => Promise<unknown>
}

export interface ToolCall {
  readonly api: () => Promise<Api>
  readonly io: Io
}

interface InputSchema {
  readonly type: 'string' | 'integer' | 'boolean'
  readonly description: string
  /** Bounds of an integer. */
  readonly minimum?: number
  readonly maximum?: number
  readonly required?: boolean
}

const AGENT: InputSchema = { type: 'string', description: 'Only this agent_id.' }
const ENVIRONMENT: InputSchema = { type: 'string', description: 'Environment, such as prod.' }
const LIMIT: InputSchema = {
  type: 'integer',
  description: 'At most N; default 20.',
  minimum: 1,
  maximum: 200,
}
const USUAL_LIMIT = 20
const RELEASE: InputSchema = {
  type: 'string',
  description: 'A release_id, the beginning of one, or a version.',
  required: true,
}
const WINDOW: InputSchema = {
  type: 'string',
  description: 'How far back runs count: 7d, 24h, 30m.',
  required: true,
}

/** Tools that change nothing. */
export const READING: Readonly<Record<string, Tool>> = {
  releases: {
    description: 'Releases, newest first, and the live release of each environment.',
    inputs: { agent_id: AGENT, limit: LIMIT },
    output: async () =>
      allOf([await answerOf('ReleaseList'), await answerOf('Promoted')], { total: 'integer' }),
    run: async ({ agent_id, limit }, { api }) => {
      const opened = await api()
      const { releases } = await callJson(opened, 'GET /v1/releases')
      const { promoted } = await callJson(opened, 'GET /v1/promoted')
      const ofAgent = (each: { readonly agent_id: string }): boolean =>
        agent_id === undefined || each.agent_id === agent_id
      const found = releases.filter(ofAgent)
      return {
        releases: found.slice(0, limit ?? USUAL_LIMIT),
        total: found.length,
        promoted: promoted.filter(ofAgent),
      }
    },
  },
  diff: {
    description:
      "Compare two releases of an agent over a window: cost per run, latency, error rate, how sure that is, and the policy's verdict.",
    inputs: {
      baseline: RELEASE,
      candidate: RELEASE,
      window: WINDOW,
      environment: { ...ENVIRONMENT, description: "Environment; default the workspace's." },
    },
    output: () => answerOf('DiffReport'),
    run: async ({ baseline, candidate, ...rest }, { api, io }) => {
      const opened = await api()
      const [baseline_release_id, candidate_release_id] = await releaseIds(
        [baseline!, candidate!],
        opened,
        io,
        rest.environment,
      )
      return callJson(opened, 'POST /v1/diff', {
        body: { baseline_release_id, candidate_release_id, ...rest },
      })
    },
  },
  gate: {
    description:
      'Whether a release may be promoted to an environment now: pass, block, or inconclusive if only evidence is missing; with reasons. Writes nothing.',
    inputs: { release: RELEASE, environment: { ...ENVIRONMENT, required: true }, window: WINDOW },
    output: () => answerOf('Gate'),
    run: async ({ release, environment, window }, { api, io }) => {
      const opened = await api()
      const release_id = await releaseId(release!, opened, io, environment)
      const detail = { path: { release_id } }
      const { agent_id } = await callJson(opened, 'GET /v1/releases/{release_id}', detail)
      return callJson(opened, 'GET /v1/gate/{agent_id}/{environment}', {
        path: { agent_id, environment: environment! },
        query: { release_id, window },
      })
    },
  },
  history: {
    description: 'Promotions and rollbacks that were tried, newest first, blocked ones among them.',
    inputs: { agent_id: AGENT, environment: { ...ENVIRONMENT, description: 'Only this one.' }, limit: LIMIT },
    output: () => answerOf('ActionPage'),
    run: async ({ agent_id, environment, limit }, { api }) =>
      callJson(await api(), 'GET /v1/actions', {
        query: { agent: agent_id, env: environment, limit: limit ?? USUAL_LIMIT },
      }),
  },
  explain: {
    description:
      'One decision with its evidence: samples, limits, policy, prices, and its place in the chain.',
    inputs: {
      action_id: { type: 'string', description: 'An action_id from history: act_…', required: true },
    },
    output: () => answerOf('ActionDetail'),
    run: async ({ action_id }, { api }) =>
      callJson(await api(), 'GET /v1/actions/{action_id}', { path: { action_id: action_id! } }),
  },
}

const DECISION = {
  release: RELEASE,
  environment: { ...ENVIRONMENT, required: true },
  expected_baseline: {
    type: 'string',
    description:
      'The release that is live there, from `gate` (baseline_release_id), or `none`. If another one is live by now, nothing is decided.',
    required: true,
  },
  window: WINDOW,
  reason: { type: 'string', description: 'Why; recorded in the audit log.', required: true },
} as const

/** A decision, or what a block says. */
async function decided(): Promise<JsonSchema> {
  const blocked = await answerOf('Blocked')
  return eitherOf([allOf([await answerOf('Outcome')], { summary: 'string' }), blocked.properties!.detail!])
}

/** Tools that decide, and record that they did. */
export const WRITING: Readonly<Record<string, Tool>> = {
  promote: {
    description: 'Promote a release, if the policy passes. Recorded in the audit trail, also if blocked.',
    inputs: DECISION,
    writes: true,
    output: decided,
    run: (inputs, call) => decide('POST /v1/promote', inputs, call),
  },
  rollback: {
    description:
      'Roll back to a release, if the policy passes. Recorded in the audit trail, also if blocked.',
    inputs: DECISION,
    writes: true,
    output: decided,
    run: (inputs, call) => decide('POST /v1/rollback', inputs, call),
  },
}

async function decide(
  route: 'POST /v1/promote' | 'POST /v1/rollback',
  { release, expected_baseline: expected, ...rest }: Readonly<Record<string, string>>,
  { api, io }: ToolCall,
): Promise<unknown> {
  const opened = await api()
  const isFirst = expected === 'none'
  const body = {
    release_id: await releaseId(release!, opened, io, rest.environment),
    expected_baseline_release_id: isFirst ? null : await releaseId(expected!, opened, io, rest.environment),
    ...(isFirst && route === 'POST /v1/promote' ? { first: true } : {}),
    ...rest,
  }
  const answer = await opened.send(route, { body })
  const value = readJson(answer)
  // A block is an answer, not a failure.
  if (answer.status === 409) return (value as { detail: object }).detail
  if (answer.status >= 400) throw toError(answer.status, value)
  return { summary: summaryOf(value as Outcome), ...(value as Outcome) }
}

function summaryOf(outcome: Outcome): string {
  const { action, agent_id, environment, release_id, version } = outcome
  const done = action === 'promote' ? 'promoted' : 'rolled back'
  return `${agent_id} in ${environment} ${done}: ${versionChange(outcome) ?? version ?? release_id}`
}

/** How deep an answer is described. All of a diff is 67 kB, which an assistant would carry through its whole conversation. */
const DEPTH = 2

/** The JSON Schema of an answer of the service, in outline: what lies deep is only said to be an object or a list. */
async function answerOf(name: ModelName): Promise<JsonSchema> {
  const { apiSchema } = await import('../../models/all/api_schema.ts')
  return outline(apiSchema(name), DEPTH)
}

/** An object with the fields of all of them, and some more of plain types. */
function allOf(schemas: readonly JsonSchema[], more: Readonly<Record<string, string>>): JsonSchema {
  const plain = Object.entries(more).map(([name, type]) => [name, { type }])
  return {
    type: 'object',
    properties: Object.assign({}, ...schemas.map(schema => schema.properties), Object.fromEntries(plain)),
    required: [...schemas.flatMap(schema => schema.required as string[]), ...Object.keys(more)],
  }
}

/** An object that is one of them. */
function eitherOf(schemas: readonly JsonSchema[]): JsonSchema {
  return { type: 'object', anyOf: schemas }
}

function outline(schema: JsonSchema, depth: number): JsonSchema {
  const { properties, items, anyOf } = schema
  const kept = depth === 0 ? KEPT : (['description', ...KEPT] as const)
  const plain = kept.filter(keyword => keyword in schema).map(keyword => [keyword, schema[keyword]])
  return {
    ...Object.fromEntries(plain),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(branch => outline(branch, depth)) }),
    ...(items === undefined || depth === 0 ? {} : { items: outline(items, depth) }),
    ...(properties === undefined || depth === 0
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, outline(property, depth - 1)]),
          ),
          required: schema.required,
        }),
  }
}

const KEPT = ['type', 'enum', 'const'] as const
