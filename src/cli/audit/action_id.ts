import { badRequest } from '../../base/errors.ts'
import { type Api, callJson } from '../service/api.ts'

/** The action that was typed: an action_id as it is, or an audit_seq, which is what the history shows. Throws 400 for none. */
export async function actionId(typed: string, api: Api): Promise<string> {
  if (!/^[1-9]\d{0,14}$/.test(typed)) return typed
  const seq = Number(typed)
  const query = { after: seq + 1, limit: 1 }
  const { actions } = await callJson(api, 'GET /v1/actions', { query })
  const [action] = actions
  if (action?.audit_seq === seq) return action.action_id
  throw badRequest(`Unknown action: there is no audit_seq ${typed}`)
}
