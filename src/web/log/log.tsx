import { LOG_FAMILIES } from '../../models/names.ts'
import { Choice, Filter, Select } from '../ui/field.tsx'
import { Note } from '../ui/note.tsx'
import { PageHead, Section } from '../ui/page.tsx'
import { PlaceFilters } from '../ui/place.tsx'
import { Empty, Loaded } from '../ui/states.tsx'
import { exactTime } from '../format.ts'
import { change, hereWith, param } from '../route.ts'
import { ActionDrawer } from './action.tsx'
import { EntryDrawer } from './entry.tsx'
import { Export } from './export.tsx'
import { HappenedList } from './happened.tsx'
import { type Happened, inWords, useLog } from './rows.ts'
import { Verification, useWalk } from './verify.tsx'

const PAGE_SIZE = 100

/** What happened, by day, newest first. */
export function LogPage() {
  const after = param('after')
  const filters = useFilters()
  const isVerifying = param('verify') !== ''
  const log = useLog({ ...filters, limit: PAGE_SIZE, after })
  const walk = useWalk(isVerifying)
  return (
    <>
      <PageHead title="Log">
        <Export filters={filters} />
        <Verification walk={walk} isWanted={isVerifying} />
      </PageHead>
      <Filters actors={(log.data?.rows ?? []).map(({ by }) => by)} />
      {log.isLimited && (
        <Note>Only decisions are listed: your credential is for some agents, and the log is of all.</Note>
      )}
      <Loaded known={log} lines={10}>
        {({ rows, next_after }) => {
          const days = [...Map.groupBy(rows, ({ at }) => exactTime(at).slice(0, 10))]
          return (
            <>
              {rows.length === 0 && (
                <Empty
                  title={
                    Object.values(filters).some(Boolean) ? 'Nothing is like that' : 'Nothing happened yet'
                  }
                />
              )}
              {days.map(([day, happened], index) => {
                const isCut =
                  (index === 0 && after !== '') || (index === days.length - 1 && next_after !== null)
                return (
                  <Section
                    key={day}
                    title={dayName(day)}
                    aside={!isCut && <span class="faint">{summary(happened)}</span>}
                  >
                    <HappenedList label={`What happened ${day}`} rows={happened} bad={walk.bad} />
                  </Section>
                )
              })}
              <nav class="paging" aria-label="Pages of the log">
                {after !== '' && <a href={hereWith({ after: null })}>Newest</a>}
                {next_after !== null && <a href={hereWith({ after: String(next_after) })}>Older</a>}
              </nav>
            </>
          )
        }}
      </Loaded>
      {param('action') !== '' && (
        <ActionDrawer id={param('action')} onClose={() => change({ action: null })} />
      )}
      {param('entry') !== '' && (
        <EntryDrawer seq={Number(param('entry'))} onClose={() => change({ entry: null })} />
      )}
    </>
  )
}

const DAY_MS = 86_400_000

function dayName(day: string): string {
  if (day === exactTime(Date.now()).slice(0, 10)) return 'Today'
  return day === exactTime(Date.now() - DAY_MS).slice(0, 10) ? 'Yesterday' : day
}

/** Most kinds that a day is summed up by. */
const MOST_KINDS = 5

/** What a reader of a day minds first. */
const TONES = ['bad', 'warn', 'ok', 'plain'] as const

/** How often what happened: `promotion blocked 2 · policy set 1`. */
function summary(rows: readonly Happened[]): string {
  return [...Map.groupBy(rows, ({ what }) => what)]
    .toSorted(([, a], [, b]) => TONES.indexOf(a[0]!.tone) - TONES.indexOf(b[0]!.tone) || b.length - a.length)
    .slice(0, MOST_KINDS)
    .map(([what, { length }]) => `${what.toLowerCase()} ${length}`)
    .join(' · ')
}

const VERDICTS = [
  ['', 'All'],
  ['passed', 'Passed'],
  ['blocked', 'Blocked'],
  ['forced', 'Forced'],
] as const

const KINDS = [
  ['', 'All kinds'],
  ['decision', 'Decisions'],
  ...LOG_FAMILIES.map(family => [family, inWords(family)] as const),
] as const

const chosenVerdict = () => VERDICTS.find(([name]) => name === param('verdict'))?.[0] ?? ''

/** The filters of the address, as the API takes them. Days are those of the reader, and the last one counts whole. */
function useFilters(): Readonly<Record<string, string>> {
  return {
    // A verdict is one of a decision.
    kind: chosenVerdict() === '' ? param('kind') : 'decision',
    agent: param('agent'),
    env: param('env'),
    actor: param('by'),
    verdict: chosenVerdict(),
    since: startOf(param('from'), 0),
    until: startOf(param('to'), 1),
  }
}

/** The first moment of a day, or of one some days later; empty where the text is no day. */
function startOf(day: string, later: number): string {
  const [year, month, date] = day.split('-').map(Number)
  const start = new Date(year!, (month ?? 0) - 1, (date ?? Number.NaN) + later)
  return Number.isNaN(start.getTime()) ? '' : start.toISOString()
}

function Filters({ actors }: { actors: readonly string[] }) {
  const { kind = '' } = useFilters()
  return (
    <div class="fields pickers">
      <Select
        label="Kind"
        value={kind}
        options={KINDS}
        onChange={chosen => change({ kind: chosen, verdict: null, after: null })}
      />
      <PlaceFilters />
      <Filter
        label="By"
        value={param('by')}
        onChange={by => change({ by, after: null })}
        options={[...new Set(actors)]}
      />
      {kind === 'decision' && (
        <Choice
          label="Verdict"
          value={chosenVerdict()}
          options={VERDICTS}
          onChange={verdict => change({ verdict, kind, after: null })}
        />
      )}
      <Day label="From" name="from" />
      <Day label="To" name="to" />
    </div>
  )
}

function Day({ label, name }: { label: string; name: 'from' | 'to' }) {
  return (
    <label class="field">
      <span class="label">{label}</span>
      <input
        type="date"
        value={param(name)}
        onChange={event => change({ [name]: event.currentTarget.value, after: null })}
      />
    </label>
  )
}
