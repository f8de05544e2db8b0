import type { DiffReport } from '../../../src/models/answers/diff.ts'
import type { MakeService, TestService } from './service.ts'
import { register, twoReleases } from './builders.ts'
import type { Answer } from './call.ts'
import { expect } from 'vitest'

/** Sample sizes that a handful of events reach; nothing is LOW from two runs on. */
export const SMALL_SAMPLES = { diff: { min_candidate_runs: 10, min_baseline_runs: 10, min_low_runs: 2 } }

/** The body of an answer that has to be 200. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
export async function ok(answer: Promise<Answer>): Promise<any> {
  const { status, text, body } = await answer
  expect({ status, text }).toMatchObject({ status: 200 })
  return body
}

/** Expects an error whose `detail` is a sentence, and returns that. */
export async function refusal(answer: Promise<Answer>, status: number): Promise<string> {
  const { status: given, text, headers, body } = await answer
  expect({ status: given, text }).toMatchObject({ status })
  expect(headers.get('content-type')).toBe('application/json')
  expect(Object.keys(body)).toEqual(['detail'])
  expect(typeof body.detail).toBe('string')
  return body.detail
}

/** Expects a 422 in the specification's shape, and returns the places it names. */
export async function unprocessableAt(answer: Promise<Answer>): Promise<(string | number)[][]> {
  const { status, text, headers, body } = await answer
  expect({ status, text }).toMatchObject({ status: 422 })
  expect(headers.get('content-type')).toBe('application/json')
  expect(Object.keys(body)).toEqual(['detail'])
  expect(body.detail.length).toBeGreaterThan(0)
  for (const problem of body.detail) {
    expect(Object.keys(problem).sort()).toEqual(['loc', 'msg', 'type'])
    expect(problem.msg).toMatch(/\S/)
    expect(problem.type).toMatch(/\S/)
    expect(['body', 'query', 'path', 'header']).toContain(problem.loc[0])
  }
  return body.detail.map((problem: { loc: (string | number)[] }) => problem.loc)
}

/** Sends events and returns how many were new and how many were not. */
export async function ingest(
  service: TestService,
  events: readonly unknown[],
): Promise<{ inserted: number; skipped: number }> {
  const { inserted, skipped = 0 } = await ok(service.call('POST /v1/events', { body: { events } }))
  return { inserted, skipped }
}

/** Body of a promote or rollback. */
export function decision(release_id: string, more: Readonly<Record<string, unknown>> = {}) {
  return { release_id, environment: 'local', window: '1h', reason: 'because', ...more }
}

/** Asks for the diff of two releases over a day. */
export function diffCall(
  service: TestService,
  [baseline, candidate]: readonly [string, string],
  body: object = {},
): Promise<Answer> {
  return service.call('POST /v1/diff', {
    body: { baseline_release_id: baseline, candidate_release_id: candidate, window: '24h', ...body },
  })
}

export function diffOf(
  service: TestService,
  ids: readonly [string, string],
  body?: object,
): Promise<DiffReport> {
  return ok(diffCall(service, ids, body))
}

export function promote(
  service: TestService,
  release_id: string,
  more?: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  return service.call('POST /v1/promote', { body: decision(release_id, more) })
}

export function rollback(
  service: TestService,
  release_id: string,
  more?: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  return service.call('POST /v1/rollback', { body: decision(release_id, more) })
}

/** Diffs two releases over the last hour unless `more` says otherwise. */
export function diff(
  service: TestService,
  [baseline_release_id, candidate_release_id]: readonly [string, string],
  more: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  return service.call('POST /v1/diff', {
    body: { baseline_release_id, candidate_release_id, window: '1h', ...more },
  })
}

/** Puts a policy in force; what it leaves out is off. */
export function setPolicy(service: TestService, policy: Readonly<Record<string, unknown>>): Promise<unknown> {
  return ok(service.call('PUT /v1/policy', { body: { require_high_diff_confidence: false, ...policy } }))
}

/** The release that is promoted for an agent in an environment. */
export async function pointerOf(
  service: TestService,
  agent_id = 'bot',
  environment = 'local',
): Promise<string | undefined> {
  const { promoted } = await ok(service.call('GET /v1/promoted'))
  return promoted.find(
    (pointer: { agent_id: string; environment: string }) =>
      pointer.agent_id === agent_id && pointer.environment === environment,
  )?.release_id
}

/** The audit trail, newest first. */
export async function actionsOf(service: TestService): Promise<Record<string, unknown>[]> {
  return (await ok(service.call('GET /v1/actions', { query: { limit: 500 } }))).actions
}

/** Promotes one release in so many environments. */
export async function manyActions(service: TestService, count: number): Promise<void> {
  const release = await register(service)
  for (let index = 0; index < count; index++) {
    await ok(promote(service, release, { environment: `env-${index}` }))
  }
}

/** A promoted baseline at 2 USD and 100 ms, and a candidate at 1.60 USD and 80 ms, ten runs each. */
export async function promotedBaseline(
  makeService: MakeService,
  pace?: { readonly every_ms: number },
): Promise<{ service: TestService; baseline: string; candidate: string }> {
  const service = await makeService({ workspace: SMALL_SAMPLES })
  const releases = await twoReleases(service, 10, pace)
  await ok(promote(service, releases.baseline))
  return { service, ...releases }
}

/** Name and detail of what the doctor finds wrong. */
export async function failedChecks(service: TestService, deep = false): Promise<[string, string][]> {
  const { checks } = await ok(service.call('GET /v1/doctor', { query: { deep: String(deep) } }))
  return checks
    .filter((check: { ok: boolean }) => !check.ok)
    .map(({ name, detail }: { name: string; detail: string }) => [name, detail])
}
