import { Choice, Filter } from '../../components/field.tsx'
import { PlaceFilters } from '../../components/place.tsx'
import { change, param } from '../../route.ts'

const VERDICTS = [
  ['', 'All'],
  ['passed', 'Passed'],
  ['blocked', 'Blocked'],
  ['forced', 'Forced'],
] as const

/** The filters of the address, as the API takes them. Days are those of the reader, and the last one counts whole. */
export function useLedgerFilters(): Readonly<Record<string, string>> {
  const [from, to] = [param('from'), param('to')]
  return {
    agent: param('agent'),
    env: param('env'),
    actor: param('by'),
    verdict: verdictAsked(),
    since: startOf(from, 0),
    until: startOf(to, 1),
  }
}

const verdictAsked = () => VERDICTS.find(([name]) => name === param('verdict'))?.[0] ?? ''

/** The first moment of a day, or of one some days later; empty where the text is no day. */
function startOf(day: string, later: number): string {
  const [year, month, date] = day.split('-').map(Number)
  const start = new Date(year!, (month ?? 0) - 1, (date ?? Number.NaN) + later)
  return Number.isNaN(start.getTime()) ? '' : start.toISOString()
}

/** Which actions are listed and exported. */
export function LedgerFilters({ actors }: { actors: readonly string[] }) {
  return (
    <div class="fields pickers">
      <PlaceFilters />
      <Filter
        label="By"
        value={param('by')}
        onChange={by => change({ by, after: null })}
        options={[...new Set(actors)]}
      />
      <Choice
        label="Verdict"
        value={verdictAsked()}
        options={VERDICTS}
        onChange={verdict => change({ verdict, after: null })}
      />
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
