import { expect, expectTypeOf, test } from 'vitest'
import { sdkRoutes } from '../../../tools/sdk_routes.ts'
import { sdkTypes } from '../../../tools/sdk_types.ts'
import type { Outcome } from '../../../src/models/answers/decision.ts'
import type { DiffReport } from '../../../src/models/answers/diff.ts'
import type { Policy } from '../../../src/models/documents/policy.ts'
import type { PromotionRequest } from '../../../src/models/answers/promotion_request.ts'
import type { Registered, Release } from '../../../src/models/documents/release.ts'
import type { RunEvent } from '../../../src/models/documents/run_event.ts'
import type { AnswerOf, CallOf } from '../../../src/sdk/call.ts'
import type { EventClient, ServiceClient } from '../../../src/sdk/index.ts'
import type * as Sdk from '../../../src/sdk/types.ts'

test('the types of the SDK are those of the API; `npm run generate` writes them anew', async () => {
  await expect(await sdkTypes()).toMatchFileSnapshot('../../../src/sdk/types.ts')
})

test('the routes of the SDK are those of the handlers; `npm run generate` writes them anew', async () => {
  await expect(await sdkRoutes()).toMatchFileSnapshot('../../../src/sdk/routes.ts')
})

test('what the models infer fits the types of the SDK', () => {
  expectTypeOf<Outcome>().toExtend<Sdk.Outcome>()
  expectTypeOf<DiffReport>().toExtend<Sdk.DiffReport>()
  expectTypeOf<PromotionRequest>().toExtend<Sdk.PromotionRequest>()
  expectTypeOf<Registered>().toExtend<Sdk.Registered>()
  expectTypeOf<Policy>().toExtend<Sdk.Policy>()
  expectTypeOf<RunEvent>().toExtend<Sdk.RunEvent>()
  expectTypeOf<Release>().toExtend<Sdk.Release>()
  expectTypeOf<Required<Sdk.RunEvent>['usage']['model']['model']>().toEqualTypeOf<string>()
})

test('a route says what its calls take and answer', () => {
  expectTypeOf<AnswerOf<'POST /v1/promote/confirm'>>().toEqualTypeOf<Sdk.Outcome | Sdk.PromotionRequest>()
  expectTypeOf<AnswerOf<'GET /metrics'>>().toEqualTypeOf<string>()
  type Gate = CallOf<'GET /v1/gate/{agent_id}/{environment}'>
  expectTypeOf<Gate['path']>().toEqualTypeOf<Readonly<Record<'agent_id' | 'environment', string>>>()
  expectTypeOf<object>().toExtend<CallOf<'GET /v1/board'>>()
  expectTypeOf<object>().not.toExtend<CallOf<'POST /v1/diff'>>()
  expectTypeOf<{ body: Sdk.DiffBody }>().toExtend<CallOf<'POST /v1/diff'>>()
  expectTypeOf<{ body: Sdk.DiffByGroupBody }>().not.toExtend<CallOf<'GET /v1/board'>>()
})

test('whoever takes a client of events takes the whole client', () => {
  expectTypeOf<ServiceClient>().toExtend<EventClient>()
})
