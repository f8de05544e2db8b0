import { useMemo } from 'preact/hooks'
import type { ActionRecord } from '../../../models/answers/action.ts'
import type { PlaceAnswer } from '../../../models/deploys/place.ts'
import { USUAL_WINDOW } from '../../../rules/window.ts'
import { Select } from '../../components/field.tsx'
import { PageHead, Section } from '../../components/page.tsx'
import {
  type Drawn,
  Panel,
  type Ramp,
  type Span,
  isFilled,
  useMarks,
  useRamps,
} from '../../components/panels.tsx'
import { HUES, type Mark, decisionMark } from '../../components/charts/series.ts'
import { Empty, Loaded } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { ExactTime, Words } from '../../components/text.tsx'
import { Verdict, usePolicyVerdict } from '../../components/verdict.tsx'
import { PlaceActions } from '../../decide/buttons.tsx'
import { useEnvironments } from '../../environments.ts'
import { duration } from '../../format.ts'
import {
  type Comparing,
  useActions,
  useBoard,
  useDiff,
  usePlaceAnswer,
  usePolicyOf,
  useReleases,
} from '../../reads.ts'
import type { Known } from '../../query.ts'
import { change, href, param } from '../../route.ts'
import { type Stay, huesOf, staysOf } from './stays.ts'
import { Timeline } from './timeline.tsx'

const MINUTE_MS = 60_000
const WHOLE_MS = 14 * 86_400_000

/** One agent: what was live where, what happened, how it ran, and what can be decided now. */
export function AgentPage() {
  const agent = param('agent')
  const board = useBoard()
  return (
    <Loaded known={board} lines={12}>
      {({ board: entries }) => {
        const agents = [...new Set(entries.map(({ agent_id }) => agent_id))].sort()
        return (
          <>
            <PageHead
              title={agent === '' ? 'Agent' : <Words>{agent}</Words>}
              about="What was live where, how it ran, and what comes next."
            />
            {agents.includes(agent) ? (
              <OfAgent agent={agent} agents={agents} />
            ) : (
              <Empty title={agent === '' ? 'Choose an agent' : 'No such agent'}>
                <Select
                  label="Agent"
                  value={agent}
                  onChange={next => change({ agent: next })}
                  options={agents}
                />
              </Empty>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

function OfAgent({ agent, agents }: { agent: string; agents: readonly string[] }) {
  const environments = useEnvironments(agent)
  const places = useBoard().data?.board ?? []
  const isLive = (name: string): boolean =>
    places.some(
      ({ agent_id, environment, promoted }) =>
        agent_id === agent && environment === name && promoted !== null,
    )
  // The one that is nearest to users.
  const environment = param('env') || (environments.findLast(isLive) ?? environments.at(-1) ?? '')
  const { whole, chosen } = useSpans()
  const { stays, marks, ramps } = useHappened(agent)
  const place = usePlaceAnswer(agent, environment)
  const proposed = place.data?.candidate?.release_id ?? ''
  const live = place.data?.live?.release_id ?? ''
  const nameOf = useNameOf()
  const drawn = drawnOf([proposed, live], stays, environment, nameOf)
  const hues = huesOf(drawn.map(({ release_id }) => release_id))
  const policy = usePolicyOf(agent, environment)
  const span = chosen ?? whole
  const others = useMarks(agent, environment)
  const here = [...(marks.get(environment) ?? []), ...others]
  return (
    <>
      <div class="fields pickers">
        <Select
          label="Agent"
          value={agent}
          onChange={next => change({ agent: next, env: null, from: null, to: null })}
          options={agents}
        />
        <Select
          label="Environment"
          value={environment}
          onChange={env => change({ env })}
          options={environments}
        />
        <p class="window-said">
          {chosen === undefined ? (
            <span class="faint">The last 14 days. Drag over the lanes to look closer.</span>
          ) : (
            <>
              <ExactTime at={new Date(chosen.since).toISOString()} short /> to{' '}
              <ExactTime at={new Date(chosen.until).toISOString()} short />,{' '}
              {duration(chosen.until - chosen.since)}{' '}
              <button type="button" class="button small" onClick={() => change({ from: null, to: null })}>
                Show 14 days
              </button>
            </>
          )}
        </p>
      </div>
      <Timeline
        agent={agent}
        lanes={environments.map(name => ({
          environment: name,
          stays: stays.filter(stay => stay.environment === name),
          ramps: ramps.filter(ramp => ramp.environment === name),
          marks: marks.get(name) ?? [],
        }))}
        span={whole}
        chosen={chosen}
        nameOf={nameOf}
        hues={hues}
        onChoose={(since, until) =>
          change({ from: minuteText(since), to: minuteText(until) }, { replace: true })
        }
      />
      <State agent={agent} environment={environment} known={place} chosen={chosen} />
      {isFilled('history') && (
        <Section title={`How it ran in ${environment}`}>
          <Panel
            slot="history"
            environment={environment}
            releases={drawn}
            span={span}
            marks={here}
            policy={policy}
          />
        </Section>
      )}
      <Happened marks={here} ramps={ramps.filter(ramp => ramp.environment === environment)} span={span} />
    </>
  )
}

/** The 14 days on show, which end now or, for a window further back, with it; and the window that the address names. */
function useSpans(): { readonly whole: Span; readonly chosen: Span | undefined } {
  const [from, to] = [Date.parse(param('from')), Date.parse(param('to'))]
  const now = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS
  const isChosen = from < to
  const isFar = isChosen && from < now - WHOLE_MS
  const until = isFar ? Math.min(now, Math.max(to, from + WHOLE_MS)) : now
  return {
    whole: { since: Math.min(until - WHOLE_MS, isFar ? from : until), until, isOpen: until === now },
    chosen: isChosen ? { since: from, until: to, isOpen: false } : undefined,
  }
}

const minuteText = (at: number): string =>
  new Date(Math.round(at / MINUTE_MS) * MINUTE_MS).toISOString().replace(':00.000', '')

interface HappenedTo {
  readonly stays: readonly Stay[]
  /** Decisions by environment. */
  readonly marks: ReadonlyMap<string, readonly Mark[]>
  readonly ramps: readonly Ramp[]
}

function useHappened(agent: string): HappenedTo {
  const actions = useActions({ agent, limit: 500 }).data?.actions
  const ramps = useRamps(agent)
  const known = useMemo(() => {
    const groups = Map.groupBy(actions ?? [], ({ environment }) => environment)
    return {
      stays: staysOf(actions ?? []),
      marks: new Map(Array.from(groups, ([name, own]) => [name, own.map(markOf)])),
    }
  }, [actions])
  return { ...known, ramps }
}

function markOf(action: ActionRecord): Mark {
  return { ...decisionMark(action), link: href('ledger', { action: action.action_id }) }
}

function useNameOf(): (releaseId: string) => string {
  const releases = useReleases().data?.releases
  return id => releases?.find(({ release_id }) => release_id === id)?.version ?? id
}

/** The releases on the charts: what is judged, then those that were live last. */
function drawnOf(
  judged: readonly string[],
  stays: readonly Stay[],
  environment: string,
  nameOf: (id: string) => string,
): readonly Drawn[] {
  const live = stays.filter(stay => stay.environment === environment).map(({ release_id }) => release_id)
  const ids = [...judged.filter(id => id !== ''), ...live.toReversed()]
  const hues = huesOf(ids)
  return Array.from(hues, ([release_id, hue]) => ({ release_id, hue, name: nameOf(release_id) })).slice(
    0,
    HUES.length,
  )
}

/** Where it is in one sentence, as the service says it; the decision next to it, and what was compared behind it. */
function State({
  agent,
  environment,
  known,
  chosen,
}: {
  agent: string
  environment: string
  known: Known<PlaceAnswer>
  chosen: Span | undefined
}) {
  return (
    <Loaded known={known} lines={3}>
      {place => {
        const comparing = comparingOf(place, chosen)
        return (
          <>
            <p class="sentence">
              <Words>{place.headline}</Words>
            </p>
            <div class="state">
              {comparing !== undefined && <Compared place={place} comparing={comparing} agent={agent} />}
              <div class="actions">
                <PlaceActions place={place} />
                {place.candidate !== null && place.live !== null && (
                  <Panel
                    slot="decide"
                    agent={agent}
                    environment={environment}
                    release={place.candidate.release_id}
                  />
                )}
                {comparing !== undefined && <DiffLink agent={agent} comparing={comparing} />}
              </div>
            </div>
          </>
        )
      }}
    </Loaded>
  )
}

/** What is next against what is live, else what is live against what it replaced: over the window that was judged, or the chosen one. */
function comparingOf(
  { environment, live, candidate, window }: PlaceAnswer,
  chosen: Span | undefined,
): Comparing | undefined {
  const [newer, older] =
    candidate === null ? [live?.release_id, live?.before] : [candidate.release_id, live?.release_id]
  if (newer == null || older == null) return undefined
  const pair = { baseline: older, candidate: newer, environment }
  if (chosen === undefined) return { ...pair, window: window ?? USUAL_WINDOW }
  const minutes = Math.max(1, Math.round((chosen.until - chosen.since) / MINUTE_MS))
  return { ...pair, window: `${minutes}m`, until: new Date(chosen.until).toISOString() }
}

/** What was compared. The policy does not judge what is live. */
function Compared({
  place: { candidate },
  comparing,
  agent,
}: {
  place: PlaceAnswer
  comparing: Comparing
  agent: string
}) {
  const report = useDiff(comparing, { tails: true })
  const policy = usePolicyVerdict(report.data, comparing, agent)
  return (
    <Loaded known={report} lines={3}>
      {known => (
        <Verdict
          policy={candidate === null ? undefined : policy}
          report={known}
          comparing={comparing}
          agent={agent}
          label={candidate === null ? 'Since it went live' : 'Verdict'}
        />
      )}
    </Loaded>
  )
}

function DiffLink({ agent, comparing }: { agent: string; comparing: Comparing }) {
  const { environment: env, baseline, candidate, window, until } = comparing
  return (
    <a class="button" href={href('diff', { agent, env, baseline, candidate, window, until })}>
      See the diff
    </a>
  )
}

/** The same as the lanes show, as a list with links. */
function Happened({ marks, ramps, span }: { marks: readonly Mark[]; ramps: readonly Ramp[]; span: Span }) {
  const rollouts = ramps.flatMap(({ steps, label, link }): Mark[] =>
    steps[0] === undefined ? [] : [{ at: steps[0].since, label, link, kind: 'rollout' }],
  )
  const rows = [...marks, ...rollouts]
    .filter(({ at }) => at >= span.since && at <= span.until)
    .sort((a, b) => b.at - a.at)
  return (
    <Section title="What happened">
      {rows.length === 0 ? (
        <p class="faint">Nothing in this window.</p>
      ) : (
        <Table
          caption="What happened"
          columns={HAPPENED}
          rows={rows.slice(0, 50)}
          keyOf={({ at, label }) => `${at} ${label}`}
        />
      )}
    </Section>
  )
}

const HAPPENED: readonly Column<Mark>[] = [
  { label: 'When', cell: ({ at }) => <ExactTime at={new Date(at).toISOString()} short /> },
  { label: 'Kind', cell: ({ kind }) => <span class={`tick-key ${kind}`}>{KINDS[kind] ?? kind}</span> },
  {
    label: 'What',
    kind: 'grow',
    cell: ({ label, link }) =>
      link === undefined ? (
        <Words>{label}</Words>
      ) : (
        <a href={link}>
          <Words>{label}</Words>
        </a>
      ),
  },
]

const KINDS: Readonly<Partial<Record<Mark['kind'], string>>> = { promote: 'promotion' }
