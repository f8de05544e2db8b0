import { ROLE_ALLOWS, allowedWords } from '../../../models/names.ts'
import { callApi } from '../../../web/api.ts'
import { useAttempt } from '../../../web/attempt.ts'
import { Failure } from '../../../web/components/note.tsx'
import { Section } from '../../../web/components/page.tsx'
import { Loaded } from '../../../web/components/states.tsx'
import { Sure } from '../../../web/components/sure.tsx'
import { type Column, Table } from '../../../web/components/table.tsx'
import { Time, Words } from '../../../web/components/text.tsx'
import { get, useRead } from '../../../web/query.ts'
import type { SessionList, SessionRecord } from '../models.ts'

/** Sessions that the caller may see, and an end to those that are open. */
export function Sessions({ own }: { own: string | undefined }) {
  const sessions = useRead<SessionList>(get('v1/sessions', { limit: 50 }), 30_000)
  const { attempt, problem } = useAttempt()
  const revoke = (id: string): Promise<void> =>
    attempt(async () => void (await callApi({ method: 'DELETE', path: `v1/sessions/${id}` })))
  const columns: Column<SessionRecord>[] = [
    {
      label: 'Person',
      kind: 'grow',
      cell: ({ name, issuer, subject }) => (
        <div class="stack">
          <Words>{name}</Words>
          <span class="faint">
            <Words>{`${subject} at ${issuer}`}</Words>
          </span>
        </div>
      ),
    },
    { label: 'In', cell: ({ kind, session_id }) => (session_id === own ? 'this browser' : USED_BY[kind]) },
    { label: 'May', cell: ({ role }) => <>{allowedWords(ROLE_ALLOWS[role])}</> },
    { label: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    {
      label: 'Ends',
      cell: ({ ended_because, ended_at, idle_at }) => (
        <>
          {ended_because !== null && `${ended_because.replace('_', ' ')} `}
          <Time at={ended_at ?? idle_at} />
        </>
      ),
    },
    {
      label: 'Revoke',
      kind: 'actions',
      cell: ({ state, session_id }) =>
        state === 'open' && <Sure label="Revoke…" sure="Revoke it" onSure={() => void revoke(session_id)} />,
    },
  ]
  return (
    <Section title="Sessions">
      <Failure message={problem} />
      <Loaded known={sessions}>
        {({ sessions: all }) =>
          all.length === 0 ? (
            <p class="faint">Nobody has signed in yet.</p>
          ) : (
            <Table caption="Sessions" columns={columns} rows={all} keyOf={({ session_id }) => session_id} />
          )
        }
      </Loaded>
    </Section>
  )
}

const USED_BY = { browser: 'a browser', cli: 'svc' } as const
