/// <reference lib="esnext.disposable" preserve="true" />
export { ServiceClient } from './client.ts'
export { ApiError, ClientError, type ClientErrorKind, type DetailByStatus, isApiError } from './errors.ts'
export {
  EventQueue,
  type LoggedEvent,
  type QueueCounts,
  type QueueOptions,
  type QueueProblem,
} from './event_queue.ts'
export type { CallOptions, ClientOptions, Fetch } from './transport.ts'
export type * from './types.ts'
export { uuidv7 } from './uuid.ts'
export {
  type VerifiedWebhook,
  type VerifyOptions,
  WebhookVerificationError,
  verifyWebhook,
} from './verify_webhook.ts'
