import type { DiffReport } from '../../../models/answers/diff.ts'
import type { PowerChange } from '../../../models/answers/surface.ts'
import { Badge } from '../../../web/components/badge.tsx'
import { Section } from '../../../web/components/page.tsx'
import { Time, Words } from '../../../web/components/text.tsx'
import { counted } from '../../../web/format.ts'
import type { Comparing } from '../../../web/reads.ts'
import { href } from '../../../web/route.ts'

/** What a candidate may do that the baseline may not, and the other way round, in words. */
export function Power({
  report: { surface },
  comparing: { candidate },
}: {
  report: DiffReport
  comparing: Comparing
}) {
  if (surface === undefined) return null
  const { widened, changes, more_changes: more, unreadable = [], acknowledged } = surface
  return (
    <Section
      title="What it may do"
      aside={<a href={href('release', { id: candidate })}>All that it may do</a>}
    >
      <p>
        {widened === 0 ? (
          <Badge tone="ok">no more than the baseline</Badge>
        ) : (
          <Badge tone="warn">more than the baseline</Badge>
        )}{' '}
        {acknowledged !== undefined && (
          <span>
            <Words>{acknowledged.actor}</Words> acknowledged this <Time at={acknowledged.created_at} />:{' '}
            <Words>{acknowledged.reason}</Words>
          </span>
        )}
      </p>
      <ul class="power">
        {unreadable.map(text => (
          <li key={text}>
            <Badge tone="warn">not known</Badge> <Words>{text}</Words>
          </li>
        ))}
        {changes.map(({ change, of, name, widens, words }) => (
          <li key={`${of} ${name} ${change}`}>
            <Badge tone={widens ? 'warn' : 'plain'} icon={widens ? 'warn' : 'info'}>
              {CHANGES[change]}
            </Badge>{' '}
            <InCode>{words}</InCode>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="faint">And {counted(more, 'further change')}.</p>}
    </Section>
  )
}

const CHANGES = {
  added: 'added',
  widened: 'widened',
  changed: 'changed',
  narrowed: 'narrowed',
  removed: 'removed',
} as const satisfies Readonly<Record<PowerChange['change'], string>>

/** A sentence whose names stand between backticks. */
function InCode({ children }: { children: string }) {
  return (
    <bdi class="words">
      {children.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
    </bdi>
  )
}
