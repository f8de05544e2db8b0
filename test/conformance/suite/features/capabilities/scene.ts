import type { Capabilities } from '../../../../../src/models/documents/capabilities.ts'
import { eventOf, importPrices, ingestMany, releaseOf } from '../../../../support/services/builders.ts'
import type { Answer } from '../../../../support/services/call.ts'
import { SMALL_SAMPLES, ok, promote } from '../../../../support/services/requests.ts'
import type { MakeService, ServiceOptions, TestService } from '../../../../support/services/service.ts'

/** What an artifact may say of its power. */
export interface Said {
  readonly version?: string
  readonly agent?: string
  readonly tool_names?: readonly string[]
  readonly capabilities?: Capabilities
}

export function artifactOf({ tool_names, capabilities, ...names }: Said) {
  const artifact = releaseOf(names)
  return {
    ...artifact,
    spec: {
      ...artifact.spec,
      ...(tool_names === undefined ? {} : { tools: { tool_names: [...tool_names] } }),
      ...(capabilities === undefined ? {} : { capabilities }),
    },
  }
}

/** Registers an artifact that says this of its power. */
export function registered(service: TestService, said: Said): Promise<Answer> {
  return service.call('POST /v1/releases', { body: { artifact: artifactOf(said), checksum: 'a'.repeat(64) } })
}

export interface Scene {
  readonly service: TestService
  readonly baseline: string
  readonly candidate: string
}

export const READS = { tools: [{ name: 'search', effects: ['reads'], scopes: [] }] } satisfies Capabilities
export const SENDS = {
  tools: [...READS.tools, { name: 'send_mail', effects: ['sends'], scopes: ['mail.send'] }],
} satisfies Capabilities

/** A live release that reads, and a candidate with enough runs that may send. */
export async function sendingScene(
  makeService: MakeService,
  { workspace, ...options }: ServiceOptions = {},
  said: { readonly baseline?: Said; readonly candidate?: Said } = {},
): Promise<Scene> {
  const service = await makeService({ workspace: { ...SMALL_SAMPLES, ...workspace }, ...options })
  await importPrices(service)
  const make = async (one: Said) => (await ok(registered(service, one))).release_id as string
  const baseline = await make({ version: '1', capabilities: READS, ...said.baseline })
  const candidate = await make({ version: '2', capabilities: SENDS, ...said.candidate })
  for (const release_id of [baseline, candidate]) await ingestMany(service, 10, { release_id, latency: 100 })
  if (workspace?.promotion_requires_approval !== true) await ok(promote(service, baseline, { first: true }))
  return { service, baseline, candidate }
}

/** A run that called tools. */
export function callsOf(
  options: Parameters<typeof eventOf>[0],
  calls: Readonly<Record<string, number>>,
): Record<string, unknown> {
  const event = eventOf(options)
  const tools = Object.entries(calls).map(([tool_name, invocations]) => ({ tool_name, invocations }))
  return { ...event, usage: { ...(event.usage as object), tools } }
}

export function acknowledge(
  service: TestService,
  release_id: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  return service.call('POST /v1/acknowledgements', {
    body: { release_id, environment: 'local', reason: 'the new tool is wanted', ...more },
  })
}
