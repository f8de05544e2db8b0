import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { DiffReport } from '../../models/answers/diff.ts'
import type { PlaceAnswer } from '../../models/deploys/place.ts'
import { limitOf } from '../../models/limits.ts'
import { Badge, Reasons } from '../ui/badge.tsx'
import { Icon } from '../ui/icon.tsx'
import { Section } from '../ui/page.tsx'
import { Empty, Loaded } from '../ui/states.tsx'
import { ExactTime, Raw, Time, Words } from '../ui/text.tsx'
import { useEnvironments } from '../environments.ts'
import { counted } from '../format.ts'
import { useBoard, useDiff, useNames, usePlace, usePlaceAnswer, usePolicyOf } from '../reads.ts'
import { hereWith, href, param } from '../route.ts'
import { PlaceActions } from './actions.tsx'
import { WhatChanged } from './changed.tsx'
import { type Comparison, comparisonOf, placeLink } from './comparison.ts'
import { History } from './history.tsx'
import { LimitsTable } from './limits_table.tsx'
import { OverTime } from './over_time.tsx'
import { Power } from './power.tsx'
import { Progress } from './rollout.tsx'
import { Sentence } from './sentence.tsx'
import { Sheets, Unnamed } from './sheets.tsx'
import { STATE_ICONS, STATE_TONES } from './state.ts'
import { Tails } from './tails.tsx'
import { Where } from './where.tsx'

export { DecisionDialog } from './decision.tsx'
export { StartDialog } from './rollout_start.tsx'

/** What the address names on top of the page. */
const ON_SHEETS = ['release', 'rollout', 'watch', 'request', 'sheet']

/** An agent in an environment: what is live, what is next and whether it may be promoted, why, and what happened. */
export function PlacePage() {
  const agent = param('agent')
  return (
    <>
      {agent === '' ? <Unnamed /> : <OfAgent agent={agent} />}
      {ON_SHEETS.some(param) && <Sheets />}
    </>
  )
}

function OfAgent({ agent }: { agent: string }) {
  const environments = useEnvironments(agent)
  const places = useBoard().data?.board
  const isLive = (name: string): boolean =>
    places?.some(
      ({ agent_id, environment, promoted }) =>
        agent_id === agent && environment === name && promoted !== null,
    ) === true
  // The one that is nearest to users.
  const environment = param('env') || (environments.findLast(isLive) ?? environments.at(-1) ?? '')
  const answer = usePlaceAnswer(agent, environment, param('window'))
  useEffect(() => {
    document.title = `${agent} in ${environment} · Release governance`
  }, [agent, environment])
  return (
    <>
      <header class="place-head">
        <h1>
          <Words>{agent}</Words> · <Words>{environment}</Words>
        </h1>
        <nav aria-label="Environments">
          {environments.map(name => (
            <a
              key={name}
              href={placeLink({ agent_id: agent, environment: name })}
              aria-current={name === environment ? 'page' : undefined}
            >
              <Words>{name}</Words>
            </a>
          ))}
        </nav>
        {answer.data !== undefined && <Live place={answer.data} />}
      </header>
      {environment === '' && places !== undefined ? (
        <Empty title="No such agent">
          <p>
            The <a href={href('board')}>board</a> lists all agents.
          </p>
        </Empty>
      ) : (
        <Loaded known={answer} lines={12}>
          {place => <OfPlace place={place} />}
        </Loaded>
      )}
    </>
  )
}

/** What is live, since when and by whom, and how many runs it gets. */
function Live({ place: { live, agent_id, environment } }: { place: PlaceAnswer }) {
  const { concerns = [] } = usePlace(agent_id, environment) ?? {}
  const retiring = concerns.filter(({ kind }) => kind === 'model_retires')
  if (live === null) return <p class="live-line faint">Nothing is live here.</p>
  return (
    <p class="live-line">
      <a href={hereWith({ release: live.release_id })}>
        <Words>{live.version ?? live.release_id}</Words>
      </a>{' '}
      live{' '}
      {live.since !== null && (
        <span title={live.reason ?? ''}>
          <Time at={live.since} /> by <Words>{live.by}</Words>
        </span>
      )}
      <span class="faint">, {counted(live.runs_last_hour, 'run')} in the last hour</span>{' '}
      {retiring.map(({ reason }) => (
        <Badge key={reason} tone="warn">
          <Words>{reason}</Words>
        </Badge>
      ))}
    </p>
  )
}

function OfPlace({ place }: { place: PlaceAnswer }) {
  const comparison = comparisonOf(place)
  const { baseline, candidate, isOwn } = comparison
  const report = useDiff(comparison, { tails: true })
  const nameOf = useNameOf(place)
  const isPair = baseline !== '' && candidate !== ''
  const actions = isOwn ? <PlaceActions place={place} /> : null
  return (
    <>
      {isOwn ? (
        <Headline tone={STATE_TONES[place.state]} icon={STATE_ICONS[place.state]} actions={actions}>
          <Words>{place.headline}</Words>
        </Headline>
      ) : (
        report.data !== undefined && <ComparedHeadline report={report.data} comparison={comparison} />
      )}
      {place.rollout !== null && <Progress id={place.rollout.rollout_id} />}
      {isPair ? (
        <>
          <Sentence place={place} comparison={comparison} report={report.data} nameOf={nameOf} />
          <Loaded known={report} lines={6}>
            {known => <Compared place={place} comparison={comparison} report={known} nameOf={nameOf} />}
          </Loaded>
        </>
      ) : (
        <p class="faint">
          {candidate === ''
            ? 'No release to compare.'
            : 'Nothing was live when this first went live, so nothing is compared.'}
        </p>
      )}
      <History place={place} />
    </>
  )
}

/** Releases by their versions. */
function useNameOf({ candidate, live }: PlaceAnswer): (releaseId: string) => string {
  const name = useNames()
  return id => [candidate, live].find(one => one?.release_id === id)?.version ?? name(id)
}

/** The one place where a verdict is said, with what may be done about it always at the same spot. */
function Headline({
  tone,
  icon,
  actions,
  children,
}: {
  tone: string
  icon: Parameters<typeof Icon>[0]['name']
  actions?: ComponentChildren
  children: ComponentChildren
}) {
  return (
    <section class={`headline ${tone}`} aria-label="Verdict">
      <Icon name={icon} size={20} />
      <h2>{children}</h2>
      {actions !== undefined && <div class="actions">{actions}</div>}
    </section>
  )
}

/** Of what else is compared: what the policy says of it, or of one tenant or task what changed. Nothing is offered. */
function ComparedHeadline({
  report: { judged, summary = '' },
  comparison: { tenant, task, until },
}: {
  report: DiffReport
  comparison: Comparison
}) {
  const only = [tenant, task].filter(Boolean).join(', ')
  if (judged === undefined) return null
  const [tone, icon] =
    only === '' ? [STATE_TONES[judged.state], STATE_ICONS[judged.state]] : (['plain', 'info'] as const)
  return (
    <Headline tone={tone} icon={icon}>
      {until && (
        <>
          At <ExactTime at={until} short />, by the policy in force now:{' '}
        </>
      )}
      <Words>{only === '' ? judged.headline : `Only ${only}: ${summary}`}</Words>
      {until && (
        <>
          {' '}
          <a href={hereWith({ until: null })}>Show the present</a>
        </>
      )}
    </Headline>
  )
}

/** The limits, where it comes from, what changed, and how both ran. */
function Compared({
  place,
  comparison,
  report,
  nameOf,
}: {
  place: PlaceAnswer
  comparison: Comparison
  report: DiffReport
  nameOf: (releaseId: string) => string
}) {
  const { agent_id: agent, candidate } = place
  const policy = usePolicyOf(agent, comparison.environment)
  const isLiveAlone = comparison.isOwn && candidate === null
  // The limits on means hold for what is live too; those on a change ask a promotion.
  const judged = report.judged?.rows ?? []
  const rows = isLiveAlone
    ? judged.filter(({ policy_key }) => limitOf(policy_key)?.on === 'candidate')
    : comparison.isOwn
      ? place.rows
      : judged
  const names = [nameOf(comparison.baseline), nameOf(comparison.candidate)] as const
  // The rows say why where each reason is one.
  const broken = place.rows.filter(({ outcome }) => outcome === 'fail').length
  const warnings = [...(report.warnings ?? []), ...report.pricing.warnings]
  return (
    <>
      {isLiveAlone && <h2>Since it went live</h2>}
      <LimitsTable rows={rows} report={report} names={names} />
      {comparison.isOwn && place.reasons.length > broken && (
        <details class="raw">
          <summary>All {place.reasons.length} reasons</summary>
          <Reasons reasons={place.reasons} warnings={place.warnings} />
        </details>
      )}
      {warnings.length > 0 && (
        <details class="raw">
          <summary>{counted(warnings.length, 'note')}</summary>
          <Reasons reasons={[]} warnings={warnings} />
        </details>
      )}
      <Where comparison={comparison} report={report} rows={rows} />
      <Section
        title={`What changed in ${names[1]}`}
        aside={<a href={hereWith({ release: comparison.candidate })}>All of this release</a>}
      >
        <WhatChanged comparing={comparison} />
        {report.capabilities !== undefined && (
          <Power capabilities={report.capabilities} place={place} comparing={comparison} />
        )}
      </Section>
      <OverTime comparing={comparison} agent={agent} policy={policy} names={names} />
      <Tails statistics={report.statistics} />
      <Raw value={{ place, report }} />
    </>
  )
}
