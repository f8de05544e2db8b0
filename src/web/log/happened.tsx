import { Badge } from '../ui/badge.tsx'
import { Icon } from '../ui/icon.tsx'
import { Place } from '../ui/place.tsx'
import { Words } from '../ui/text.tsx'
import { exactTime, zone } from '../format.ts'
import type { Happened } from './rows.ts'

/** What happened, a line each, newest first. Of one place, its name is left out and the day is said. */
export function HappenedList({
  label,
  rows,
  isOfOnePlace = false,
  bad,
}: {
  label: string
  rows: readonly Happened[]
  isOfOnePlace?: boolean
  /** Actions that are not what was hashed. */
  bad?: ReadonlySet<string>
}) {
  return (
    <ol class={isOfOnePlace ? 'history here' : 'history'} aria-label={label}>
      {rows.map(({ key, subject, at, icon, tone, what, of, place, by, why, link }) => (
        <li key={key} class={tone}>
          <time dateTime={at} title={`${exactTime(at)} ${zone(at)}`} class="figures">
            {exactTime(at).slice(isOfOnePlace ? 5 : 11, 16)}
          </time>
          <Icon name={icon} size={14} />
          <span>
            <a href={link}>{what}</a>
            {bad?.has(subject) === true && <Badge tone="bad">not as hashed</Badge>}
          </span>
          <Words>{of}</Words>
          {!isOfOnePlace && <span>{place !== undefined && <Place place={place} />}</span>}
          <span class="faint">
            <Words>{by}</Words>
            {why !== '' && (
              <>
                : <Words>{why}</Words>
              </>
            )}
          </span>
        </li>
      ))}
    </ol>
  )
}
