import type { ReleaseDetail, ReleaseRecord } from '../../models/documents/release.ts'
import { type Api, callJson } from '../service/api.ts'
import type { Invocation } from '../arguments/command.ts'
import { pretty, tabbed } from '../terminal/text.ts'

export async function list({ options, io, api }: Invocation): Promise<number> {
  const { releases } = await callJson<{ releases: ReleaseRecord[] }>(await api(), 'GET /v1/releases')
  if (options.json) {
    io.out(pretty({ releases }))
    return 0
  }
  io.out(
    releases.map(r => tabbed([r.release_id, r.agent_id, r.version, r.environment, r.created_at])).join(''),
  )
  if (releases.length === 0) io.err('svc: no releases yet; register one with `svc release register PATH`\n')
  return 0
}

export async function show({ args, io, api }: Invocation): Promise<number> {
  io.out(pretty(await fetchRelease(await api(), args[0]!)))
  return 0
}

export function fetchRelease(api: Api, releaseId: string): Promise<ReleaseDetail> {
  return callJson<ReleaseDetail>(api, 'GET /v1/releases/{release_id}', { path: { release_id: releaseId } })
}
