import type { PowerDifference } from '../../../models/answers/surface.ts'
import { Badge } from '../../../web/components/badge.tsx'
import { Words } from '../../../web/components/text.tsx'
import { counted } from '../../../web/format.ts'

/** What came, is wider, another one, narrower or gone. */
export function PowerChanges({
  surface: { changes, more_changes: more, unreadable = [] },
}: {
  surface: PowerDifference
}) {
  return (
    <>
      <ul class="power">
        {unreadable.map(text => (
          <li key={text}>
            <Badge tone="warn">not known</Badge> <Words>{text}</Words>
          </li>
        ))}
        {changes.map(({ change: what, of, name, widens, words }) => (
          <li key={`${of} ${name} ${what}`}>
            <Badge tone={widens ? 'warn' : 'plain'} icon={widens ? 'warn' : 'info'}>
              {what}
            </Badge>{' '}
            <InCode>{words}</InCode>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="faint">And {counted(more, 'further change')}.</p>}
    </>
  )
}

/** A sentence whose names are between backticks. */
function InCode({ children }: { children: string }) {
  return (
    <bdi class="words">
      {children.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
    </bdi>
  )
}

/** Who may acknowledge it, where not everybody may. */
export function WhoMay({ only }: { only: NonNullable<PowerDifference['acknowledged_only_by']> }) {
  if (only.length === 0) return null
  return (
    <>
      {only.includes('another') && 'It takes somebody else than who promotes it (approval_by_another). '}
      {only.includes('people') && 'Only people who have signed in may (approvals.people_only).'}
    </>
  )
}
