import type { Board } from '../../models/answers/board.ts'
import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import type { Delivery, Webhook } from '../../models/answers/webhook.ts'
import type { ReleaseRecord } from '../../models/documents/release.ts'
import { type Api, callJson } from '../service/api.ts'

/** What may stand in a line, and what it is. */
export interface Candidate {
  readonly word: string
  readonly about?: string | undefined
}

/** What a ledger holds that can stand for `<RELEASE_ID>`, `<ENV>` and other names of arguments and values. */
export const LEDGER_VALUES: Readonly<Record<string, (api: Api) => Promise<readonly Candidate[]>>> = {
  RELEASE_ID: releases,
  BASELINE_ID: releases,
  CANDIDATE_ID: releases,
  REQUEST_ID: pendingRequests,
  WEBHOOK_ID: webhooks,
  DELIVERY_ID: failedDeliveries,
  AGENT_ID: agents,
  ENV: environments,
}

async function releases(api: Api): Promise<Candidate[]> {
  const answer = await callJson<{ releases: ReleaseRecord[] }>(api, 'GET /v1/releases')
  return answer.releases.map(({ release_id, agent_id, version, environment }) => ({
    word: release_id,
    about: `${agent_id} ${version} in ${environment}`,
  }))
}

async function pendingRequests(api: Api): Promise<Candidate[]> {
  const query = { status: 'pending' }
  const answer = await callJson<{ requests: PromotionRequest[] }>(api, 'GET /v1/promotion-requests', {
    query,
  })
  return answer.requests.map(({ request_id, agent_id, environment, reason }) => ({
    word: request_id,
    about: `${agent_id} in ${environment}: ${reason}`,
  }))
}

async function webhooks(api: Api): Promise<Candidate[]> {
  const answer = await callJson<{ webhooks: Webhook[] }>(api, 'GET /v1/webhooks')
  return answer.webhooks.map(({ webhook_id, url }) => ({ word: webhook_id, about: url }))
}

async function failedDeliveries(api: Api): Promise<Candidate[]> {
  const query = { status: 'failed' }
  const answer = await callJson<{ deliveries: Delivery[] }>(api, 'GET /v1/webhook-deliveries', { query })
  return answer.deliveries.map(({ delivery_id, event, problem }) => ({
    word: delivery_id,
    about: `${event}: ${problem}`,
  }))
}

async function agents(api: Api): Promise<Candidate[]> {
  const { board } = await callJson<Board>(api, 'GET /v1/board')
  return [...new Set(board.map(({ agent_id }) => agent_id))].map(word => ({ word }))
}

async function environments(api: Api): Promise<Candidate[]> {
  const { board } = await callJson<Board>(api, 'GET /v1/board')
  return [...new Set(board.map(({ environment }) => environment))].map(word => ({ word }))
}
