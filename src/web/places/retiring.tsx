import type { RetirementList } from '../../features/retirements/models.ts'
import { Badge } from '../ui/badge.tsx'
import { Words } from '../ui/text.tsx'
import { counted } from '../format.ts'
import { type Known, get, useRead } from '../query.ts'

/** Live releases whose models a provider retires within 90 days. It hardly changes. */
const useRetirements = (): Known<RetirementList> => useRead<RetirementList>(get('v1/retirements'), 120_000)

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
            <Words>{model}</Words> {role === 'fallback' && '(fallback) '}
            {days_left < 0
              ? `ended on ${retires_on}`
              : days_left === 0
                ? 'ends today'
                : `ends in ${counted(days_left, 'day')}`}
          </Badge>
        </span>
      ))}
    </>
  )
}
