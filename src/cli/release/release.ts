import { call, list as listed } from '../service/run.ts'
import type { ReleaseFiles } from '../../models/documents/bundle_files.ts'
import type { ReleaseDetail } from '../../models/documents/release.ts'
import { type Api, callJson, goodJson } from '../service/api.ts'
import { timeColumn } from '../terminal/table.ts'
import { pretty } from '../terminal/text.ts'
import { placeText } from './promoted.ts'
import { releaseId } from './reference.ts'

export const list = listed(
  'GET /v1/releases',
  'releases',
  [
    { heading: 'release', cell: row => row.release_id, whole: true },
    { heading: 'agent', cell: row => row.agent_id },
    { heading: 'version', cell: row => row.version },
    { heading: 'env', cell: row => row.environment },
    timeColumn('registered', row => row.created_at),
  ],
  {
    empty: ({ options }) =>
      `no releases${placeText({ agent: options.text('agent'), env: options.text('env') })} yet; register one with \`svc release register PATH\``,
  },
)

export const show = call('GET /v1/releases/{release_id}', {
  takes: async ({ args, io, api }) => ({ release_id: await releaseId(args[0]!, await api(), io) }),
  text: pretty,
})

/** The files of its bundle, as far as they were listed at its registration. */
export function fetchFiles(api: Api, release_id: string): Promise<ReleaseFiles> {
  return callJson(api, 'GET /v1/releases/{release_id}/files', { path: { release_id } })
}

export async function fetchRelease(
  api: Api,
  release_id: string,
  query: { readonly run_environments?: true } = {},
): Promise<ReleaseDetail> {
  const answer = await api.send('GET /v1/releases/{release_id}', { path: { release_id }, query })
  return goodJson(answer)
}
