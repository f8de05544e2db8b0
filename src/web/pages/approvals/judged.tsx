import type { PromotionRequest } from '../../../models/answers/promotion_request.ts'
import { PassedBadge } from '../../components/badge.tsx'
import { Words } from '../../components/text.tsx'
import { VerdictChip } from '../../components/verdict.tsx'
import { useRequestPreview } from '../../decide/preview.tsx'
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
  return (
    <>
      <VerdictChip policy={verdict} statistics={diff.data?.statistics} />
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
