import type { Answer } from './call.ts'
import { twoReleases } from './builders.ts'
import { SMALL_SAMPLES, decision, ok } from './requests.ts'
import type { MakeService, TestService } from './service.ts'

/** Promotions that one asks for and another confirms. */

export const APPROVAL = { ...SMALL_SAMPLES, promotion_requires_approval: true }

type More = Readonly<Record<string, unknown>>

export function request(service: TestService, release_id: string, more?: More): Promise<Answer> {
  return service.call('POST /v1/promote/request', { body: decision(release_id, more) })
}

export function confirm(service: TestService, request_id: string, more: More = {}): Promise<Answer> {
  return service.call('POST /v1/promote/confirm', { body: { request_id, approval_reason: 'fine', ...more } })
}

export function cancel(service: TestService, request_id: string, more: More = {}): Promise<Answer> {
  return service.call('POST /v1/promote/cancel', { body: { request_id, reason: 'no', ...more } })
}

export async function listed(
  service: TestService,
  query: Record<string, string | number> = {},
): Promise<Record<string, unknown>[]> {
  return (await ok(service.call('GET /v1/promotion-requests', { query }))).requests
}

/** A workspace with approval, its baseline promoted by request and confirmation. */
export async function promotedByTwo(
  makeService: MakeService,
): Promise<{ service: TestService; baseline: string; candidate: string }> {
  const service = await makeService({ workspace: APPROVAL })
  const releases = await twoReleases(service)
  const { request_id } = await ok(request(service, releases.baseline))
  await ok(confirm(service, request_id))
  return { service, ...releases }
}
