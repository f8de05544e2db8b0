import type { ComponentChildren } from 'preact'
import { HappenedList } from '../log/happened.tsx'
import { useLog } from '../log/rows.ts'
import { Section } from '../ui/page.tsx'
import { Loaded } from '../ui/states.tsx'
import { href } from '../route.ts'

/** Most entries at once; the log has them all. */
const MOST = 20

/** What happened in a place, newest first; of one kind where that is named. */
export function History({
  place: { agent_id: agent, environment: env },
  kind,
  children,
}: {
  place: { readonly agent_id: string; readonly environment: string }
  kind?: string
  children?: ComponentChildren
}) {
  return (
    <Section title="History" aside={<a href={href('log', { agent, env, kind })}>All of the log here</a>}>
      {children}
      <Loaded known={useLog({ agent, env, kind, limit: MOST })}>
        {({ rows }) =>
          rows.length === 0 ? (
            <p class="faint">Nothing happened here yet.</p>
          ) : (
            <HappenedList
              label={kind === undefined ? 'What happened' : `What happened: ${kind}`}
              rows={rows}
              isOfOnePlace
            />
          )
        }
      </Loaded>
    </Section>
  )
}
