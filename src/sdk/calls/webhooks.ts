import type { CallOptions } from '../transport.ts'
import { WatchCalls } from './watches.ts'
import type * as Api from '../types.ts'

/** The methods of the client that are about webhooks, and those about deploys. */
export class WebhookCalls extends WatchCalls {
  /** Subscribes a URL to events. The answer holds the secret of its signatures, which is told this once. */
  createWebhook(body: Api.WebhooksAddBody, options?: CallOptions): Promise<Api.CreatedWebhook> {
    return this.json('POST /v1/webhooks', { body }, options)
  }

  async webhooks(options?: CallOptions): Promise<Api.WebhookList['webhooks']> {
    return (await this.json<Api.WebhookList>('GET /v1/webhooks', {}, options)).webhooks
  }

  /** Changes what is named of a webhook; the rest stays as it is. */
  updateWebhook(
    webhook_id: string,
    body: Api.WebhooksUpdateBody,
    options?: CallOptions,
  ): Promise<Api.Webhook> {
    return this.json('PATCH /v1/webhooks/{webhook_id}', { path: { webhook_id }, body }, options)
  }

  /** Gives a webhook a new secret, told this once; the one before signs too for a while. */
  rotateWebhook(
    webhook_id: string,
    body: Api.WebhooksRotateBody = {},
    options?: CallOptions,
  ): Promise<Api.CreatedWebhook> {
    return this.json('POST /v1/webhooks/{webhook_id}/rotate', { path: { webhook_id }, body }, options)
  }

  /** Removes a webhook and its deliveries. */
  deleteWebhook(webhook_id: string, options?: CallOptions): Promise<Api.DeletedWebhook> {
    return this.json('DELETE /v1/webhooks/{webhook_id}', { path: { webhook_id } }, options)
  }

  /** Sends a test.ping and waits for the receiver, which has 5 s; the call has 10 s unless it says otherwise. */
  testWebhook(webhook_id: string, options?: CallOptions): Promise<Api.TestedWebhook> {
    const path = { webhook_id }
    return this.json('POST /v1/webhooks/{webhook_id}/test', { path }, { timeoutMs: 10_000, ...options })
  }

  /** Deliveries of one webhook, newest first. */
  async webhookDeliveries(
    webhook_id: string,
    query: Api.WebhooksDeliveriesQuery = {},
    options?: CallOptions,
  ): Promise<Api.DeliveryList['deliveries']> {
    const call = { path: { webhook_id }, query }
    const route = 'GET /v1/webhooks/{webhook_id}/deliveries'
    return (await this.json<Api.DeliveryList>(route, call, options)).deliveries
  }

  /** Deliveries of all webhooks, newest first. */
  async deliveries(
    query: Api.DeliveriesListQuery = {},
    options?: CallOptions,
  ): Promise<Api.DeliveryList['deliveries']> {
    return (await this.json<Api.DeliveryList>('GET /v1/webhook-deliveries', { query }, options)).deliveries
  }

  /** Sends a delivery again, with the same delivery_id and body. */
  replayDelivery(delivery_id: string, options?: CallOptions): Promise<Api.Delivery> {
    return this.json('POST /v1/webhook-deliveries/{delivery_id}/replay', { path: { delivery_id } }, options)
  }
}
