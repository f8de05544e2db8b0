import type { RetirementList } from '../../features/retirements/models.ts'
import { Badge } from '../ui/badge.tsx'
import { Words } from '../ui/text.tsx'
import { counted } from '../format.ts'
import { type Known, get, useRead } from '../query.ts'

/** Live releases whose models a provider retires within 90 days. It hardly changes. */
export const useRetirements = (): Known<RetirementList> =>
  useRead<RetirementList>(get('v1/retirements'), 120_000)

type Ending = Pick<RetirementList['live'][number], 'role' | 'retires_on' | 'days_left'>

/** When a model ends. */
export function endsText({ role, retires_on, days_left }: Ending): string {
  const what = role === 'fallback' ? '(fallback) ' : ''
  if (days_left < 0) return `${what}ended on ${retires_on}`
  return `${what}ends ${days_left === 0 ? 'today' : `in ${counted(days_left, 'day')}`}`
}

/** Days before its end at which a model is no longer only worth a warning. */
const URGENT_DAYS = 7

/** Models of a live release that end soon, the first to end first. */
export function Retiring({
  agent,
  environment,
  release,
}: {
  agent: string
  environment: string
  release: string
}) {
  const live = useRetirements().data?.live ?? []
  const own = live.filter(
    one => one.agent_id === agent && one.environment === environment && one.release_id === release,
  )
  return (
    <>
      {own.map(({ provider, model, role, retires_on, days_left, source }) => (
        <span key={`${provider} ${model}`} title={`${provider} / ${model} until ${retires_on}: ${source}`}>
          <Badge tone={days_left <= URGENT_DAYS ? 'bad' : 'warn'}>
            <Words>{model}</Words> {endsText({ role, retires_on, days_left })}
          </Badge>
        </span>
      ))}
    </>
  )
}
