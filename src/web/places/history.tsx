import type { PlaceAnswer } from '../../models/deploys/place.ts'
import { HappenedList } from '../log/happened.tsx'
import { useLog } from '../log/rows.ts'
import { Section } from '../ui/page.tsx'
import { Loaded } from '../ui/states.tsx'
import { href } from '../route.ts'

/** Most entries at once; the log has them all. */
const MOST = 20

/** What happened here, newest first. */
export function History({ place: { agent_id: agent, environment: env } }: { place: PlaceAnswer }) {
  return (
    <Section title="History" aside={<a href={href('log', { agent, env })}>All of the log here</a>}>
      <Loaded known={useLog({ agent, env, limit: MOST })}>
        {({ rows }) =>
          rows.length === 0 ? (
            <p class="faint">Nothing happened here yet.</p>
          ) : (
            <HappenedList label="What happened" rows={rows} isOfOnePlace />
          )
        }
      </Loaded>
    </Section>
  )
}
