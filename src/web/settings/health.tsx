import type { LivePlace, LivePlaces } from '../../features/live/models.ts'
import type { CountersSnapshot, DoctorReport } from '../../models/answers/health.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Section } from '../ui/page.tsx'
import { Place } from '../ui/place.tsx'
import { Loaded } from '../ui/states.tsx'
import { type Column, Facts, Table } from '../ui/table.tsx'
import { Command, Words } from '../ui/text.tsx'
import { count, counted } from '../format.ts'
import { type Known, get, useRead } from '../query.ts'
import { useWorkspace } from '../reads.ts'
import { href } from '../route.ts'

/** How often what has no stream is read, ms. */
const BEAT_MS = 60_000

/** Whether runs and deliveries arrive, and what the service finds of its ledger, clock and connections. */
export function Health() {
  const live = useRead<LivePlaces>(get('v1/live'), BEAT_MS)
  const counters = useRead<CountersSnapshot>(get('v1/metrics'), BEAT_MS)
  const doctor = useRead<DoctorReport>(get('v1/doctor'), BEAT_MS)
  const tones: Tone[] = [
    ...(live.data?.live ?? []).map(place => stateOf(place)[0]),
    ...(counters.data !== undefined && counters.data.counters.webhook_deliveries_failed > 0
      ? (['bad'] as const)
      : []),
    ...(doctor.data?.checks ?? []).map(({ ok, warning }) =>
      ok ? (warning === true ? 'warn' : 'ok') : 'bad',
    ),
  ]
  const isKnown = [live, counters, doctor].every(({ data }) => data !== undefined)
  return (
    <>
      <p role="status">{isKnown && <Overall tones={tones} />}</p>
      <Section title="Runs">
        <Loaded known={live} lines={4}>
          {answer => <Arrivals live={answer.live} />}
        </Loaded>
      </Section>
      <Deliveries counters={counters} />
      <Section title="Ledger" aside={<Command text="svc doctor" />}>
        <Loaded known={doctor} lines={6}>
          {({ checks }) => <Checks checks={checks} />}
        </Loaded>
        <Facts facts={{ Version: useWorkspace().data?.server_version }} />
      </Section>
    </>
  )
}

function Overall({ tones }: { tones: readonly Tone[] }) {
  const [bad, warn] = (['bad', 'warn'] as const).map(tone => tones.filter(other => other === tone).length)
  if (bad! > 0) return <Badge tone="bad">{counted(bad!, 'thing')} wrong</Badge>
  return (
    <Badge tone={warn! > 0 ? 'warn' : 'ok'}>All well{warn! > 0 && `, ${counted(warn!, 'warning')}`}</Badge>
  )
}

const HOURS_A_DAY = 24

/** Runs of a place that came in an hour of the last day, on average. */
const usual = ({ runs_last_day: runs }: LivePlace): number => runs / HOURS_A_DAY

/** What the service says of the runs of a live release. */
function stateOf({ state, broken, silence, other_model }: LivePlace): readonly [Tone, string] {
  if (state === 'worse') return ['bad', broken.map(({ text }) => text).join('; ')]
  if (silence !== null) return ['bad', silence.text]
  if (other_model !== null) return ['warn', other_model.text]
  return state === 'no_runs' ? ['warn', 'no runs for a day'] : ['ok', 'runs arrive']
}

const COLUMNS: readonly Column<LivePlace>[] = [
  { label: 'Agent', cell: place => <Place place={place} /> },
  { label: 'Last hour', kind: 'number', cell: ({ runs_last_hour }) => count(runs_last_hour) },
  { label: 'Usual hour', kind: 'number', cell: place => count(Math.round(usual(place))) },
  {
    label: 'State',
    kind: 'grow',
    cell: place => {
      const [tone, text] = stateOf(place)
      return (
        <Badge tone={tone}>
          <Words>{text}</Words>
        </Badge>
      )
    },
  },
]

const RANK: Readonly<Record<Tone, number>> = { bad: 0, warn: 1, plain: 2, ok: 3 }

function Arrivals({ live }: { live: readonly LivePlace[] }) {
  const sum = (of: (place: LivePlace) => number): number =>
    live.reduce((total, place) => total + of(place), 0)
  const noted = live
    .filter(place => stateOf(place)[0] !== 'ok')
    .toSorted((a, b) => RANK[stateOf(a)[0]] - RANK[stateOf(b)[0]])
  const fine = live.length - noted.length
  return (
    <>
      <p>
        <strong class="figures">
          {counted(
            sum(place => place.runs_last_hour),
            'run',
          )}
        </strong>{' '}
        of live releases in the last hour; {count(Math.round(sum(usual)))} an hour over the last day.
      </p>
      {noted.length > 0 && (
        <Table
          caption="Live releases to look at"
          columns={COLUMNS}
          rows={noted}
          keyOf={({ agent_id, environment }) => JSON.stringify([agent_id, environment])}
        />
      )}
      {fine > 0 && (
        <p class="faint">
          {noted.length > 0 ? 'Runs of the others arrive: ' : 'Runs arrive of '}
          {counted(fine, 'live release')}.
        </p>
      )}
    </>
  )
}

function Deliveries({ counters }: { counters: Known<CountersSnapshot> }) {
  return (
    <Section title="Webhooks" aside={<a href={href('settings', { part: 'webhooks' })}>All webhooks</a>}>
      <Loaded known={counters} lines={1}>
        {({ counters: { webhook_deliveries_pending: waiting, webhook_deliveries_failed: failed } }) => (
          <p>
            <Badge tone={failed > 0 ? 'bad' : 'ok'}>
              {failed > 0 ? `${count(failed)} given up` : 'all delivered'}
            </Badge>{' '}
            {waiting > 0 && `${count(waiting)} waiting`}
          </p>
        )}
      </Loaded>
    </Section>
  )
}

/** What the service found wrong first, then what threatens it; the rest is counted. */
function Checks({ checks }: Pick<DoctorReport, 'checks'>) {
  const failed = checks.filter(({ ok }) => !ok)
  const warnings = checks.filter(({ ok, warning }) => ok && warning === true)
  return (
    <>
      <p class="faint">
        {counted(checks.length, 'check')}
        {failed.length > 0 && `, ${count(failed.length)} failed`}.
      </p>
      <ul class="reasons">
        {[...failed, ...warnings].map(({ name, ok, detail }) => (
          <li key={name} class={ok ? 'warn' : 'bad'}>
            <Words>{detail}</Words> <span class="faint">{name}</span>
          </li>
        ))}
      </ul>
    </>
  )
}
