import type { PromotionRequest } from '../../../models/answers/promotion_request.ts'
import { Badge, PassedBadge } from '../../components/badge.tsx'
import { VERDICTS, overallVerdict } from '../../components/change.ts'
import { Words } from '../../components/text.tsx'
import { useRequestPreview } from '../../decide/preview.tsx'
import { counted } from '../../format.ts'
import { usePlace, useReleases } from '../../reads.ts'

/** What a request would be judged by now where it waits, and what is different from when it was made. */
export function Judged({ request }: { request: PromotionRequest }) {
  const { policy, window, status } = request
  return (
    <div class="stack">
      {status === 'pending' ? <Now request={request} /> : <PassedBadge passed={policy.passed} />}
      <span class="faint">over {window}</span>
    </div>
  )
}

function Now({ request }: { request: PromotionRequest }) {
  const { agent_id, environment, baseline_release_id, policy } = request
  const live = usePlace(agent_id, environment)?.promoted
  const { verdict, diff } = useRequestPreview(request, live?.release_id ?? '')
  const before = useVersion(baseline_release_id ?? '')
  if (verdict === undefined) return <>…</>
  const change = diff.data && overallVerdict(diff.data.statistics)
  const spots = diff.data?.statistics.hot_spots?.found_in_all ?? 0
  return (
    <>
      <PassedBadge passed={verdict.passed} />
      {change === 'worse' && <Badge tone="warn">{VERDICTS[change]}</Badge>}
      {spots > 0 && <Badge tone="warn">{counted(spots, 'hot spot')}</Badge>}
      {verdict.passed !== policy.passed && (
        <span>{policy.passed ? 'passed' : 'blocked'} when it was requested</span>
      )}
      {(live?.release_id ?? null) !== (baseline_release_id || null) && (
        <span>
          live is <Words>{live?.version ?? 'nothing'}</Words>, was <Words>{before}</Words>
        </span>
      )}
    </>
  )
}

function useVersion(id: string): string {
  const releases = useReleases().data?.releases
  return releases?.find(({ release_id }) => release_id === id)?.version ?? (id || 'nothing')
}
