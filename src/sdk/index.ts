/// <reference lib="esnext.disposable" preserve="true" />
export { ServiceClient } from './client.ts'
export { ApiError, ClientError, type ClientErrorKind, type DetailByStatus, isApiError } from './errors.ts'
export { EventClient } from './event_client.ts'
export { EventQueue } from './event_queue.ts'
export type { ClientOptions, Fetch, Ingested } from './options.ts'
export type { Assigned } from './assign.ts'
export {
  type LivePointer,
  PointerCache,
  type PointerCacheOptions,
  type PointerProblem,
} from './pointer_cache.ts'
export type { LoggedEvent, QueueCounts, QueueOptions, QueueProblem } from './queue_types.ts'
export { type CaseOutcome, ScoreRecorder, type ScoreRecorderOptions } from './score_recorder.ts'
export type { CallOptions } from './transport.ts'
export type * from './types.ts'
export { uuidv7 } from './uuid.ts'
export {
  type VerifiedWebhook,
  type VerifyOptions,
  WebhookVerificationError,
  verifyWebhook,
} from './verify_webhook.ts'
