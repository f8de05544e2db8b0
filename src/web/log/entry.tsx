import type { AuditPage } from '../../models/answers/audit.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Place } from '../ui/place.tsx'
import { Loaded } from '../ui/states.tsx'
import { Facts } from '../ui/table.tsx'
import { ExactTime, Id, Raw, Words } from '../ui/text.tsx'
import { get, useRead } from '../query.ts'
import { ONCE_MS, useNames } from '../reads.ts'
import { href } from '../route.ts'
import { IDENTITIES } from './action.tsx'
import { inWords, ofEntry } from './rows.ts'

/** Where what an entry is about is shown, by its kind. */
const LINKS: Readonly<Record<string, (subject: string) => string>> = {
  release: id => href('place', { release: id }),
  request: id => href('place', { request: id }),
  rollout: id => href('place', { rollout: id }),
  watch: id => href('place', { watch: id }),
  action: id => href('log', { action: id }),
  webhook: id => href('settings', { part: 'webhooks', webhook: id }),
  policy: () => href('settings', { part: 'policy' }),
  prices: () => href('settings', { part: 'prices' }),
  token: () => href('settings', { part: 'access' }),
}

/** One entry of the log, and what it is about. */
export function EntryDrawer({ seq, onClose }: { seq: number; onClose: () => void }) {
  const page = useRead<AuditPage>(get('v1/audit', { limit: 1, after: seq + 1 }), ONCE_MS)
  const name = useNames()
  const entry = page.data?.entries[0]
  return (
    <Dialog title={entry === undefined ? 'Entry' : inWords(entry.kind)} kind="drawer" onClose={onClose}>
      <Loaded known={{ ...page, data: entry }} lines={8}>
        {known => {
          const { place, of } = ofEntry(known, name)
          const link = LINKS[known.kind.split('.')[0]!]?.(known.subject)
          const { changes } = known.details as { readonly changes?: readonly string[] }
          return (
            <>
              <Facts
                facts={{
                  Number: known.log_seq,
                  When: <ExactTime at={known.created_at} />,
                  Of: changes === undefined ? of : null,
                  About: <Id value={known.subject} {...(link === undefined ? {} : { link })} />,
                  Agent: place && <Place place={place} />,
                  By: known.actor,
                  Identity: IDENTITIES[known.actor_source],
                  Reason: known.reason,
                  Changes: changes && (
                    <ul class="stack">
                      {changes.map(change => (
                        <li key={change}>
                          <Words>{change}</Words>
                        </li>
                      ))}
                    </ul>
                  ),
                  Hash: <Id value={known.hash} short />,
                }}
              />
              <Raw value={known} />
            </>
          )
        }}
      </Loaded>
    </Dialog>
  )
}
