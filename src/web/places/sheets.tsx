import type { ComponentChildren } from 'preact'
import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import { Dialog } from '../ui/dialog.tsx'
import { later } from '../ui/later.tsx'
import { Words } from '../ui/text.tsx'
import { useRelease, useRequests } from '../reads.ts'
import { change, param } from '../route.ts'
import { useRollout, useRolloutRequests } from './rollout_reads.ts'
import { useWatch } from './watch_reads.tsx'

const ReleaseSheet = later(() => import('./release.tsx').then(module => module.ReleaseSheet), 12)
const RolloutSheet = later(() => import('./rollout.tsx').then(module => module.RolloutSheet), 12)
const WatchSheet = later(() => import('./watch.tsx').then(module => module.WatchSheet), 12)
const RequestSheet = later(() => import('./request.tsx').then(module => module.RequestSheet), 12)
const RolloutRequestSheet = later(
  () => import('./rollout_request.tsx').then(module => module.RolloutRequestSheet),
  12,
)
const Suites = later(() => import('./suites.tsx').then(module => module.Suites), 12)

interface Named {
  /** What the address names, if it could be read. */
  readonly place: { readonly agent_id: string; readonly environment: string } | undefined
  readonly isReading: boolean
}

/** The place of what is on a sheet. */
export function useNamed(): Named {
  const release = useRelease(param('release'))
  const rollout = useRollout(param('rollout'))
  const watch = useWatch(param('watch'))
  const request = useRequest(param('request'))
  return {
    place: release.data ?? rollout.data ?? watch.data ?? request.request,
    isReading: [release, rollout, watch].some(({ loading }) => loading) || request.isReading,
  }
}

type Requested =
  | ({ readonly kind: 'promotion' } & PromotionRequest)
  | ({ readonly kind: 'rollout' } & NonNullable<
      ReturnType<typeof useRolloutRequests>['data']
    >['requests'][number])

/** A request by its id, of a promotion or of a rollout. */
function useRequest(id: string): { request: Requested | undefined; isReading: boolean } {
  const promotions = useRequests(undefined, id !== '')
  const rollouts = useRolloutRequests(undefined, id !== '')
  const promotion = promotions.data?.requests.find(({ request_id }) => request_id === id)
  const rollout = rollouts.data?.requests.find(({ request_id }) => request_id === id)
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
