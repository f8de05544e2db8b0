import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Empty } from '../ui/states.tsx'
import { Words } from '../ui/text.tsx'
import { useRelease, useRequests } from '../reads.ts'
import { change, href, param } from '../route.ts'
import { ReleaseSheet } from './release.tsx'
import { RequestSheet } from './request.tsx'
import { RolloutSheet } from './rollout.tsx'
import { useRollout, useRolloutRequests } from './rollout_reads.ts'
import { RolloutRequestSheet } from './rollout_request.tsx'
import { Suites } from './suites.tsx'
import { WatchSheet } from './watch.tsx'
import { useWatch } from './watch_reads.tsx'

/** Where the address names only what is on a sheet, that says whose page it is. */
export function Unnamed() {
  const release = useRelease(param('release'))
  const rollout = useRollout(param('rollout'))
  const watch = useWatch(param('watch'))
  const { request, isReading } = useRequest(param('request'))
  const place = release.data ?? rollout.data ?? watch.data ?? request
  useEffect(() => {
    if (place !== undefined) change({ agent: place.agent_id, env: place.environment }, { replace: true })
  }, [place])
  if (place !== undefined || isReading || [release, rollout, watch].some(({ loading }) => loading))
    return null
  return (
    <Empty title="No such place">
      <p>
        The <a href={href('board')}>board</a> lists all agents and environments.
      </p>
    </Empty>
  )
}

type Requested =
  | ({ readonly kind: 'promotion' } & PromotionRequest)
  | ({ readonly kind: 'rollout' } & NonNullable<
      ReturnType<typeof useRolloutRequests>['data']
    >['requests'][number])

/** A request by its id, of a promotion or of a rollout. */
function useRequest(id: string): { request: Requested | undefined; isReading: boolean } {
  const [promotions, rollouts] = [useRequests(id), useRolloutRequests(id)]
  const [promotion, rollout] = [promotions.data?.requests[0], rollouts.data?.requests[0]]
  return {
    request:
      promotion === undefined
        ? rollout && { kind: 'rollout', ...rollout }
        : { kind: 'promotion', ...promotion },
    isReading: promotions.loading || rollouts.loading,
  }
}

/** What lies on top of the page of a place: a release, a rollout, a watch, a request, or evaluations. The address names it. */
export function Sheets() {
  const { request } = useRequest(param('request'))
  const [release, rollout, watch] = [param('release'), param('rollout'), param('watch')]
  if (request !== undefined) {
    return (
      <Sheet name="request" title={<>Request for {placeName(request)}</>}>
        {request.kind === 'rollout' ? (
          <RolloutRequestSheet request={request} />
        ) : (
          <RequestSheet request={request} />
        )}
      </Sheet>
    )
  }
  if (rollout !== '') {
    return (
      <Sheet name="rollout" title="Rollout">
        <RolloutSheet key={rollout} id={rollout} />
      </Sheet>
    )
  }
  if (watch !== '') {
    return (
      <Sheet name="watch" title="Watch">
        <WatchSheet key={watch} id={watch} />
      </Sheet>
    )
  }
  if (release !== '') {
    return (
      <Sheet name="release" title="Release">
        <ReleaseSheet key={release} id={release} />
      </Sheet>
    )
  }
  if (param('sheet') === 'evaluations') {
    return (
      <Sheet name="sheet" title="Evaluations">
        <Suites agent={param('agent')} />
      </Sheet>
    )
  }
  return null
}

function placeName({ agent_id, environment }: { agent_id: string; environment: string }) {
  return (
    <>
      <Words>{agent_id}</Words> · <Words>{environment}</Words>
    </>
  )
}

function Sheet({
  name,
  title,
  children,
}: {
  name: string
  title: ComponentChildren
  children: ComponentChildren
}) {
  const [agent, environment] = [param('agent'), param('env')]
  return (
    <Dialog
      kind="drawer sheet"
      title={
        <>
          {title}
          {name !== 'request' && agent !== '' && (
            <span class="faint"> {placeName({ agent_id: agent, environment })}</span>
          )}
        </>
      }
      onClose={() => change({ [name]: null, run: null })}
    >
      {children}
    </Dialog>
  )
}
